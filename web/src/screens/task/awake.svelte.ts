// Since when an agent is awake: the start of its run.

import { api, ask } from "../../api/client";
import { ofAgents } from "../../live/questions";
import { watch } from "../../live/store.svelte";
import type { Agent } from "./data";
import { stateOf } from "./rules";

/** The start of the run that goes on; none while the agent sleeps. */
export function awakeSince(agent: () => Agent | undefined): { readonly value: string | undefined } {
  const newest = watch(() => {
    const now = agent();
    if (now === undefined || stateOf(now) !== "awake") return undefined;
    return {
      key: `awake-since/${now.id}`,
      load: () => ask(api.GET("/api/agents/{agent}/wakes", { params: { path: { agent: now.id }, query: { limit: 3 } } })),
      on: (event) => ofAgents(event) && event.subject === now.id,
    };
  });
  return {
    get value() {
      return newest.value?.items.find((wake) => wake.status === "started")?.startedAt ?? undefined;
    },
  };
}
