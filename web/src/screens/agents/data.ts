// The list of agents: dormant ones first, each group newest first.

import { api, unwrap } from "../../api/client";
import { isAgentEvent } from "../../live/queries";
import type { Query } from "../../live/store.svelte";
import type { Agent } from "../agent/data";

export const LIFECYCLES = ["dormant", "active", "created", "destroyed"] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

/** Units: rows. */
export const PAGE_SIZE = 50;
/** The largest page the server returns. */
const MAX_PAGE = 200;

export interface Roster {
  items: Agent[];
  isWhole: boolean;
}

type Read = (lifecycle: Lifecycle, limit: number, cursor: string | undefined) => Promise<{ items: Agent[]; nextCursor: string | null }>;

/** Loads the lists of these lifecycles one after the other until there are enough rows. */
export async function collect(lifecycles: readonly Lifecycle[], count: number, read: Read): Promise<Roster> {
  const items: Agent[] = [];
  for (const [at, lifecycle] of lifecycles.entries()) {
    let cursor: string | undefined;
    do {
      const left = count - items.length;
      if (left <= 0) return { items, isWhole: false };
      const page = await read(lifecycle, Math.min(MAX_PAGE, left), cursor);
      items.push(...page.items);
      cursor = page.nextCursor ?? undefined;
      if (cursor === undefined && at === lifecycles.length - 1) return { items, isWhole: true };
    } while (cursor !== undefined);
  }
  return { items, isWhole: true };
}

/** The lifecycles that a filter shows; destroyed agents only on request. */
export function lifecyclesOf(filter: Lifecycle | undefined): Lifecycle[] {
  return filter === undefined ? ["dormant", "created", "active"] : [filter];
}

/** Units: milliseconds. Events come in bursts; the list is reloaded at most this often. */
const MIN_INTERVAL = 1_000;
let lastReadAt = 0;

export function roster(filter: Lifecycle | undefined, count: number): Query<Roster> {
  return {
    key: `roster/${filter ?? "all"}/${count}`,
    load: async () => {
      const wait = lastReadAt + MIN_INTERVAL - Date.now();
      if (wait > 0) await new Promise((done) => setTimeout(done, wait));
      lastReadAt = Date.now();
      return collect(lifecyclesOf(filter), count, (lifecycle, limit, cursor) =>
        unwrap(api.GET("/api/agents", { params: { query: { lifecycle, limit, ...(cursor === undefined ? {} : { cursor }) } } })),
      );
    },
    invalidatedBy: isAgentEvent,
  };
}

/** Agents matching these words. */
export function rosterSearch(words: string): Query<Roster> {
  return {
    key: `roster/find/${words}`,
    load: async () => {
      const page = await unwrap(api.GET("/api/agents", { params: { query: { find: words } } }));
      return { items: page.items, isWhole: page.nextCursor === null };
    },
    invalidatedBy: isAgentEvent,
  };
}
