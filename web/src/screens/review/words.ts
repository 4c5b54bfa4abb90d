// A proposal in the person's words, for names of controls and for what is told.

import { day, minutes, t, word } from "../../i18n/index.svelte";
import { deedOf, kindOf, proposedOf, type Change, type Value } from "./change";

/** A value in one line. */
export function valueWords(value: Value): string {
  switch (value.as) {
    case "none":
      return t("value.none");
    case "text":
      return value.text;
    case "status":
      return word("status", value.status);
    case "priority":
      return word("priority", value.priority);
    case "day":
      return day(value.day);
    case "minutes":
      return minutes(value.minutes);
    case "box":
      return value.title;
  }
}

/** What is changed: the field, or what is done to an item. */
export function fieldOf(change: Change): string {
  const kind = kindOf(change);
  if (kind === "addItem" || kind === "editItem") return word("review.deed", deedOf(change));
  return word("review.field", kind);
}

/** The whole of it in one line: "Estimate: 2 h", "Tick: Take photos". */
export function nameOf(change: Change): string {
  if (kindOf(change) === "other") return change.humanSummary;
  const proposed = proposedOf(change);
  return t("review.name", { field: fieldOf(change), value: valueWords(proposed) });
}
