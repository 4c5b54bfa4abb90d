// Actions on agent work. A refusal is shown, and everything is read again; the answer of a write is shown
// where the work is, and what else it moved comes with its events.

import { api, idempotencyKey, unwrap, type Schemas } from "../../api/client";
import { asProblem, type Problem } from "../../api/problem";
import { toasts } from "../../app/toasts.svelte";
import { t, type Key } from "../../i18n/index.svelte";
import { wording } from "../../live/dateOrder.svelte";
import { live } from "../../live/store.svelte";
import type { Resource } from "../../live/store.svelte";
import { readsCorrectionNow } from "./rules";
import { queries, type Hook, type Instruction, type Occurrence, type Run, type Template, type Trial, type Work } from "./data";

const header = (): { "Idempotency-Key": string } => ({ "Idempotency-Key": idempotencyKey() });

/** Reads everything again that agent work may have changed. */
function reload(): void {
  live.invalidatePrefix("work/");
  live.invalidatePrefix("attention");
}

/** Puts an answer into a result that is on the screen; another one is read again when it is shown. */
function settle<T>(resource: Resource<T>, edit: (value: T) => T): void {
  if (resource.watchers > 0 && resource.loaded !== undefined) resource.settle(edit(resource.loaded));
  else resource.invalidate();
}

/** Shows a definition as a write left it. */
function takeWork(work: Work): void {
  settle(live.resourceFor(queries.list()), (list) => ({ ...list, items: list.items.map((one) => (one.id === work.id ? work : one)) }));
  settle(live.resourceFor(queries.detail(work.id)), (detail) => ({ ...detail, task: work }));
}

/** Shows a run as a write left it. */
function takeRun(run: Run): void {
  const replace = (runs: Run[]): Run[] => runs.map((one) => (one.id === run.id ? run : one));
  settle(live.resourceFor(queries.detail(run.taskId)), (detail) => ({ ...detail, runs: replace(detail.runs) }));
  settle(live.resourceFor(queries.runs(run.taskId)), (page) => ({ ...page, items: replace(page.items) }));
}

/** Whether it succeeded; a refusal is shown as `label`. Without `take`, everything is read again. */
async function tried<A>(label: Key, values: Record<string, string>, act: () => Promise<A>, take?: (answer: A) => void): Promise<boolean> {
  try {
    const answer = await act();
    (take ?? reload)(answer);
    return true;
  } catch (error) {
    toasts.showRefusal(t(label, values), asProblem(error));
    reload();
    return false;
  }
}

const patch = (id: string, body: Schemas["WorkPatch"]): Promise<Work> =>
  unwrap(api.PATCH("/api/tasks/{work}", { params: { path: { work: id }, header: header() }, body }));

/** Throws: a `Problem`. */
export async function createWork(body: Schemas["WorkParams"]): Promise<Work> {
  const made = await unwrap(api.POST("/api/tasks", { params: { header: header() }, body }));
  reload();
  return made;
}

/**
 * What an instruction means to the rules. Nothing is written.
 *
 * Throws: a `Problem`.
 */
export async function readInstruction(text: string): Promise<Instruction> {
  return unwrap(api.POST("/api/work/read", { body: { text, ...wording() } }));
}

/**
 * What a run with these parameters would come to now. Nothing is written.
 *
 * Throws: a `Problem`.
 */
export async function tryWork(parameters: Parameters): Promise<Trial> {
  return unwrap(api.POST("/api/work/try", { body: { parameters: asObject(parameters), lang: navigator.language } }));
}

/** Work of the gallery, switched on. Throws: a `Problem`. */
export async function switchOn(parameters: Parameters, body: Omit<Schemas["WorkParams"], "parameters">): Promise<Work> {
  return createWork({ ...body, parameters: asObject(parameters) });
}

type Parameters = NonNullable<Template["parameters"]>;

/** The document says of the parameters in a request only that they are an object. */
const asObject = (parameters: Parameters): Record<string, never> => parameters as unknown as Record<string, never>;

/** Throws: a `Problem`. */
export async function editWork(id: string, body: Schemas["WorkPatch"]): Promise<void> {
  takeWork(await patch(id, body));
}

export async function pauseWork(work: Work): Promise<void> {
  const resume = (): void => void tried("work.what.resume", { title: work.title }, () => patch(work.id, { action: "resume" }), takeWork);
  if (await tried("work.what.pause", { title: work.title }, () => patch(work.id, { action: "pause" }), takeWork)) {
    toasts.show(t("work.paused", { title: work.title }), { label: t("do.undo"), run: resume });
  }
}

/** Leaves work that was paused with all out of what resumes all. */
export async function keepPaused(work: Work): Promise<void> {
  if (await tried("work.what.pause", { title: work.title }, () => patch(work.id, { action: "pause" }), takeWork)) {
    toasts.show(t("work.staysPaused", { title: work.title }));
  }
}

export async function resumeWork(work: Work): Promise<void> {
  await tried("work.what.resume", { title: work.title }, () => patch(work.id, { action: "resume" }), takeWork);
}

export async function runWork(work: Work): Promise<void> {
  const start = (): Promise<unknown> => unwrap(api.POST("/api/tasks/{work}/run", { params: { path: { work: work.id }, header: header() } }));
  if (await tried("work.what.run", { title: work.title }, start)) toasts.show(t("work.started", { title: work.title }));
}

/** Leaves out one occurrence, and offers to take that back. */
export async function skipOccurrence(work: Work, one: Occurrence, at: string): Promise<void> {
  const params = { params: { path: { work: work.id, occurrence: one.key }, header: header() } };
  const restore = (): void => void restoreOccurrence(work, one);
  if (await tried("work.what.skip", { at }, () => unwrap(api.POST("/api/tasks/{work}/occurrences/{occurrence}/skip", params)))) {
    toasts.show(t("work.skippedAt", { at }), { label: t("do.undo"), run: restore });
  }
}

/** Why a request was refused, to be said at the field that it is about; undefined if it was taken. */
async function refusalOf(act: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return asProblem(error);
  } finally {
    reload();
  }
}

/** Lets one occurrence happen at another time, in words; returns why it was refused. */
export async function moveOccurrence(work: Work, one: Occurrence, to: string): Promise<Problem | undefined> {
  const params = { path: { work: work.id, occurrence: one.key }, header: header() };
  const send = (): Promise<Work> =>
    unwrap(api.POST("/api/tasks/{work}/occurrences/{occurrence}/move", { params, body: { to, ...wording() } }));
  return refusalOf(send);
}

/** Lets one occurrence happen as the schedule says. */
export async function restoreOccurrence(work: Work, one: Occurrence): Promise<void> {
  const params = { params: { path: { work: work.id, occurrence: one.key }, header: header() } };
  await tried("work.what.restore", { title: work.title }, () => unwrap(api.POST("/api/tasks/{work}/occurrences/{occurrence}/restore", params)));
}

/** Lets nothing of a schedule be due until a time in words; returns why it was refused. */
export async function suspendWork(work: Work, until: string): Promise<Problem | undefined> {
  const params = { path: { work: work.id }, header: header() };
  const send = (): Promise<Work> => unwrap(api.POST("/api/tasks/{work}/suspend", { params, body: { until, ...wording() } }));
  return refusalOf(send);
}

/** Sets which changes of tasks start the work; returns whether it was taken. */
export async function startOnChanges(work: Work, events: readonly object[]): Promise<boolean> {
  const body = { events: events as Schemas["EventFilterParams"][] };
  return tried("work.what.changes", { title: work.title }, () => patch(work.id, body), takeWork);
}

export async function archiveWork(work: Work): Promise<boolean> {
  return tried("work.what.archive", { title: work.title }, () => patch(work.id, { action: "archive" }), takeWork);
}

export async function deleteWork(work: Work): Promise<boolean> {
  const remove = (): Promise<unknown> => unwrap(api.DELETE("/api/tasks/{work}", { params: { path: { work: work.id }, header: header() } }));
  return tried("work.what.delete", { title: work.title }, remove);
}

/** Pauses all agent work that has not ended, and offers to resume it. */
export async function pauseAll(): Promise<void> {
  const resume = (): void => void resumeAll();
  if (await tried("work.what.pauseAll", {}, () => unwrap(api.POST("/api/work/pause-all", {})))) {
    toasts.show(t("work.allPaused"), { label: t("do.undo"), run: resume });
  }
}

/** Resumes what was paused with all agent work; what was paused alone stays paused. */
export async function resumeAll(): Promise<void> {
  await tried("work.what.resumeAll", {}, () => unwrap(api.POST("/api/work/resume-all", {})));
}

/** Tells the work something about how it works; returns whether it was taken. */
export async function correctWork(work: Work, text: string): Promise<boolean> {
  const send = (): Promise<Work> =>
    unwrap(api.POST("/api/tasks/{work}/corrections", { params: { path: { work: work.id }, header: header() }, body: { text } }));
  const isTaken = await tried("work.what.correct", { title: work.title }, send, takeWork);
  if (isTaken) toasts.show(t(readsCorrectionNow(work) ? "work.correctedRun" : "work.correctedLater"));
  return isTaken;
}

export async function cancelRun(run: string, title: string): Promise<void> {
  await tried("work.what.cancel", { title }, () => unwrap(api.POST("/api/runs/{run}/cancel", { params: { path: { run } } })), takeRun);
}

export async function retryRun(run: string, title: string): Promise<boolean> {
  return tried("work.what.retry", { title }, () => unwrap(api.POST("/api/runs/{run}/retry", { params: { path: { run }, header: header() } })), takeRun);
}

export async function reviewRun(run: string, title: string, approve: boolean, reason: string): Promise<boolean> {
  const body = { approve, ...(reason === "" ? {} : { reason }) };
  return tried(approve ? "work.what.approve" : "work.what.decline", { title }, () =>
    unwrap(api.POST("/api/runs/{run}/review", { params: { path: { run }, header: header() }, body })),
    takeRun,
  );
}

/** Answers a question; it can be answered once. */
export async function answerQuestion(question: string, title: string, answer: string): Promise<boolean> {
  const send = (): Promise<unknown> =>
    unwrap(api.POST("/api/questions/{question}/answer", { params: { path: { question }, header: header() }, body: { answer } }));
  return tried("work.what.answer", { title }, send);
}

/** A new hook with its secret, which is shown this once. Throws: a `Problem`. */
export async function addHook(work: Work, body: Schemas["HookParams"]): Promise<Schemas["CreatedWorkHook"]> {
  const made = await unwrap(api.POST("/api/tasks/{work}/hooks", { params: { path: { work: work.id } }, body }));
  reload();
  return made;
}

/** A new secret of a hook, which is shown this once. Throws: a `Problem`. */
export async function rotateHook(work: Work, hook: Hook, endOld: boolean): Promise<Schemas["CreatedWorkHook"]> {
  const made = await unwrap(api.POST("/api/tasks/{work}/hooks/{hook}/rotate", { params: { path: { work: work.id, hook: hook.id } }, body: { endOld } }));
  reload();
  return made;
}

export async function removeHook(work: Work, hook: Hook): Promise<void> {
  const remove = (): Promise<unknown> => unwrap(api.DELETE("/api/tasks/{work}/hooks/{hook}", { params: { path: { work: work.id, hook: hook.id } } }));
  await tried("work.what.removeHook", { name: hook.name }, remove);
}
