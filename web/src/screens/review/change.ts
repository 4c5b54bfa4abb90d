// What a suggested change says, derived from its arguments: its place, and the value before and after.

import type { Schemas } from "../../api/client";

/** An open change of a task, from any change set. */
export type Change = Omit<Schemas["TaskChange"], "runKey" | "agentName"> & {
  /** The run that suggested it; undefined once its set is gone. */
  runKey: string | undefined;
  agentName: string;
};

/** The address of the wake that suggested it. */
export function wakeOf(change: Change): string | undefined {
  if (change.runKey === undefined) return undefined;
  return `/agents/${change.agentId}/wakes?run=${encodeURIComponent(change.runKey)}`;
}

export type Kind = "status" | "priority" | "title" | "estimate" | "dueDate" | "addItem" | "editItem" | "label" | "other";

const KINDS: Record<string, Kind> = {
  set_task_status: "status",
  update_task_priority: "priority",
  set_task_title: "title",
  update_task_estimate: "estimate",
  update_task_due_date: "dueDate",
  add_checklist_item: "addItem",
  update_checklist_item: "editItem",
  assign_task_label: "label",
};

/** What it changes; `other` for a tool of a newer server. */
export function kindOf(change: Change): Kind {
  return KINDS[change.toolName] ?? "other";
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
  label: "labels",
  estimate: "plan",
  dueDate: "plan",
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

/** A value in a form that can be shown in the person's language. */
export type Value =
  | { as: "none" }
  | { as: "text"; text: string }
  | { as: "status"; status: string; reason: string | undefined }
  | { as: "priority"; priority: string }
  | { as: "day"; day: string }
  | { as: "minutes"; minutes: number }
  | { as: "box"; isChecked: boolean; title: string; isArchived: boolean };

const NONE: Value = { as: "none" };

/** Parses a value recorded as text, such as `BLOCKED (waits for the joiner)` or `[x] Take photos`. */
export function readValue(kind: Kind, words: string | null): Value {
  if (words === null || words === "") return NONE;
  const plain: Value = { as: "text", text: words };
  if (kind === "status") {
    const [, status = words, reason] = /^(.+?)(?: \(([^]*)\))?$/.exec(words) ?? [];
    return { as: "status", status, reason };
  }
  if (kind === "priority") {
    const name = /^P[0-3]/.exec(words)?.[0];
    return name === undefined ? plain : { as: "priority", priority: name };
  }
  if (kind === "dueDate") return /^\d{4}-\d{2}-\d{2}$/.test(words) ? { as: "day", day: words } : plain;
  if (kind === "estimate") {
    const part = (unit: string): number => Number(new RegExp(`(\\d+) ${unit}`).exec(words)?.[1] ?? 0);
    const minutes = part("h") * 60 + part("min");
    return minutes > 0 ? { as: "minutes", minutes } : plain;
  }
  if (kind === "editItem" || kind === "addItem") {
    const [, mark, title, archived] = /^\[([ x])\] ([^]*?)( \(archived\))?$/.exec(words) ?? [];
    if (title === undefined) return plain;
    return { as: "box", isChecked: mark === "x", title, isArchived: archived !== undefined };
  }
  return plain;
}

function argsOf(change: Change): Record<string, unknown> {
  return typeof change.args === "object" && change.args !== null ? (change.args as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The suggested value. */
export function proposedOf(change: Change): Value {
  const args = argsOf(change);
  const asText: Value = { as: "text", text: change.proposed ?? change.humanSummary };
  switch (kindOf(change)) {
    case "status":
      return { as: "status", status: text(args["status"]), reason: text(args["reason"]) || undefined };
    case "priority":
      return { as: "priority", priority: text(args["priority"]) };
    case "dueDate":
      return { as: "day", day: text(args["dueDate"]) };
    case "estimate":
      return typeof args["minutes"] === "number" ? { as: "minutes", minutes: args["minutes"] } : asText;
    case "addItem":
      return { as: "box", isChecked: args["isChecked"] === true, title: text(args["title"]), isArchived: false };
    case "editItem": {
      const was = readValue("editItem", change.now ?? change.before);
      if (was.as !== "box") return asText;
      const flag = (key: string, otherwise: boolean): boolean => {
        const value = args[key];
        return typeof value === "boolean" ? value : otherwise;
      };
      return {
        as: "box",
        isChecked: flag("isChecked", was.isChecked),
        title: text(args["title"]) || was.title,
        isArchived: flag("isArchived", was.isArchived),
      };
    }
    case "title":
    case "label":
    case "other":
      return asText;
  }
}

/** What it does to a checklist item; `edit` if it does several things at once. */
export type ItemAction = "add" | "tick" | "untick" | "rename" | "archive" | "restore" | "edit";

export function itemActionOf(change: Change): ItemAction {
  if (kindOf(change) === "addItem") return "add";
  const args = argsOf(change);
  const deeds: ItemAction[] = [];
  if (typeof args["isChecked"] === "boolean") deeds.push(args["isChecked"] ? "tick" : "untick");
  if (typeof args["title"] === "string") deeds.push("rename");
  if (typeof args["isArchived"] === "boolean") deeds.push(args["isArchived"] ? "archive" : "restore");
  return deeds.length === 1 ? (deeds[0] ?? "edit") : "edit";
}

/** Whether the value has changed since the suggestion. A new item or label replaces nothing. */
export function hasDrifted(change: Change): boolean {
  return !["addItem", "label", "other"].includes(kindOf(change)) && change.now !== change.before;
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
