// The logic of the task page: pure functions, no server.

import { t } from "../../i18n/index.svelte";
import { activityState, type ActivityState } from "../../live/activity";
import type { Change } from "../review/change";
import { itemActionOf } from "../review/change";
import type { Agent, Entry, Item, TaskLink } from "./data";

export function titleOf(task: { title: string }): string {
  return task.title === "" ? t("task.untitled") : task.title;
}

/** The state of an agent in one word: its lifecycle if it ended or stopped, otherwise its activity. */
export function stateOf(agent: Pick<Agent, "lifecycle" | "activity">): ActivityState {
  if (agent.lifecycle === "destroyed" || agent.lifecycle === "dormant") return agent.lifecycle;
  return activityState(agent.activity);
}

/** The first paragraph of a report that is not a heading, for a report without a summary. */
export function firstParagraph(markdown: string): string {
  const parts = markdown.split(/\n\s*\n/).map((part) => part.trim());
  return parts.find((part) => part !== "" && !/^(#|---|```)/.test(part)) ?? "";
}

export interface Checklist {
  id: string;
  open: Item[];
  archived: Item[];
  done: number;
}

/** The checklists of a task in the order of their first items, with archived items apart. */
export function checklistsOf(items: readonly Item[]): Checklist[] {
  const lists = new Map<string, Checklist>();
  for (const item of items) {
    const list: Checklist = lists.get(item.checklist) ?? { id: item.checklist, open: [], archived: [], done: 0 };
    lists.set(item.checklist, list);
    (item.isArchived ? list.archived : list.open).push(item);
    if (!item.isArchived && item.isChecked) list.done += 1;
  }
  return [...lists.values()];
}

/** Entries newest first: by the day they are about, then by when they were written. */
export function newestFirst(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => b.on.localeCompare(a.on) || b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id));
}

/** Changes suggested for existing items, by item id. */
export function proposalsByItem(changes: readonly Change[]): Map<string, Change[]> {
  const found = new Map<string, Change[]>();
  for (const change of changes) {
    const field = change.change?.field;
    const id = field?.type === "item" ? field.id : null;
    if (id != null) found.set(id, [...(found.get(id) ?? []), change]);
  }
  return found;
}

export { itemActionOf };

/**
 * Parses a duration as people write it, in minutes: `45`, `1:30`, `1 h 30`, `1h`, `90 min`, `1.5 h`.
 * Returns undefined if it isn't one.
 */
export function readDuration(text: string): number | undefined {
  const normalized = text.trim().toLowerCase().replace(",", ".");
  const clock = /^(\d{1,3}):([0-5]\d)$/.exec(normalized);
  if (clock !== null) return Number(clock[1]) * 60 + Number(clock[2]);
  const words = /^(?:(\d+(?:\.\d+)?)\s*h(?:ours?)?)?\s*(?:(\d+)\s*(?:m(?:in(?:utes?)?)?)?)?$/.exec(normalized);
  if (words === null || normalized === "") return undefined;
  const [, hours, rest] = words;
  return Math.round(Number(hours ?? 0) * 60) + Number(rest ?? 0);
}

/** A line of a diff. */
export interface DiffLine {
  is: "same" | "added" | "removed";
  text: string;
}

/** A larger middle part counts as replaced: comparing every pair of lines would take too long. */
const DIFF_CELLS = 250_000;

/** The difference between two texts, line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, newer] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < newer.length && old[head] === newer[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < newer.length - head && old.at(-1 - tail) === newer.at(-1 - tail)) tail += 1;
  const [a, b] = [old.slice(head, old.length - tail), newer.slice(head, newer.length - tail)];
  const same = (text: string): DiffLine => ({ is: "same", text });
  const middle: DiffLine[] = [];
  if (a.length * b.length > DIFF_CELLS) {
    middle.push(...a.map((text): DiffLine => ({ is: "removed", text })), ...b.map((text): DiffLine => ({ is: "added", text })));
  } else {
    // The longest common subsequence, computed from the end.
    const best = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
    const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) {
        const row = best[i];
        if (row !== undefined) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      }
    }
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) {
        middle.push(same(a[i] ?? ""));
        i += 1;
        j += 1;
      } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) {
        middle.push({ is: "removed", text: a[i] ?? "" });
        i += 1;
      } else {
        middle.push({ is: "added", text: b[j] ?? "" });
        j += 1;
      }
    }
  }
  return [...old.slice(0, head).map(same), ...middle, ...old.slice(old.length - tail).map(same)];
}

/** The catalogue key for how the other task relates to this one. */
export function linkKey(link: Pick<TaskLink, "kind" | "direction">): string {
  return link.kind === "relatesTo" ? link.kind : `${link.kind}.${link.direction}`;
}

export type DueTone = "past" | "soon" | "plain";

/** Overdue dates are past; the next five days are soon. */
export function dueTone(due: string, today: string): DueTone {
  if (due < today) return "past";
  const days = (Date.parse(`${due}T00:00:00Z`) - Date.parse(`${today}T00:00:00Z`)) / 86_400_000;
  return days <= 5 ? "soon" : "plain";
}

/** Whether it is shown before the server has it. */
export const isPending = (part: { id: string }): boolean => part.id.startsWith("new-");

export const idsOf = (parts: readonly { id: string }[]): ReadonlySet<string> => new Set(parts.map((part) => part.id));

/** Adds a pending part, unless the server already has one like it that wasn't known before. */
export function withPending<T extends { id: string }>(parts: T[], known: ReadonlySet<string>, part: T, isLike: (other: T) => boolean): T[] {
  const has = parts.some((other) => !known.has(other.id) && !isPending(other) && isLike(other));
  return has ? parts : [...parts, part];
}
