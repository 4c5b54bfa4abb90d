// The queries of the review.

import { api, unwrap, type Schemas } from "../../api/client";
import { t } from "../../i18n/index.svelte";
import { isOneOf, touchesTask } from "../../live/queries";
import type { Query } from "../../live/store.svelte";
import type { Change } from "./change";

export type Set = Schemas["ChangeSet"];
export type Verdict = Schemas["VerdictName"];

/** The result of one of several decisions. */
export type DecisionResult = Schemas["Decided"];

/** The answer to several decisions. */
export type DecisionAnswer = Schemas["DecidedItems"];

/** The open changes of a task from all change sets, in reading order. */
export const changesQuery = (task: string): Query<Change[]> => ({
  key: `changes/${task}`,
  load: async () => asChanges((await unwrap(api.GET("/api/journal/tasks/{task}/changes", { params: { path: { task } } }))).items),
  // What an agent does moves no suggestion; what it suggests has events of its own.
  invalidatedBy: (event) => touchesTask(task)(event) && !isOneOf(event, "agent:wake", "agent:report", "agent:message", "agent:created"),
});

function asChanges(items: Schemas["TaskChange"][]): Change[] {
  return items.map((item) => ({ ...item, runKey: item.runKey ?? undefined, agentName: item.agentName ?? t("review.agent") }));
}

/** An answer to decisions on the changes of a task; none of the kind if the request had none. */
type Answer = Partial<Pick<DecisionAnswer, "open">> | undefined;

const cursorOf = (answer: unknown): string | undefined => (answer as Answer)?.open?.cursor;

/** How the answer to a decision updates the list of open changes, so that it need not be loaded again. */
export const fromDecision = {
  fromAnswer: (answer: unknown): Change[] | undefined => {
    const open = (answer as Answer)?.open;
    return open == null ? undefined : asChanges(open.items);
  },
  cursorOf,
};

/** How it updates the task. */
export const taskFromDecision = {
  fromAnswer: (answer: unknown): Schemas["Task"] | undefined => (answer as Answer)?.open?.task,
  cursorOf,
};

/** A change set with all its items, including decided ones. */
export function readSet(set: string): Promise<Set> {
  return unwrap(api.GET("/api/change-sets/{set}", { params: { path: { set } } }));
}

export function verdictPath(change: { set: string; index: number }, verdict: Verdict): string {
  return `/api/change-sets/${change.set}/items/${change.index}/${verdict}`;
}

export function decisionsPath(task: string): string {
  return `/api/journal/tasks/${task}/decisions`;
}
