// The corrections a person has made to a plan. Each says one thing about a line, and can be undone
// alone.

import type { Correction, Edit, ImportPlan, Role, Run } from "./types";

/** A correction, and what was there before it, to say so. */
export interface Made {
  correction: Correction;
  /** The title or the words that it is about. */
  about: string;
}

/** Edits that exclude each other: a line, or a task, is one thing only. */
function slot(edit: Edit["edit"]): string {
  switch (edit) {
    case "setRole":
    case "split":
    case "join":
    case "leaveOut":
    case "leaveOutTask":
    case "putBack":
      return "place";
    case "rename":
    case "renameTask":
      return "title";
    case "setAgent":
      return "agent";
    case "setCategory":
      return "category";
    case "setStarred":
      return "starred";
    case "setPrivate":
      return "private";
  }
}

const isSamePlace = (one: Correction, other: Correction): boolean => one.line === other.line && slot(one.edit) === slot(other.edit);

/** The corrections with another one, which replaces what was said about the same thing. */
export function withCorrection(all: readonly Made[], made: Made): Made[] {
  return [...all.filter((one) => !isSamePlace(one.correction, made.correction)), made];
}

/** The corrections without what was said about the place of some lines. */
export function withoutPlace(all: readonly Made[], from: number, to: number): Made[] {
  return all.filter(({ correction }) => slot(correction.edit) !== "place" || correction.line < from || correction.line > to);
}

/** The corrections made to some lines. */
export function madeBetween(all: readonly Made[], from: number, to: number): Made[] {
  return all.filter(({ correction }) => correction.line >= from && correction.line <= to);
}

/** What a correction is called when it is counted; the switches of agent, star and private show their own state. */
export type Counted = "joined" | "split" | "leftOut" | "renamed" | "changed" | "putBack";

export function counted(correction: Correction): Counted | undefined {
  switch (correction.edit) {
    case "join":
      return "joined";
    case "split":
      return "split";
    case "leaveOut":
    case "leaveOutTask":
      return "leftOut";
    case "rename":
    case "renameTask":
      return "renamed";
    case "putBack":
      return "putBack";
    case "setRole":
    case "setCategory":
      return "changed";
    case "setAgent":
    case "setStarred":
    case "setPrivate":
      return undefined;
  }
}

/** How many corrections there are of each kind, in the order in which they are shown. */
export function summary(all: readonly Made[]): [Counted, number][] {
  const order: readonly Counted[] = ["joined", "split", "leftOut", "putBack", "renamed", "changed"];
  const kinds = all.map((made) => counted(made.correction));
  return order.map((kind): [Counted, number] => [kind, kinds.filter((one) => one === kind).length]).filter(([, n]) => n > 0);
}

/**
 * The corrections for a text that was edited: each moves with its line. Of several equal lines the one
 * with the same number among them is meant. What was made to a line that is gone is dropped.
 */
export function moved(all: readonly Made[], before: readonly string[], after: readonly string[]): Made[] {
  if (all.length === 0) return [];
  const wanted = new Set(all.map(({ correction }) => before[correction.line - 1]));
  const find = (lines: readonly string[]): Map<string, number[]> => {
    const found = new Map<string, number[]>();
    lines.forEach((text, at) => {
      if (!wanted.has(text)) return;
      const places = found.get(text) ?? [];
      places.push(at + 1);
      found.set(text, places);
    });
    return found;
  };
  const [old, now] = [find(before), find(after)];
  return all.flatMap((made) => {
    const text = before[made.correction.line - 1];
    if (text === undefined) return [];
    const number = old.get(text)?.indexOf(made.correction.line) ?? -1;
    const line = now.get(text)?.[number];
    return line === undefined ? [] : [{ ...made, correction: { ...made.correction, line } }];
  });
}

/** The run of a plan that a line is in. */
export function runAt(plan: Pick<ImportPlan, "lines">, line: number): ImportPlan["lines"][number] | undefined {
  let [low, high] = [0, plan.lines.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const run = plan.lines[middle];
    if (run === undefined) return undefined;
    if (line < run.from) high = middle - 1;
    else if (line > run.to) low = middle + 1;
    else return run;
  }
  return undefined;
}

/** What the menu of a line offers. */
export type LineChoice = "item" | "note" | "due" | "task" | "join" | "category" | "leaveOut" | "leaveOutTask" | "putBack";

/** The formats in which a line is a thing of its own. In the others only whole tasks can be corrected. */
const BY_LINE: readonly string[] = ["markdown", "mail", "todoTxt", "plainLines"];

/** A line of a list: with a bullet or a number. */
const LISTED = /^\s*(?:[-*+•–]|\d+[.)])\s+\S/;

/** The lines of lists among some runs that are text of their task, and could be its items. */
export function listedNotes(runs: readonly Run[], lines: readonly string[], format: string): number[] {
  if (!BY_LINE.includes(format)) return [];
  return runs
    .filter((run) => run.role === "note" && run.task !== null)
    .flatMap((run) => Array.from({ length: run.to - run.from + 1 }, (_, at) => run.from + at))
    .filter((line) => LISTED.test(lines[line - 1] ?? ""));
}

/** What a line can be changed to; nothing for a line that only holds marks. */
export function choicesFor(role: Role, hasTask: boolean, isFirstTask: boolean, format: string): LineChoice[] {
  const join: LineChoice[] = isFirstTask ? [] : ["join"];
  const wholeTask: LineChoice[] = hasTask ? [...join, "leaveOutTask"] : [];
  switch (role) {
    case "item":
    case "note":
    case "due":
      return BY_LINE.includes(format) ? ["item", "note", "due", "task", ...join, "leaveOut"] : wholeTask;
    case "task":
      return [...join, ...(format === "markdown" ? (["category"] as const) : []), "leaveOutTask"];
    case "category":
      return ["leaveOut"];
    case "leftOut":
      return ["putBack"];
    case "field":
    case "parent":
      return wholeTask;
    case "markup":
    case "skipped":
    case "blank":
      return [];
  }
}

/** The letter of a choice in the menu. */
export const CHOICE_KEYS: Record<LineChoice, string> = {
  item: "i", note: "n", due: "d", task: "t", join: "j", category: "c", leaveOut: "delete", leaveOutTask: "delete", putBack: "p",
};

/** The correction that a choice makes. */
export function correctionOf(choice: LineChoice, line: number): Correction {
  switch (choice) {
    case "item":
    case "note":
    case "due":
    case "category":
      return { line, edit: "setRole", role: choice };
    case "task":
      return { line, edit: "split" };
    case "join":
    case "leaveOut":
    case "leaveOutTask":
    case "putBack":
      return { line, edit: choice };
  }
}
