// What a suggested change says, derived from its arguments: its place, and the value before and after.

import type { Schemas } from "../../api/client";

/** An open change of a task, from any change set. */
export type Change = Omit<Schemas["TaskChange"], "runKey" | "agentName"> & {
  /** The run that suggested it; undefined once its set is gone. */
  runKey: string | undefined;
  agentName: string;
};

/** The address of the wake that suggested it, or of the agent work. */
export function wakeOf(change: Change): string | undefined {
  if (change.workId != null) return `/work/${change.workId}`;
  if (change.runKey === undefined || change.agentId == null) return undefined;
  return `/agents/${change.agentId}/wakes?run=${encodeURIComponent(change.runKey)}`;
}

export type Kind = "status" | "priority" | "title" | "estimate" | "dueDate" | "addItem" | "editItem" | "moveItem" | "label" | "followUp" | "link" | "other";

/** What it changes; `other` for a field of a newer server. */
export function kindOf(change: Change): Kind {
  const field = change.change?.field;
  switch (field?.type) {
    case "status":
    case "priority":
    case "title":
    case "estimate":
    case "dueDate":
    case "label":
    case "followUp":
    case "link":
      return field.type;
    case "itemTask":
      return "moveItem";
    case "item":
      return field.id == null ? "addItem" : "editItem";
    default:
      return "other";
  }
}

/** The sections of a review, in reading order. */
export const SECTIONS = ["state", "checklist", "labels", "plan", "new"] as const;
export type Section = (typeof SECTIONS)[number];

const SECTION_OF: Record<Kind, Section> = {
  status: "state",
  priority: "state",
  title: "state",
  addItem: "checklist",
  editItem: "checklist",
  moveItem: "checklist",
  label: "labels",
  estimate: "plan",
  dueDate: "plan",
  followUp: "new",
  link: "new",
  other: "new",
};

export function sectionOf(change: Change): Section {
  return SECTION_OF[kindOf(change)];
}

/** The non-empty sections, in order. */
export function bySection<T>(rows: readonly T[], change: (row: T) => Change): { section: Section; rows: T[] }[] {
  return SECTIONS.map((section) => ({
    section,
    rows: rows.filter((row) => sectionOf(change(row)) === section),
  })).filter((group) => group.rows.length > 0);
}

/** The key of a row, stable across responses. */
export function keyOf(change: { set: string; index: number }): string {
  return `${change.set}:${change.index}`;
}

/** A value of a field, for `formatValue` to put into words; null for none. */
export type Value = Schemas["FieldValue"];

/** The value at the time of the suggestion. */
export function valueBefore(change: Change): Value | null {
  return change.change?.from ?? null;
}

/** The suggested value; the server's summary of a change that this page doesn't know. */
export function proposedOf(change: Change): Value {
  return change.change?.to ?? { type: "text", text: change.humanSummary };
}

/** What it does to a checklist item; `edit` if it does several things at once. */
export type ItemAction = "add" | "tick" | "untick" | "rename" | "archive" | "restore" | "edit";

export function itemActionOf(change: Change): ItemAction {
  if (kindOf(change) === "addItem") return "add";
  const args = typeof change.args === "object" && change.args !== null ? (change.args as Record<string, unknown>) : {};
  const deeds: ItemAction[] = [];
  if (typeof args["isChecked"] === "boolean") deeds.push(args["isChecked"] ? "tick" : "untick");
  if (typeof args["title"] === "string") deeds.push("rename");
  if (typeof args["isArchived"] === "boolean") deeds.push(args["isArchived"] ? "archive" : "restore");
  return deeds.length === 1 ? (deeds[0] ?? "edit") : "edit";
}

/** Whether the value has changed since the suggestion. What is new or goes to another task replaces nothing. */
export function hasDrifted(change: Change): boolean {
  if (["addItem", "moveItem", "label", "followUp", "link", "other"].includes(kindOf(change))) return false;
  const before = valueBefore(change);
  // An older server stored words; they can only be compared with words.
  if (before?.type === "words") return before.words !== change.now;
  return JSON.stringify(before) !== JSON.stringify(change.current ?? null);
}

/**
 * Whether it can be confirmed in bulk. Anything destructive, outdated or unknown must be reviewed on its
 * own.
 */
export function canConfirmInBulk(change: Change): boolean {
  return kindOf(change) !== "other" && !hasDrifted(change) && !change.isDestructive;
}

/** Units: milliseconds. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface Left {
  unit: "days" | "hours" | "minutes";
  n: number;
}

/** The time until the first of them expires; undefined if none does. */
export function timeLeft(changes: readonly Change[], now: Date): Left | undefined {
  const ends = changes.flatMap((change) => (change.expiresAt == null ? [] : [Date.parse(change.expiresAt)]));
  if (ends.length === 0) return undefined;
  const left = Math.max(0, Math.min(...ends) - now.getTime());
  if (left > DAY) return { unit: "days", n: Math.ceil(left / DAY) };
  if (left > HOUR) return { unit: "hours", n: Math.ceil(left / HOUR) };
  return { unit: "minutes", n: Math.ceil(left / MINUTE) };
}
