// The questions of the task list, and what its rows hold.

import { api, ask, type Schemas } from "../../api/client";
import type { Question } from "../../live/store.svelte";
import type { Segment } from "./filters";

export interface Named {
  id: string;
  name: string;
}

/** Where a search found it, and the words around. */
export interface TaskMatch {
  where: string;
  snippet: string;
}

interface More {
  tldr?: string | null;
  labels?: Named[];
  category?: Named | null;
  estimateMinutes?: number | null;
  agentActivity?: string | null;
  agentName?: string | null;
  match?: TaskMatch | null;
}

export type Row = Omit<Schemas["TaskRow"], keyof More> & More;

export interface Page {
  items: Row[];
  nextCursor: string | null;
}

/** A page of a part of the list. */
export async function readPage(segment: Segment, limit: number, cursor: string | undefined): Promise<Page> {
  const query = { ...segment.query, limit, ...(cursor === undefined ? {} : { cursor }) };
  const page = (await ask(api.GET("/api/journal/tasks", { params: { query: query as never } }))) as unknown as Page;
  const keeps = segment.keeps;
  return {
    items: keeps === undefined ? page.items : page.items.filter(keeps),
    nextCursor: page.nextCursor ?? null,
  };
}

/** One row by its id; none when it is gone. */
export async function readRow(id: string): Promise<Row | undefined> {
  const query = { find: id, deleted: true };
  const page = (await ask(api.GET("/api/journal/tasks", { params: { query } }))) as unknown as Page;
  return page.items.find((row) => row.id === id);
}

/** Names of labels and categories change with edits of tasks, and with nothing else. */
export const names = {
  labels: (): Question<Named[]> => ({
    key: "labels",
    load: async () => (await ask(api.GET("/api/journal/labels", {}))).items,
    on: (event) => event.type === "journal:changed",
  }),
  categories: (): Question<Named[]> => ({
    key: "categories",
    load: async () => (await ask(api.GET("/api/journal/categories", {}))).items,
    on: (event) => event.type === "journal:changed",
  }),
};

