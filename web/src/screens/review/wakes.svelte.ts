// The wake that proposed an item: its agent is named by the item, or by its set.

import { watch } from "../../live/store.svelte";
import type { Change } from "./change";
import { setsOf } from "./data";

export interface Wakes {
  /** The address of the wake; none while it is not known whose it is. */
  of(change: Change): string | undefined;
}

export function wakesOf(task: () => string, changes: () => readonly Change[] | undefined): Wakes {
  const isAsked = $derived((changes() ?? []).some((change) => change.agentId === undefined));
  const sets = watch(() => (isAsked ? setsOf(task()) : undefined));
  const agents = $derived(new Map((sets.value ?? []).map((set) => [set.id as string, set.agentId])));
  return {
    of(change) {
      const agent = change.agentId ?? agents.get(change.set);
      return agent === undefined || change.runKey === undefined ? undefined : `/agents/${agent}/wakes?run=${encodeURIComponent(change.runKey)}`;
    },
  };
}
