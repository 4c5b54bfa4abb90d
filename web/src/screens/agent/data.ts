// The queries of the agent pages.

import { api, unwrap, type Schemas } from "../../api/client";
import { asProblem } from "../../api/problem";
import { isAgentEvent, isOneOf } from "../../live/queries";
import type { LiveEvent } from "../../live/socket";
import type { Query } from "../../live/store.svelte";

export type Agent = Schemas["Agent"];
export type AgentState = Schemas["AgentState"];
export type Wake = Schemas["Wake"];
export type Message = Schemas["Message"];
export type ToolCall = Schemas["ToolCall"];
export type Prompt = Schemas["Prompt"];
export type Report = Schemas["Report"];
export type Decision = Schemas["Decision"];
export type KnowledgeLine = Schemas["KnowledgeLine"];
export type Checkpoint = Schemas["Checkpoint"];
export type MemoryHit = Schemas["MemoryHit"];
export type Removal = Schemas["Removal"];
export type Subscription = Schemas["Subscription"];

export interface Paged<T> {
  items: T[];
  nextCursor: string | null;
}

/** An agent, and the task by which events may refer to it. */
export interface AgentRef {
  id: string;
  task?: string | null | undefined;
}

/** Units: messages, or calls. How many of a wake are loaded at once. */
export const PAGE_SIZE = 100;
export const WAKES_PAGE = 30;

const concernsAgent =
  (agentRef: AgentRef) =>
  (event: LiveEvent): boolean =>
    isAgentEvent(event) && (event.subject === agentRef.id || (agentRef.task != null && event.tasks.includes(agentRef.task)));

const path = (agent: string): { path: { agent: string } } => ({ path: { agent } });

export async function readWakes(agent: string, limit: number, cursor?: string): Promise<Paged<Wake>> {
  const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
  return await unwrap(api.GET("/api/agents/{agent}/wakes", { params: { ...path(agent), query } }));
}

export async function readDecisions(agent: string, cursor?: string): Promise<Paged<Decision>> {
  const query = { limit: 50, ...(cursor === undefined ? {} : { cursor }) };
  return await unwrap(api.GET("/api/agents/{agent}/decisions", { params: { ...path(agent), query } }));
}

/** A page of what an agent knows, or knew after a wake. */
export async function readKnowledge(agent: string, at?: string, cursor?: string): Promise<Paged<KnowledgeLine>> {
  const query = { limit: 50, ...(at === undefined ? {} : { at }), ...(cursor === undefined ? {} : { cursor }) };
  return await unwrap(api.GET("/api/agents/{agent}/knowledge", { params: { ...path(agent), query } }));
}

export async function searchMemory(agent: string, q: string, cursor?: string): Promise<Paged<MemoryHit>> {
  const query = { q, limit: 30, ...(cursor === undefined ? {} : { cursor }) };
  return await unwrap(api.GET("/api/agents/{agent}/memory/search", { params: { ...path(agent), query } }));
}

/** Loads up to this many pages. */
async function readPages<T>(pages: number, read: (cursor: string | undefined) => Promise<Paged<T>>): Promise<Paged<T>> {
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

export const queries = {
  agent: (id: string): Query<Agent> => ({
    key: `agent/${id}`,
    load: () => unwrap(api.GET("/api/agents/{agent}", { params: path(id) })),
    revisionOf: (agent) => agent.revision,
    // Changes to its task may wake it, and no agent event reports the queue alone. The model of the
    // workspace is that of most agents.
    invalidatedBy: (event) => event.subject === id || isAgentEvent(event) || isOneOf(event, "journal:changed", "models:changed", "budget:reached"),
  }),
  state: (agentRef: AgentRef): Query<AgentState> => ({
    key: `agent-state/${agentRef.id}`,
    load: () => unwrap(api.GET("/api/agents/{agent}/state", { params: path(agentRef.id) })),
    invalidatedBy: (event) => concernsAgent(agentRef)(event) || isOneOf(event, "journal:changed"),
  }),
  /** What it has spent today. */
  spending: (id: string): Query<Schemas["Spending"]> => ({
    key: `agent-spending/${id}`,
    load: () => unwrap(api.GET("/api/agents/{agent}/spending", { params: path(id) })),
    invalidatedBy: (event) => event.subject === id || isAgentEvent(event) || isOneOf(event, "models:changed"),
  }),
  /** The latest report; `null` if there is none. */
  report: (agentRef: AgentRef): Query<Report | null> => ({
    key: `agent-report/${agentRef.id}`,
    load: async () => {
      try {
        return await unwrap(api.GET("/api/agents/{agent}/report", { params: path(agentRef.id) }));
      } catch (error) {
        const problem = asProblem(error);
        if (problem.status === 404) return null;
        throw problem;
      }
    },
    invalidatedBy: concernsAgent(agentRef),
  }),
  wakes: (agentRef: AgentRef, limit: number = WAKES_PAGE): Query<Paged<Wake>> => ({
    key: `agent-wakes/${agentRef.id}/${limit}`,
    load: () => readWakes(agentRef.id, limit),
    invalidatedBy: concernsAgent(agentRef),
  }),
  wake: (agentRef: AgentRef, runKey: string): Query<Wake> => ({
    key: `agent-wake/${agentRef.id}/${runKey}`,
    load: () => unwrap(api.GET("/api/agents/{agent}/wakes/{runKey}", { params: { path: { agent: agentRef.id, runKey } } })),
    invalidatedBy: concernsAgent(agentRef),
  }),
  /** The messages of one wake, in order. Those of a finished wake never change. */
  messages: (agentRef: AgentRef, wake: Pick<Wake, "threadId" | "status">, pages: number): Query<Paged<Message>> => ({
    key: `agent-thread/${wake.threadId}/${wake.status}/${pages}`,
    load: () =>
      readPages(pages, (cursor) => {
        const query = { thread: wake.threadId ?? "", limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
        return unwrap(api.GET("/api/agents/{agent}/messages", { params: { ...path(agentRef.id), query } }));
      }),
    invalidatedBy: (event) => wake.status === "started" && concernsAgent(agentRef)(event),
  }),
  calls: (agentRef: AgentRef, wake: Pick<Wake, "threadId" | "status">, pages: number): Query<Paged<ToolCall>> => ({
    key: `agent-calls/${wake.threadId}/${wake.status}/${pages}`,
    load: () =>
      readPages(pages, (cursor) => {
        const query = { thread: wake.threadId ?? "", limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
        return unwrap(api.GET("/api/agents/{agent}/tool-calls", { params: { ...path(agentRef.id), query } }));
      }),
    invalidatedBy: (event) => wake.status === "started" && concernsAgent(agentRef)(event),
  }),
  /** The newest messages outside of wakes: the person's messages, and the effects of their decisions. */
  outsideWakes: (agentRef: AgentRef): Query<Message[]> => ({
    key: `agent-outside/${agentRef.id}`,
    load: async () => {
      const query = { follow: true, limit: 200 };
      const page = await unwrap(api.GET("/api/agents/{agent}/messages", { params: { ...path(agentRef.id), query } }));
      return page.items.filter((message) => message.runKey === null);
    },
    invalidatedBy: concernsAgent(agentRef),
  }),
  prompts: (agentRef: AgentRef, runKey: string): Query<Prompt[]> => ({
    key: `agent-prompts/${runKey}`,
    load: async () =>
      (await unwrap(api.GET("/api/agents/{agent}/wakes/{runKey}/prompt", { params: { path: { agent: agentRef.id, runKey } } }))).items,
    invalidatedBy: () => false,
  }),
  /** All that its next prompt says of its memory. */
  knowledge: (agentRef: AgentRef, at?: string): Query<Paged<KnowledgeLine>> => ({
    key: `agent-knowledge/${agentRef.id}/${at ?? ""}`,
    load: () => readKnowledge(agentRef.id, at),
    invalidatedBy: concernsAgent(agentRef),
  }),
  /** What of its memory has all of these words. */
  memorySearch: (agentRef: AgentRef, words: string): Query<Paged<MemoryHit>> => ({
    key: `agent-memory/${agentRef.id}/${words}`,
    load: () => searchMemory(agentRef.id, words),
    invalidatedBy: concernsAgent(agentRef),
  }),
  /** What older lines of its log were folded into, newest first. */
  checkpoints: (agentRef: AgentRef): Query<Checkpoint[]> => ({
    key: `agent-checkpoints/${agentRef.id}`,
    load: async () => (await unwrap(api.GET("/api/agents/{agent}/checkpoints", { params: path(agentRef.id) }))).items,
    invalidatedBy: concernsAgent(agentRef),
  }),
  /** The newest removals from its memory. */
  removals: (agentRef: AgentRef): Query<Removal[]> => ({
    key: `agent-removals/${agentRef.id}`,
    load: async () => (await unwrap(api.GET("/api/agents/{agent}/removals", { params: path(agentRef.id) }))).items,
    invalidatedBy: concernsAgent(agentRef),
  }),
  decisions: (agentRef: AgentRef): Query<Paged<Decision>> => ({
    key: `agent-decisions/${agentRef.id}`,
    load: () => readDecisions(agentRef.id),
    invalidatedBy: concernsAgent(agentRef),
  }),
};
