// Every question that more than one screen asks, with what makes its answer old.

import { api, ask, type Schemas } from "../api/client";
import { byTurn } from "./activity";
import type { LiveEvent } from "./socket";
import type { Question } from "./store.svelte";

/** Something that waits for the person. */
export type Need = Schemas["Attention"];

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
    // Those at work, and those that wait for their turn.
    load: async () => {
      const query = { activity: ["running", "queued"], limit: 50 };
      const page = await ask(api.GET("/api/agents", { params: { query } }));
      return { ...page, items: byTurn(page.items) };
    },
    on: ofAgents,
  }),
  overview: (): Question<Schemas["Overview"]> => ({
    key: "overview",
    load: () => ask(api.GET("/api/overview", {})),
    on: anything,
  }),
  needs: (): Question<Schemas["Page_Attention"]> => ({
    key: "needs",
    load: () => ask(api.GET("/api/needs-attention", { params: { query: { limit: 100 } } })),
    on: anything,
  }),
  reports: (): Question<Schemas["Page_RecentReport"]> => ({
    key: "reports",
    load: () => ask(api.GET("/api/reports", { params: { query: { limit: 5 } } })),
    on: ofAgents,
  }),
};
