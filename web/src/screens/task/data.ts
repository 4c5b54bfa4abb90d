// The queries of the task page.

import { api, unwrap, type Schemas } from "../../api/client";
import { asProblem } from "../../api/problem";
import { isAgentEvent, isOneOf, touchesTask } from "../../live/queries";
import type { Query } from "../../live/store.svelte";

export type Task = Schemas["Task"];
/** A linked task and its relation to this one. */
export type TaskLink = Schemas["TaskLink"];
export type Agent = Schemas["Agent"];
export type Report = Schemas["Report"];
export type Item = Schemas["Item"];
export type Entry = Schemas["Entry"];
export type Activity = Schemas["Activity"];
export type Status = Schemas["Status"];
export type Priority = Schemas["Priority"];
export interface Named {
  id: string;
  name: string;
}

export async function readTask(id: string): Promise<Task> {
  return (await unwrap(api.GET("/api/journal/tasks/{task}", { params: { path: { task: id } } }))) as Task;
}

export const queries = {
  task: (id: string): Query<Task> => ({
    key: `task/${id}`,
    load: () => readTask(id),
    revisionOf: (task) => task.revision,
    // What its agent does by itself is not on the task; what it suggests has events of its own.
    invalidatedBy: (event) => touchesTask(id)(event) && !isOneOf(event, "agent:wake", "agent:report", "agent:message"),
  }),
  agent: (task: string, agent: string): Query<Agent> => ({
    key: `agent-of/${task}/${agent}`,
    load: () => unwrap(api.GET("/api/agents/{agent}", { params: { path: { agent } } })),
    invalidatedBy: (event) => event.subject === agent || (touchesTask(task)(event) && (isAgentEvent(event) || isOneOf(event, "journal:changed"))),
  }),
  /** The latest report; `null` if there is none. */
  report: (task: string, agent: string): Query<Report | null> => ({
    key: `report/${agent}`,
    load: async () => {
      try {
        return await unwrap(api.GET("/api/agents/{agent}/report", { params: { path: { agent } } }));
      } catch (error) {
        const problem = asProblem(error);
        if (problem.status === 404) return null;
        throw problem;
      }
    },
    invalidatedBy: (event) => isAgentEvent(event) && (event.subject === agent || touchesTask(task)(event)),
  }),
  activity: (task: string): Query<Activity[]> => ({
    key: `activity/${task}`,
    load: async () => (await unwrap(api.GET("/api/journal/tasks/{task}/activity", { params: { path: { task } } }))).items,
    invalidatedBy: touchesTask(task),
  }),
};

export interface ReportPage {
  items: Report[];
  nextCursor: string | null;
}

/** The reports of an agent, newest first, by page. */
export async function readReports(agent: string, cursor: string | undefined): Promise<ReportPage> {
  const query = { limit: 20, ...(cursor === undefined ? {} : { cursor }) };
  const page = await unwrap(api.GET("/api/agents/{agent}/reports", { params: { path: { agent }, query } }));
  return { items: page.items, nextCursor: page.nextCursor ?? null };
}

export interface Found {
  id: string;
  title: string;
  status: Status;
  private: boolean;
}

/** Tasks whose text contains these words. */
export async function findTasks(words: string): Promise<Found[]> {
  const query = { q: words, limit: 12 };
  return (await unwrap(api.GET("/api/journal/tasks", { params: { query } }))).items;
}
