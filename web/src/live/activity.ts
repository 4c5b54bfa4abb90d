// What an agent is doing, in the words of the page.

export type ActivityState = "asleep" | "queued" | "awake" | "dormant" | "failed" | "destroyed";

/** The server says that an agent is `running`; for people it is awake. */
export function activityState(activity: string): ActivityState {
  return activity === "running" ? "awake" : (activity as ActivityState);
}

/** Since when its run goes on. */
export function awakeSince(agent: { activity: string; awakeSince?: string | null }): string | undefined {
  return activityState(agent.activity) === "awake" ? (agent.awakeSince ?? undefined) : undefined;
}

/** Those at work first, the one that began first before the others; then those that wait, by their turn. */
export function byQueueOrder<A extends { activity: string; awakeSince: string | null; dueAt: string | null }>(agents: readonly A[]): A[] {
  const rank = (agent: A): [number, string] =>
    activityState(agent.activity) === "awake" ? [0, agent.awakeSince ?? "~"] : [1, agent.dueAt ?? "~"];
  return [...agents].sort((a, b) => {
    const [[one, at], [other, then]] = [rank(a), rank(b)];
    return one - other || at.localeCompare(then);
  });
}
