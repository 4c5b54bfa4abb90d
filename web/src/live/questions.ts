// Every question that more than one screen asks, with what makes its answer old.

import { api, ask, type Schemas } from "../api/client";
import type { LiveEvent } from "./socket";
import type { Question } from "./store.svelte";

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
    load: () => ask(api.GET("/api/agents", {})),
    on: ofAgents,
  }),
};
