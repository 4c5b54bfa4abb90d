// What the page of a task asks the server.

import { api, ask, type Schemas } from "../../api/client";
import { asProblem } from "../../api/problem";
import { ofAgents, touching } from "../../live/questions";
import type { Question } from "../../live/store.svelte";

export type Task = Schemas["Task"];
/** Another task, and what it is to this one. */
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
  return (await ask(api.GET("/api/journal/tasks/{task}", { params: { path: { task: id } } }))) as Task;
}

export const questions = {
  task: (id: string): Question<Task> => ({
    key: `task/${id}`,
    load: () => readTask(id),
    on: touching(id),
  }),
  agent: (task: string, agent: string): Question<Agent> => ({
    key: `agent-of/${task}/${agent}`,
    load: () => ask(api.GET("/api/agents/{agent}", { params: { path: { agent } } })),
    on: (event) => event.subject === agent || (touching(task)(event) && (ofAgents(event) || event.type === "journal:changed")),
  }),
  /** The latest report; `null` while there is none. */
  report: (task: string, agent: string): Question<Report | null> => ({
    key: `report/${agent}`,
    load: async () => {
      try {
        return await ask(api.GET("/api/agents/{agent}/report", { params: { path: { agent } } }));
      } catch (error) {
        const problem = asProblem(error);
        if (problem.status === 404) return null;
        throw problem;
      }
    },
    on: (event) => ofAgents(event) && (event.subject === agent || touching(task)(event)),
  }),
  activity: (task: string): Question<Activity[]> => ({
    key: `activity/${task}`,
    load: async () => (await ask(api.GET("/api/journal/tasks/{task}/activity", { params: { path: { task } } }))).items,
    on: touching(task),
  }),
};

export interface ReportPage {
  items: Report[];
  nextCursor: string | null;
}

/** Reports of an agent, newest first, page by page. */
export async function readReports(agent: string, cursor: string | undefined): Promise<ReportPage> {
  const query = { limit: 20, ...(cursor === undefined ? {} : { cursor }) };
  const page = await ask(api.GET("/api/agents/{agent}/reports", { params: { path: { agent }, query } }));
  return { items: page.items, nextCursor: page.nextCursor ?? null };
}

export interface Found {
  id: string;
  title: string;
  status: Status;
}

/** Tasks in whose text these words are. */
export async function findTasks(words: string): Promise<Found[]> {
  const query = { q: words, limit: 12 };
  return (await ask(api.GET("/api/journal/tasks", { params: { query } }))).items;
}
