// The queries about agent work.

import { api, unwrap, type Schemas } from "../../api/client";
import type { AttentionItem } from "../../live/queries";
import type { LiveEvent } from "../../live/socket";
import type { Query } from "../../live/store.svelte";
import type { Paged } from "../agent/data";
import { readRow, type Row } from "../tasks/data";

export type Work = Schemas["AgentWork"];
export type WorkDetail = Schemas["AgentWorkDetail"];
export type Run = Schemas["WorkRun"];
export type RunState = Schemas["RunState"];
export type Question = Schemas["WorkQuestion"];
export type LogLine = Schemas["WorkLogLine"];
export type SchedulePreview = Schemas["SchedulePreview"];

export type Occurrence = Schemas["WorkOccurrence"];

export type Hook = Schemas["WorkHook"];
export type HookForm = Schemas["HookForm"];

export type Template = Schemas["WorkTemplate"];
export type Instruction = Schemas["WorkInstruction"];
export type Trial = Schemas["WorkTrial"];

/** Units: rows. The largest page the server returns. */
const MAX_PAGE = 200;
/** Units: rows. More than this is not listed, and the page says so. */
const MAX_LISTED = 1_000;
/** Units: runs. */
const RUNS_PAGE = 30;

/** An event that moves agent work or one of its runs. A turn of a log moves only the log. */
export const isWorkEvent = (event: LiveEvent): boolean => event.type.startsWith("task:") && event.type !== "task:log";

export async function readRuns(work: string, cursor?: string): Promise<Paged<Run>> {
  const query = { limit: RUNS_PAGE, ...(cursor === undefined ? {} : { cursor }) };
  return await unwrap(api.GET("/api/tasks/{work}/runs", { params: { path: { work }, query } }));
}

export const queries = {
  /** What needs no language model. It changes only with the program; its next times change by themselves. */
  gallery: (): Query<Template[]> => ({
    key: "work/gallery",
    load: async () => (await unwrap(api.GET("/api/work/gallery", { params: { query: { lang: navigator.language } } }))).items,
    invalidatedBy: () => false,
  }),
  list: (): Query<{ items: Work[]; isWhole: boolean }> => ({
    key: "work/list",
    load: async () => {
      const items: Work[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: MAX_PAGE, ...(cursor === undefined ? {} : { cursor }) };
        const page = await unwrap(api.GET("/api/tasks", { params: { query } }));
        items.push(...page.items);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && items.length < MAX_LISTED);
      return { items, isWhole: cursor === undefined };
    },
    invalidatedBy: isWorkEvent,
  }),
  detail: (id: string): Query<WorkDetail> => ({
    key: `work/one/${id}`,
    load: () => unwrap(api.GET("/api/tasks/{work}", { params: { path: { work: id } } })),
    invalidatedBy: isWorkEvent,
  }),
  /** The tasks of these ids, in their order; those that are gone have no row. */
  tasks: (ids: readonly string[]): Query<{ id: string; row: Row | undefined }[]> => ({
    key: `work/tasks/${ids.join(",")}`,
    load: () => Promise.all(ids.map(async (id) => ({ id, row: await readRow(id) }))),
    invalidatedBy: (event) => event.tasks.some((task) => ids.includes(task)),
  }),
  /** Everything that waits for the person. */
  attention: (): Query<AttentionItem[]> => ({
    key: "attention/all",
    load: async () => {
      const items: AttentionItem[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: MAX_PAGE, ...(cursor === undefined ? {} : { cursor }) };
        const page = await unwrap(api.GET("/api/needs-attention", { params: { query } }));
        items.push(...page.items);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && items.length < MAX_LISTED);
      return items;
    },
    invalidatedBy: (event) => event.type === "needs-attention",
  }),
  runs: (id: string): Query<Paged<Run>> => ({
    key: `work/runs/${id}`,
    load: () => readRuns(id),
    invalidatedBy: isWorkEvent,
  }),
  occurrences: (id: string): Query<Schemas["WorkOccurrences"]> => ({
    key: `work/occurrences/${id}`,
    load: () => unwrap(api.GET("/api/tasks/{work}/occurrences", { params: { path: { work: id } } })),
    // The zone of the workspace may have changed.
    invalidatedBy: (event) => isWorkEvent(event) || event.type === "settings:changed",
  }),
  hooks: (id: string): Query<Paged<Hook>> => ({
    key: `work/hooks/${id}`,
    load: () => unwrap(api.GET("/api/tasks/{work}/hooks", { params: { path: { work: id } } })),
    invalidatedBy: isWorkEvent,
  }),
  /** The lines of a run. It grows with each turn, and ends with the run. */
  log: (run: Run): Query<LogLine[]> => ({
    key: `work/log/${run.id}/${run.runState}`,
    load: async () => (await unwrap(api.GET("/api/runs/{run}/log", { params: { path: { run: run.id } } }))).items,
    invalidatedBy: (event) => event.type.startsWith("task:"),
  }),
};
