// Every question that more than one screen asks, with what makes its answer old.

import { api, ask, type Schemas } from "../api/client";
import { standOf } from "./activity";
import type { LiveEvent } from "./socket";
import type { Question } from "./store.svelte";

/** Something that waits for the person. */
export interface Need {
  id: string;
  kind: string;
  since: string;
  taskId: string | null;
  taskTitle: string | null;
  agentId: string | null;
  agentName: string | null;
  count: number | null;
  expiresAt: string | null;
  text: string | null;
}

/** The latest report of an agent. */
export interface TaskReport {
  id: string;
  agentId: string;
  agentName: string | null;
  taskId: string | null;
  taskTitle: string | null;
  tldr: string | null;
  createdAt: string;
}

/** A route that the document of the server does not tell of yet. */
const get = api.GET as unknown as (
  path: string,
  init: { params: { query: Record<string, unknown> } },
) => Promise<{ data?: never; response: Response }>;

/** An event of an agent, of its runs or of what it proposes. */
export const ofAgents = (event: LiveEvent): boolean =>
  event.type.startsWith("agent:") || event.type.startsWith("change-set:");

/** Any event that touches a task. */
export const touching =
  (task: string) =>
  (event: LiveEvent): boolean =>
    event.tasks.includes(task);

export const anything = (): boolean => true;

export const questions = {
  awake: (): Question<Schemas["Page_Agent"]> => ({
    key: "agents/awake",
    // Those at work and those that wait for their turn, and nobody else.
    load: async () => {
      const query = { activity: "running,waiting", limit: 50 };
      const page = await ask(api.GET("/api/agents", { params: { query: query as never } }));
      const stands = (agent: Schemas["Agent"]): number => (standOf(agent.activity) === "awake" ? 0 : 1);
      const items = page.items.filter((agent) => ["awake", "queued"].includes(standOf(agent.activity)));
      return { ...page, items: items.sort((a, b) => stands(a) - stands(b)) };
    },
    on: ofAgents,
  }),
  overview: (): Question<Schemas["Overview"]> => ({
    key: "overview",
    load: () => ask(api.GET("/api/overview", {})),
    on: anything,
  }),
  needs: (): Question<{ items: Need[]; nextCursor: string | null }> => ({
    key: "needs",
    load: () => ask(get("/api/needs-attention", { params: { query: { limit: 100 } } })),
    on: anything,
  }),
  reports: (): Question<{ items: TaskReport[] }> => ({
    key: "reports",
    load: () => ask(get("/api/reports", { params: { query: { limit: 5 } } })),
    on: ofAgents,
  }),
};
