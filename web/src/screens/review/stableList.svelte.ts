// The rows of a list that doesn't move while the person is working in it.

import { untrack } from "svelte";

import { keyOf, type Change } from "./change";
import type { Decisions } from "./decisions.svelte";
import { stabilize, type Row } from "./stableRows";

export interface StableList {
  readonly rows: readonly Row<Change>[];
  /** New rows that wait to be shown. */
  readonly waiting: number;
  show(): void;
}

export function stableList(open: () => readonly Change[], isHeld: () => boolean, decisions: () => Decisions): StableList {
  let rows = $state.raw<Row<Change>[]>([]);
  let waiting = $state(0);
  const lookedUp = new Set<string>();

  function update(isStill: boolean): void {
    const result = stabilize(
      untrack(() => rows),
      open(),
      keyOf,
      { isHeld: isStill, decidedHere: decisions().decidedHere },
    );
    rows = result.rows;
    waiting = result.waiting;
    for (const row of result.rows) {
      if (!row.isResolved || lookedUp.has(row.key)) continue;
      lookedUp.add(row.key);
      void untrack(() => decisions().loadResolution(row.value));
    }
  }

  $effect.pre(() => update(isHeld()));
  return {
    get rows() {
      return rows;
    },
    get waiting() {
      return waiting;
    },
    show: () => update(false),
  };
}
