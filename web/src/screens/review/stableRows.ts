// A list that doesn't move under the pointer.
//
// While the pointer or the focus is inside, rows keep their places: a row that is gone stays as a
// placeholder without buttons, and new rows wait until they are requested. What the person does shows at
// once.

export interface Row<T> {
  key: string;
  value: T;
  /** Whether it was decided elsewhere or is no longer suggested. */
  isResolved: boolean;
}

export function stabilize<T>(
  before: readonly Row<T>[],
  now: readonly T[],
  keyOf: (value: T) => string,
  how: { isHeld: boolean; decidedHere: ReadonlySet<string> },
): { rows: Row<T>[]; waiting: number } {
  const fresh = now.map((value) => ({ key: keyOf(value), value, isResolved: false }));
  if (!how.isHeld || before.length === 0) return { rows: fresh, waiting: 0 };
  const current = new Map(fresh.map((row) => [row.key, row]));
  const rows: Row<T>[] = before.flatMap((row) => {
    const still = current.get(row.key);
    if (still !== undefined) return [still];
    return how.decidedHere.has(row.key) ? [] : [{ ...row, isResolved: true }];
  });
  const known = new Set(rows.map((row) => row.key));
  let waiting = 0;
  fresh.forEach((row, at) => {
    if (known.has(row.key)) return;
    if (!how.decidedHere.has(row.key)) {
      waiting += 1;
      return;
    }
    // Undone by the person: insert it after the row that precedes it now.
    const ahead = fresh.slice(0, at).findLast((other) => known.has(other.key));
    const place = ahead === undefined ? 0 : rows.findIndex((other) => other.key === ahead.key) + 1;
    rows.splice(place, 0, row);
    known.add(row.key);
  });
  return { rows, waiting };
}

/** The rows with a removed one back in its place. */
export function insertRow<T>(rows: readonly Row<T>[], key: string, value: T, at: number): Row<T>[] {
  if (rows.some((row) => row.key === key && !row.isResolved)) return [...rows];
  const others = rows.filter((row) => row.key !== key);
  return others.toSpliced(Math.min(at, others.length), 0, { key, value, isResolved: false });
}

/** Where the focus goes when these rows leave: to the next one that stays, otherwise the previous one. */
export function nextFocus(keys: readonly string[], from: string, leaving: ReadonlySet<string>): string | undefined {
  const at = keys.indexOf(from);
  if (at < 0) return undefined;
  return (
    keys.slice(at + 1).find((key) => !leaving.has(key)) ??
    keys.slice(0, at).findLast((key) => !leaving.has(key))
  );
}
