// The rows of a list that does not move under the hand, kept current.

import { untrack } from "svelte";

import { keyOf, type Change } from "./change";
import type { Deciding } from "./deciding.svelte";
import { settled, type Row } from "./steady";

export interface Held {
  readonly rows: readonly Row<Change>[];
  /** New ones that wait to be shown. */
  readonly waiting: number;
  show(): void;
}

export function held(open: () => readonly Change[], isHeld: () => boolean, deciding: () => Deciding): Held {
  let rows = $state.raw<Row<Change>[]>([]);
  let waiting = $state(0);
  const asked = new Set<string>();

  function follow(isStill: boolean): void {
    const result = settled(
      untrack(() => rows),
      open(),
      keyOf,
      { isHeld: isStill, mine: deciding().mine },
    );
    rows = result.rows;
    waiting = result.waiting;
    for (const row of result.rows) {
      if (!row.isGone || asked.has(row.key)) continue;
      asked.add(row.key);
      void untrack(() => deciding().learn(row.value));
    }
  }

  $effect.pre(() => follow(isHeld()));
  return {
    get rows() {
      return rows;
    },
    get waiting() {
      return waiting;
    },
    show: () => follow(false),
  };
}
