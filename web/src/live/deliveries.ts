// Notices to the person about agent work: shown once, whatever the number of open pages, and read when they
// open the work.

import { api, unwrap, type Schemas } from "../api/client";
import { isOneOf } from "./queries";
import type { Query } from "./store.svelte";

export type Delivery = Schemas["Delivery"];

/** Units: rows. Older ones wait for the next load. */
const AT_ONCE = 50;

async function load(): Promise<Delivery[]> {
  const query = { state: "pending" as const, limit: AT_ONCE };
  return (await unwrap(api.GET("/api/deliveries", { params: { query } }))).items.reverse();
}

/** What nothing has shown yet, oldest first. */
export const pending = (): Query<Delivery[]> => ({
  key: "deliveries/pending",
  load,
  invalidatedBy: (event) => isOneOf(event, "delivery:changed"),
});

/** The pages of one browser take turns, so that the second finds nothing left. Plain HTTP has no locks. */
async function inTurn(act: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  await (locks === undefined ? act() : locks.request("dormouse/deliveries", act));
}

/** Those that this page has shown, in case that cannot be written. */
const shown = new Set<string>();

/**
 * Shows what nothing has shown yet, and says so to the server. What needs the person is in the list of that, so
 * only results are handed to `show`.
 */
export async function tell(show: (results: Delivery[]) => void): Promise<void> {
  await inTurn(async () => {
    const all = (await load()).filter((one) => !shown.has(one.id));
    for (const one of all) shown.add(one.id);
    const results = all.filter((one) => one.kind === "result" && one.title !== null);
    if (results.length > 0) show(results);
    for (const { id } of all) {
      const at = { params: { path: { delivery: id } } };
      await unwrap(api.PUT("/api/deliveries/{delivery}/state", { ...at, body: { state: "delivered" } }));
    }
  });
}

/** One result of each piece of work, apart from the work whose page is shown. */
export function worksWithResults(results: readonly Delivery[], shown: string | undefined): Delivery[] {
  const seen = new Set(shown === undefined ? [] : [shown]);
  return results.filter((one) => !seen.has(one.taskId) && seen.add(one.taskId));
}

/** The person looks at agent work: nothing that there is to tell of it is unread. */
export async function markRead(work: string): Promise<void> {
  await unwrap(api.POST("/api/tasks/{work}/deliveries/read", { params: { path: { work } } }));
}
