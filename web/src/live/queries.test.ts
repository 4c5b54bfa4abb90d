import { expect, it } from "vitest";

import { ALL_KINDS } from "./testEventKinds";
import type { LiveEvent } from "./socket";
import { queries } from "./queries";

const event = (type: LiveEvent["type"], ...tasks: string[]): LiveEvent => ({ type, cursor: "", tasks, at: "" });

it("reloads the overview for what moves its counts", () => {
  const { invalidatedBy } = queries.overview();
  expect(ALL_KINDS.filter((type) => invalidatedBy(event(type, "t1"), undefined))).toEqual(["journal:changed", "agent:created", "agent:changed", "agent:wake", "budget:reached", "models:changed"]);
});

it("reloads what needs attention when the server says so, or when a listed task changes", () => {
  const { invalidatedBy } = queries.attention();
  const page = { items: [{ taskId: "t1" }, { taskId: null }] } as unknown as Parameters<typeof invalidatedBy>[1];
  expect(ALL_KINDS.filter((type) => invalidatedBy(event(type, "t2"), page))).toEqual(["needs-attention"]);
  expect(invalidatedBy(event("journal:changed", "t1"), page)).toBe(true);
  expect(invalidatedBy(event("journal:changed", "t1"), undefined)).toBe(false);
});
