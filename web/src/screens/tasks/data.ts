// The queries and rows of the task list.

import { api, unwrap, type Schemas } from "../../api/client";
import type { paths } from "../../api/schema";
import { isOneOf } from "../../live/queries";
import type { Query } from "../../live/store.svelte";

export interface Named {
  id: string;
  name: string;
}

export type Row = Schemas["TaskRow"];
export type Page = Pick<Schemas["Page_TaskRow"], "items" | "nextCursor">;

/** What the list can be filtered and sorted by. */
export type ListQuery = NonNullable<paths["/api/journal/tasks"]["get"]["parameters"]["query"]>;

/** A page of a segment of the list. */
export async function readPage(segment: { query: ListQuery }, limit: number, cursor: string | undefined): Promise<Page> {
  const query = { ...segment.query, limit, ...(cursor === undefined ? {} : { cursor }) };
  return unwrap(api.GET("/api/journal/tasks", { params: { query } }));
}

/** One row by id; undefined if it is gone. */
export async function readRow(id: string): Promise<Row | undefined> {
  const query = { find: id };
  const page = await unwrap(api.GET("/api/journal/tasks", { params: { query } }));
  return page.items.find((row) => row.id === id);
}

/** Labels and categories change only when tasks are edited. */
export const queries = {
  labels: (): Query<Named[]> => ({
    key: "labels",
    load: async () => (await unwrap(api.GET("/api/journal/labels", {}))).items,
    invalidatedBy: (event) => isOneOf(event, "journal:changed"),
  }),
  categories: (): Query<Named[]> => ({
    key: "categories",
    load: async () => (await unwrap(api.GET("/api/journal/categories", {}))).items,
    invalidatedBy: (event) => isOneOf(event, "journal:changed"),
  }),
};

