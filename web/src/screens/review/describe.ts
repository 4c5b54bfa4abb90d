// A suggested change as text, for the names of controls and for messages.

import { day, languageName, list, minutes, t, valueText } from "../../i18n/index.svelte";
import type { Problem } from "../../api/problem";
import { describeProblem } from "../../i18n/problem";
import type { Choice } from "./draft";
import { itemActionOf, kindOf, proposedOf, valueBefore, type Change, type Described, type Value } from "./change";

/** A value in one line. */
export function formatValue(value: Value | null): string {
  if (value === null) return t("value.none");
  switch (value.type) {
    case "text":
      return value.text;
    case "status":
      return valueText("status", value.status);
    case "priority":
      return valueText("priority", value.priority);
    case "day":
      return day(value.on);
    case "minutes":
      return minutes(value.minutes);
    case "language":
      return languageName(value.code);
    case "flag":
      return t(value.isSet ? "value.yes" : "value.no");
    case "item":
      return value.title;
    case "label":
      return value.name;
    case "task":
      return value.title;
    case "words":
      return value.words;
    default:
      return t("value.newer");
  }
}

/** What changes: the field, or the action on an item. */
export function fieldOf(change: Described): string {
  const kind = kindOf(change);
  const field = change.change?.field;
  if (field?.type === "link") return valueText("review.link", `${field.kind}.${field.direction}`);
  if (kind === "addItem" || kind === "editItem") return valueText("review.deed", itemActionOf(change));
  return valueText("review.field", kind);
}

/**
 * The whole change in one line: "Estimate: 2 h", "Tick: Take photos"; the server's summary where a value is
 * not known. `changes.json` lists changes with the lines of the page and of the terminal.
 */
export function nameOf(change: Described): string {
  // The summary alone says everything that a new task begins with.
  if (["other", "followUp"].includes(kindOf(change)) || change.change?.to == null) return change.humanSummary;
  if (kindOf(change) === "moveItem") {
    return t("review.move", { item: formatValue(valueBefore(change)), to: formatValue(proposedOf(change)) });
  }
  const proposed = proposedOf(change);
  return t("review.name", { field: fieldOf(change), value: formatValue(proposed) });
}

/** The number of each decision, without zeros: "2 confirmed, 1 rejected". */
export function verdictCounts(key: "review.sum" | "review.applied", of: (verdict: Choice) => number): string {
  const parts = (["confirm", "reject", "defer"] as const)
    .filter((verdict) => of(verdict) > 0)
    .map((verdict) => t(`${key}.${verdict}`, { n: of(verdict) }));
  return list(parts);
}

/** The code of a confirm that was rejected because the person has set another value since. */
export const VALUE_CHANGED = "value-changed";

/** The code of a confirm that was rejected because the item belongs to one that is not confirmed. */
export const PARENT_FIRST = "parent-first";

/** The value the person has set since. */
export function describeNewValue(change: Change, problem: Problem): string {
  const current = currentValue(change, problem);
  return current === null ? t("review.valueCleared") : t("review.valueChanged", { now: formatValue(current) });
}

/** The value that the field has now; null if it was cleared. */
function currentValue(change: Change, problem: Problem): Value | null {
  return (problem.current === undefined ? change.current : problem.current) ?? null;
}

/** Why a decision was rejected, including the current value if that is the reason. */
export function describeRefusal(change: Change, problem: Problem): string {
  if (problem.code !== VALUE_CHANGED) return describeProblem(problem);
  const current = currentValue(change, problem);
  return current === null ? t("review.replaceCleared") : t("review.replaceChanged", { now: formatValue(current) });
}
