// What an agent is doing.

import type { Schemas } from "../api/client";

export type ActivityState = "asleep" | "queued" | "awake" | "dormant" | "failed" | "destroyed";

/** The API calls a working agent `running`; the app calls it awake. */
export function activityState(activity: Schemas["RowActivity"] | ActivityState): ActivityState {
  return activity === "running" ? "awake" : activity;
}

/** When its current run started, if it is running. */
export function awakeSince(agent: { activity: Schemas["AgentActivity"]; awakeSince?: string | null }): string | undefined {
  return activityState(agent.activity) === "awake" ? (agent.awakeSince ?? undefined) : undefined;
}

/** Running agents first, the longest running on top; then queued ones, in the order of their turn. */
export function byQueueOrder<A extends { activity: Schemas["AgentActivity"]; awakeSince: string | null; dueAt: string | null }>(agents: readonly A[]): A[] {
  const rank = (agent: A): [number, string] =>
    activityState(agent.activity) === "awake" ? [0, agent.awakeSince ?? "~"] : [1, agent.dueAt ?? "~"];
  return [...agents].sort((a, b) => {
    const [[one, at], [other, then]] = [rank(a), rank(b)];
    return one - other || at.localeCompare(then);
  });
}
