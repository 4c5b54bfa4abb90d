// The loaded segments of the list, and how newer ones are merged into them.

import type { Row } from "./data";
import { dueGroup, type Segment } from "./filters";

export interface LoadedSegment {
  segment: Segment;
  rows: readonly Row[];
  /** Where its next page starts; null if it is complete. */
  next: string | null;
}

/** The segment with edited rows; the same object if nothing changed. */
export function applyEdits(part: LoadedSegment, edits: ReadonlyMap<string, Partial<Row>>): LoadedSegment {
  let isChanged = false;
  const rows = part.rows.map((row) => {
    const edit = edits.get(row.id);
    if (edit === undefined) return row;
    isChanged = true;
    // Only a search knows where a row matched.
    return { ...row, ...edit, match: edit.match ?? row.match ?? null };
  });
  return isChanged ? { ...part, rows } : part;
}

/** The rows shown, in their order, with newer values. */
export function keepOrder(shown: readonly LoadedSegment[], newer: readonly LoadedSegment[]): LoadedSegment[] {
  const values = new Map(newer.flatMap((part) => part.rows.map((row) => [row.id, row] as const)));
  return shown.map((part) => applyEdits(part, values));
}

/** The segment without these rows; the same object if it has none of them. */
export function dropRows(part: LoadedSegment, ids: ReadonlySet<string>): LoadedSegment {
  const rows = part.rows.filter((row) => !ids.has(row.id));
  return rows.length === part.rows.length ? part : { ...part, rows };
}

/** Rows that are shown but were not in the reload. */
export function missingIds(shown: readonly LoadedSegment[], newer: readonly LoadedSegment[]): string[] {
  const known = new Set(newer.flatMap((part) => part.rows.map((row) => row.id)));
  return shown.flatMap((part) => part.rows.map((row) => row.id)).filter((id) => !known.has(id));
}

/** Rows of the reload that are not shown. */
export function countNew(shown: readonly LoadedSegment[], newer: readonly LoadedSegment[]): number {
  const known = new Set(shown.flatMap((part) => part.rows.map((row) => row.id)));
  let count = 0;
  for (const part of newer) {
    // The reload may contain more of a segment than was shown; rows beyond its end are not new.
    const before = shown.find((one) => one.segment.key === part.segment.key);
    const last = before?.rows.at(-1)?.id;
    const end = before === undefined || before.next === null ? -1 : part.rows.findIndex((row) => row.id === last);
    const rows = end === -1 ? part.rows : part.rows.slice(0, end);
    count += rows.filter((row) => !known.has(row.id)).length;
  }
  return count;
}

export interface RowGroup {
  key: string;
  rows: readonly Row[];
  isWhole: boolean;
}

/** The groups to show: one per segment, or by due date within the segment sorted by it. */
export function groupsOf(segments: readonly LoadedSegment[], now: Date): RowGroup[] {
  return segments
    .flatMap((part): RowGroup[] => {
      if (part.segment.key !== "due") {
        return [{ key: part.segment.key, rows: part.rows, isWhole: part.next === null }];
      }
      const groups = new Map<string, Row[]>([["overdue", []], ["week", []], ["later", []], ["none", []]]);
      for (const row of part.rows) groups.get(dueGroup(row.dueOn, now))?.push(row);
      const filled = [...groups].filter(([, rows]) => rows.length > 0);
      return filled.map(([key, rows], at) => ({
        key,
        rows,
        isWhole: part.next === null || at < filled.length - 1,
      }));
    })
    .filter((group) => group.rows.length > 0);
}
