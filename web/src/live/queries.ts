// The queries that several screens share, with the events that invalidate them.

import { api, unwrap, type Schemas } from "../api/client";
import { byQueueOrder } from "./activity";
import type { EventKind, LiveEvent } from "./socket";
import type { Query } from "./store.svelte";

/** Something that needs the person's attention. */
export type AttentionItem = Schemas["Attention"];

/** An event about an agent, its runs or its suggestions. */
export const isAgentEvent = (event: LiveEvent): boolean =>
  event.type.startsWith("agent:") || event.type.startsWith("change-set:");

/** An event that touches this task. */
export const touchesTask =
  (task: string) =>
  (event: LiveEvent): boolean =>
    event.tasks.includes(task);

/** An event of one of these kinds. */
export const isOneOf = (event: LiveEvent, ...kinds: EventKind[]): boolean => kinds.some((kind) => kind === event.type);

/** What moves the number of tasks, of agents in each state, and of queued wakes. */
const OVERVIEW_EVENTS: EventKind[] = ["journal:changed", "agent:created", "agent:changed", "agent:wake", "budget:reached", "models:changed"];

export const queries = {
  awake: (): Query<Schemas["Page_Agent"]> => ({
    key: "agents/awake",
    // Running agents, and those whose wake is due.
    load: async () => {
      const activity: Schemas["AgentActivity"][] = ["running", "queued"];
      const query = { activity, limit: 50 };
      const page = await unwrap(api.GET("/api/agents", { params: { query } }));
      return { ...page, items: byQueueOrder(page.items) };
    },
    invalidatedBy: isAgentEvent,
  }),
  overview: (): Query<Schemas["Overview"]> => ({
    key: "overview",
    load: () => unwrap(api.GET("/api/overview", {})),
    invalidatedBy: (event) => isOneOf(event, ...OVERVIEW_EVENTS),
  }),
  attention: (): Query<Schemas["Page_Attention"]> => ({
    key: "attention",
    load: () => unwrap(api.GET("/api/needs-attention", { params: { query: { limit: 100 } } })),
    // The server says when the list may have changed. A change to a listed task may be a new title.
    invalidatedBy: (event, page) =>
      event.type === "needs-attention" || (page?.items.some((item) => item.taskId !== null && event.tasks.includes(item.taskId)) ?? false),
  }),
  reports: (): Query<Schemas["Page_RecentReport"]> => ({
    key: "reports",
    load: () => unwrap(api.GET("/api/reports", { params: { query: { limit: 5 } } })),
    invalidatedBy: isAgentEvent,
  }),
};
