// What the review asks the server.

import { api, ask, type Schemas } from "../../api/client";
import { t } from "../../i18n/index.svelte";
import { touchesTask } from "../../live/queries";
import type { Query } from "../../live/store.svelte";
import type { Change } from "./change";

export type Set = Schemas["ChangeSet"];
export type Verdict = "confirm" | "reject" | "defer" | "undo";

/** What became of one of many verdicts. */
export interface DecisionResult {
  set: string;
  index: number;
  outcome?: Schemas["Outcome"];
  problem?: { type: string; title: string; status: number; detail?: string | null };
}

/** The open items of a task, of all sets, in the order they are read. */
export const changesQuery = (task: string): Query<Change[]> => ({
  key: `changes/${task}`,
  load: async () => {
    const page = await ask(api.GET("/api/journal/tasks/{task}/changes", { params: { path: { task } } }));
    return page.items.map((item) => ({
      ...item,
      runKey: item.runKey ?? undefined,
      agentName: item.agentName ?? t("review.agent"),
    }));
  },
  invalidatedBy: touchesTask(task),
});

/** A set with all its items, also those that are decided. */
export function readSet(set: string): Promise<Set> {
  return ask(api.GET("/api/change-sets/{set}", { params: { path: { set } } }));
}

export function verdictPath(change: { set: string; index: number }, verdict: Verdict): string {
  return `/api/change-sets/${change.set}/items/${change.index}/${verdict}`;
}

export function decisionsPath(task: string): string {
  return `/api/journal/tasks/${task}/decisions`;
}
