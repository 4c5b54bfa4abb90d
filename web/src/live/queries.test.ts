import { expect, it } from "vitest";

import type { EventKind, LiveEvent } from "./socket";
import { queries } from "./queries";

const event = (type: LiveEvent["type"], ...tasks: string[]): LiveEvent => ({ type, cursor: "", tasks, at: "" });
// A record, so that a kind that is missing here does not compile.
const KINDS: Record<EventKind | "needs-attention", true> = {
  "journal:changed": true,
  "agent:created": true,
  "agent:changed": true,
  "agent:wake": true,
  "agent:report": true,
  "agent:message": true,
  "change-set:created": true,
  "change-set:item": true,
  "provider:away": true,
  "provider:back": true,
  "budget:reached": true,
  "models:changed": true,
  "task:created": true,
  "task:status": true,
  "task:log": true,
  "task:needs-attention": true,
  "conversation:changed": true,
  "needs-attention": true,
};
const TYPES = Object.keys(KINDS);

it("reloads the overview for what moves its counts", () => {
  const { invalidatedBy } = queries.overview();
  expect(TYPES.filter((type) => invalidatedBy(event(type, "t1"), undefined))).toEqual(["journal:changed", "agent:created", "agent:changed", "agent:wake", "budget:reached", "models:changed"]);
});

it("reloads what needs attention when the server says so, or when a listed task changes", () => {
  const { invalidatedBy } = queries.attention();
  const page = { items: [{ taskId: "t1" }, { taskId: null }] } as unknown as Parameters<typeof invalidatedBy>[1];
  expect(TYPES.filter((type) => invalidatedBy(event(type, "t2"), page))).toEqual(["needs-attention"]);
  expect(invalidatedBy(event("journal:changed", "t1"), page)).toBe(true);
  expect(invalidatedBy(event("journal:changed", "t1"), undefined)).toBe(false);
});
