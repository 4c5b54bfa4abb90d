import { expect, it } from "vitest";

import type { Schemas } from "../api/client";
import { awakeSince, byQueueOrder, activityState } from "./activity";

type Activity = Schemas["AgentActivity"];

const agent = (id: string, activity: Activity, awakeSince: string | null = null, dueAt: string | null = null) => ({ id, activity, awakeSince, dueAt });

it("calls a running agent awake, and keeps the server's word for the rest", () => {
  const activities = ["running", "queued", "asleep", "dormant"] as const;
  expect(activities.map(activityState)).toEqual(["awake", "queued", "asleep", "dormant"]);
});

it("knows since when only for a running agent", () => {
  expect(awakeSince(agent("a", "running", "2026-03-02T09:00:00Z"))).toBe("2026-03-02T09:00:00Z");
  expect(awakeSince(agent("a", "running"))).toBeUndefined();
  expect(awakeSince(agent("a", "asleep", "2026-03-02T09:00:00Z"))).toBeUndefined();
});

it("sorts running agents by how long they run, then queued ones by their turn", () => {
  const agents = [
    agent("later", "queued", null, "2026-03-02T09:02:00Z"),
    agent("young", "running", "2026-03-02T09:01:00Z"),
    agent("next", "queued", null, "2026-03-02T09:01:30Z"),
    agent("old", "running", "2026-03-02T08:59:00Z"),
  ];
  expect(byQueueOrder(agents).map((one) => one.id)).toEqual(["old", "young", "next", "later"]);
});
