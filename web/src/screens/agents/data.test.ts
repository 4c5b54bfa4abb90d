import { expect, it } from "vitest";

import type { Agent } from "../agent/data";
import { collect, type Lifecycle } from "./data";

const lists: Record<Lifecycle, number> = { dormant: 3, created: 0, active: 4, destroyed: 9 };

/** Pages of two, so that each list has several. */
async function read(lifecycle: Lifecycle, limit: number, cursor: string | undefined): Promise<{ items: Agent[]; nextCursor: string | null }> {
  const from = Number(cursor ?? 0);
  const to = Math.min(lists[lifecycle], from + Math.min(limit, 2));
  const items = Array.from({ length: to - from }, (_, at) => ({ id: `${lifecycle[0]}${from + at}` }) as Agent);
  return { items, nextCursor: to < lists[lifecycle] ? String(to) : null };
}

it.each([
  [2, "d0 d1", false],
  [3, "d0 d1 d2", false],
  [5, "d0 d1 d2 a0 a1", false],
  [7, "d0 d1 d2 a0 a1 a2 a3", true],
  [99, "d0 d1 d2 a0 a1 a2 a3", true],
])("loads one list after the other until there are %i agents", async (count, ids, isWhole) => {
  const roster = await collect(["dormant", "created", "active"], count, read);
  expect([roster.items.map((agent) => agent.id).join(" "), roster.isWhole]).toEqual([ids, isWhole]);
});
