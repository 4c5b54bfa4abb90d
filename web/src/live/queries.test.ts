import { expect, it } from "vitest";

import type { LiveEvent } from "./socket";
import { queries } from "./queries";

const event = (type: string, ...tasks: string[]): LiveEvent => ({ type, cursor: "", tasks, at: "" });
const TYPES = ["journal:changed", "agent:wake", "agent:report", "agent:message", "agent:created", "agent:changed", "change-set:created", "change-set:item", "provider:down", "needs-attention"];

it("reloads the overview for what moves its counts", () => {
  const { invalidatedBy } = queries.overview();
  expect(TYPES.filter((type) => invalidatedBy(event(type, "t1"), undefined))).toEqual(["journal:changed", "agent:wake", "agent:created", "agent:changed"]);
});

it("reloads what needs attention when the server says so, or when a listed task changes", () => {
  const { invalidatedBy } = queries.attention();
  const page = { items: [{ taskId: "t1" }, { taskId: null }] } as unknown as Parameters<typeof invalidatedBy>[1];
  expect(TYPES.filter((type) => invalidatedBy(event(type, "t2"), page))).toEqual(["needs-attention"]);
  expect(invalidatedBy(event("journal:changed", "t1"), page)).toBe(true);
  expect(invalidatedBy(event("journal:changed", "t1"), undefined)).toBe(false);
});
