// What an agent is doing, in the words of the page.

export type Stand = "asleep" | "queued" | "awake" | "dormant" | "failed" | "destroyed";

/** The server says `running` and `waiting` of its queue; for people an agent is awake or queued. */
export function standOf(activity: string): Stand {
  switch (activity) {
    case "running":
      return "awake";
    case "waiting":
      return "queued";
    default:
      return activity as Stand;
  }
}

/** Since when its run goes on, where the server says so. */
export function awakeSince(agent: { activity: string }): string | undefined {
  const since = (agent as { awakeSince?: unknown }).awakeSince;
  return standOf(agent.activity) === "awake" && typeof since === "string" ? since : undefined;
}
