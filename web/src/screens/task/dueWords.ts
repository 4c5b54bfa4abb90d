// What is said of a due date in words: what was understood, and what of it is in doubt.

import { day as dayText, list, t } from "../../i18n/index.svelte";
import { dueDay, type UnderstoodDate } from "../../live/understanding.svelte";

function doubt({ kind, value }: UnderstoodDate["assumed"][number]): string | undefined {
  switch (kind) {
    case "weekdayDiffers":
      return t("due.weekdayDiffers");
    case "readersOrder":
    case "otherOrder":
      return t(value === "monthFirst" ? "due.monthFirst" : "due.dayFirst");
    case "inAWeek":
      return t("due.inAWeek");
    case "nextWeek":
      return t("due.nextWeek");
    case "before":
      return t("due.before", { day: dayText(value) });
    case "after":
      return t("due.after", { day: dayText(value) });
    default:
      // The day or the time that is shown says it.
      return undefined;
  }
}

/** What the day does not show, such as the order it was read in, or that it falls on another weekday. */
export function doubtAbout(date: UnderstoodDate): string | undefined {
  const doubts = date.assumed.flatMap((one) => doubt(one) ?? []);
  return doubts.length === 0 ? undefined : list([...new Set(doubts)]);
}

/** What was understood, and what of it a due date has no place for. */
export function saidDate(date: UnderstoodDate): string {
  const due = dueDay(date);
  if (due === null) return t((date.repeats?.times ?? 1) > 1 ? "due.noFixedDay" : "due.never");
  const said = heldPart(date, due);
  const unsure = doubtAbout(date);
  return unsure === undefined ? said : t("due.doubt", { said, doubt: unsure });
}

function heldPart(date: UnderstoodDate, due: string): string {
  const on = dayText(due);
  if (date.repeats !== null && date.repeats !== undefined) return t("due.repeats", { day: on });
  if (date.endDay !== null && date.day !== null && date.endDay !== date.day) return t("due.range", { from: dayText(date.day), day: on });
  return date.time === null ? on : t("due.time", { day: on, time: date.time });
}
