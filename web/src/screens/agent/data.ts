// What the pages of agents ask the server.

import { api, ask, type Schemas } from "../../api/client";
import { asProblem } from "../../api/problem";
import { ofAgents } from "../../live/questions";
import type { LiveEvent } from "../../live/socket";
import type { Question } from "../../live/store.svelte";

export type Agent = Schemas["Agent"];
export type AgentState = Schemas["AgentState"];
export type Wake = Schemas["Wake"];
export type Message = Schemas["Message"];
export type ToolCall = Schemas["ToolCall"];
export type Prompt = Schemas["Prompt"];
export type Report = Schemas["Report"];
export type Decision = Schemas["Decision"];
export type Subscription = Schemas["Subscription"];

export interface Paged<T> {
  items: T[];
  nextCursor: string | null;
}

/** Which agent, and the task by which events may name it. */
export interface Whom {
  id: string;
  task?: string | null | undefined;
}

/** Units: messages, and calls. What is asked for at once of one wake. */
export const PART = 100;
export const WAKES = 30;

const about =
  (whom: Whom) =>
  (event: LiveEvent): boolean =>
    ofAgents(event) && (event.subject === whom.id || (whom.task != null && event.tasks.includes(whom.task)));

const path = (agent: string): { path: { agent: string } } => ({ path: { agent } });

export async function readWakes(agent: string, limit: number, cursor?: string): Promise<Paged<Wake>> {
  const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
  return await ask(api.GET("/api/agents/{agent}/wakes", { params: { ...path(agent), query } }));
}

export async function readDecisions(agent: string, cursor?: string): Promise<Paged<Decision>> {
  const query = { limit: 50, ...(cursor === undefined ? {} : { cursor }) };
  return await ask(api.GET("/api/agents/{agent}/decisions", { params: { ...path(agent), query } }));
}

/** Page after page, up to a number of them. */
async function several<T>(pages: number, read: (cursor: string | undefined) => Promise<Paged<T>>): Promise<Paged<T>> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let left = pages; left > 0; left -= 1) {
    const page = await read(cursor);
    items.push(...page.items);
    if (page.nextCursor === null) return { items, nextCursor: null };
    cursor = page.nextCursor;
  }
  return { items, nextCursor: cursor ?? null };
}

export const questions = {
  agent: (id: string): Question<Agent> => ({
    key: `agent/${id}`,
    load: () => ask(api.GET("/api/agents/{agent}", { params: path(id) })),
    // Changes of its task may make it wake: no event of the agent tells of the queue alone.
    on: (event) => event.subject === id || ofAgents(event) || event.type === "journal:changed",
  }),
  state: (whom: Whom): Question<AgentState> => ({
    key: `agent-state/${whom.id}`,
    load: () => ask(api.GET("/api/agents/{agent}/state", { params: path(whom.id) })),
    on: (event) => about(whom)(event) || event.type === "journal:changed",
  }),
  /** The latest report; `null` while there is none. */
  report: (whom: Whom): Question<Report | null> => ({
    key: `agent-report/${whom.id}`,
    load: async () => {
      try {
        return await ask(api.GET("/api/agents/{agent}/report", { params: path(whom.id) }));
      } catch (error) {
        const problem = asProblem(error);
        if (problem.status === 404) return null;
        throw problem;
      }
    },
    on: about(whom),
  }),
  wakes: (whom: Whom, limit: number = WAKES): Question<Paged<Wake>> => ({
    key: `agent-wakes/${whom.id}/${limit}`,
    load: () => readWakes(whom.id, limit),
    on: about(whom),
  }),
  wake: (whom: Whom, runKey: string): Question<Wake> => ({
    key: `agent-wake/${whom.id}/${runKey}`,
    load: () => ask(api.GET("/api/agents/{agent}/wakes/{runKey}", { params: { path: { agent: whom.id, runKey } } })),
    on: about(whom),
  }),
  /** Messages of one wake, in their order. What a wake that ended wrote stays as it is. */
  messages: (whom: Whom, wake: Pick<Wake, "threadId" | "status">, pages: number): Question<Paged<Message>> => ({
    key: `agent-thread/${wake.threadId}/${wake.status}/${pages}`,
    load: () =>
      several(pages, (cursor) => {
        const query = { thread: wake.threadId ?? "", limit: PART, ...(cursor === undefined ? {} : { cursor }) };
        return ask(api.GET("/api/agents/{agent}/messages", { params: { ...path(whom.id), query } }));
      }),
    on: (event) => wake.status === "started" && about(whom)(event),
  }),
  calls: (whom: Whom, wake: Pick<Wake, "threadId" | "status">, pages: number): Question<Paged<ToolCall>> => ({
    key: `agent-calls/${wake.threadId}/${wake.status}/${pages}`,
    load: () =>
      several(pages, (cursor) => {
        const query = { thread: wake.threadId ?? "", limit: PART, ...(cursor === undefined ? {} : { cursor }) };
        return ask(api.GET("/api/agents/{agent}/tool-calls", { params: { ...path(whom.id), query } }));
      }),
    on: (event) => wake.status === "started" && about(whom)(event),
  }),
  /** The newest messages that belong to no wake: words of the person, and what their decisions did. */
  outside: (whom: Whom): Question<Message[]> => ({
    key: `agent-outside/${whom.id}`,
    load: async () => {
      const query = { follow: true, limit: 200 };
      const page = await ask(api.GET("/api/agents/{agent}/messages", { params: { ...path(whom.id), query } }));
      return page.items.filter((message) => message.runKey === null);
    },
    on: about(whom),
  }),
  prompts: (whom: Whom, runKey: string): Question<Prompt[]> => ({
    key: `agent-prompts/${runKey}`,
    load: async () =>
      (await ask(api.GET("/api/agents/{agent}/wakes/{runKey}/prompt", { params: { path: { agent: whom.id, runKey } } }))).items,
    on: () => false,
  }),
  decisions: (whom: Whom): Question<Paged<Decision>> => ({
    key: `agent-decisions/${whom.id}`,
    load: () => readDecisions(whom.id),
    on: about(whom),
  }),
};
