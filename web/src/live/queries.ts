// Every question that more than one screen asks, with what makes its answer old.

import { api, ask, type Schemas } from "../api/client";
import { byQueueOrder } from "./activity";
import type { LiveEvent } from "./socket";
import type { Query } from "./store.svelte";

/** Something that waits for the person. */
export type AttentionItem = Schemas["Attention"];

/** An event of an agent, of its runs or of what it proposes. */
export const isAgentEvent = (event: LiveEvent): boolean =>
  event.type.startsWith("agent:") || event.type.startsWith("change-set:");

/** Any event that touches a task. */
export const touchesTask =
  (task: string) =>
  (event: LiveEvent): boolean =>
    event.tasks.includes(task);

export const anything = (): boolean => true;

export const queries = {
  awake: (): Query<Schemas["Page_Agent"]> => ({
    key: "agents/awake",
    // Those at work, and those that wait for their turn.
    load: async () => {
      const query = { activity: ["running", "queued"], limit: 50 };
      const page = await ask(api.GET("/api/agents", { params: { query } }));
      return { ...page, items: byQueueOrder(page.items) };
    },
    invalidatedBy: isAgentEvent,
  }),
  overview: (): Query<Schemas["Overview"]> => ({
    key: "overview",
    load: () => ask(api.GET("/api/overview", {})),
    invalidatedBy: anything,
  }),
  attention: (): Query<Schemas["Page_Attention"]> => ({
    key: "needs",
    load: () => ask(api.GET("/api/needs-attention", { params: { query: { limit: 100 } } })),
    invalidatedBy: anything,
  }),
  reports: (): Query<Schemas["Page_RecentReport"]> => ({
    key: "reports",
    load: () => ask(api.GET("/api/reports", { params: { query: { limit: 5 } } })),
    invalidatedBy: isAgentEvent,
  }),
};
