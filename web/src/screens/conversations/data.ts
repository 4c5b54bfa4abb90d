// What the pages of conversations read.

import { api, unwrap, type Schemas } from "../../api/client";
import type { LiveEvent } from "../../live/socket";
import type { Query } from "../../live/store.svelte";
import type { Paged } from "../agent/data";

export type Conversation = Schemas["Conversation"];
export type Turn = Schemas["Turn"];

/** Units: rows. */
const LIST_PAGE = 50;
/** Units: turns. */
const TURNS_PAGE = 30;

/** An event that may change a conversation, or what its turns refer to. */
export const isConversationEvent = (event: LiveEvent): boolean => event.type === "conversation:changed" || event.type === "task:status";

export async function readConversations(cursor?: string): Promise<Paged<Conversation>> {
  const query = { limit: LIST_PAGE, ...(cursor === undefined ? {} : { cursor }) };
  return unwrap(api.GET("/api/conversations", { params: { query } }));
}

/** A page of turns, newest first. */
export async function readTurns(conversation: string, cursor?: string): Promise<Paged<Turn>> {
  const query = { limit: TURNS_PAGE, ...(cursor === undefined ? {} : { cursor }) };
  // The address has a second form, as a file of lines, of which the description says nothing more.
  return (await unwrap(api.GET("/api/conversations/{conversation}/turns", { params: { path: { conversation }, query } }))) as Paged<Turn>;
}

export const queries = {
  list: (): Query<Paged<Conversation>> => ({
    key: "conversations/list",
    load: () => readConversations(),
    invalidatedBy: isConversationEvent,
  }),
  one: (id: string): Query<Conversation> => ({
    key: `conversations/one/${id}`,
    load: () => unwrap(api.GET("/api/conversations/{conversation}", { params: { path: { conversation: id } } })),
    invalidatedBy: isConversationEvent,
  }),
  turns: (id: string): Query<Paged<Turn>> => ({
    key: `conversations/turns/${id}`,
    load: () => readTurns(id),
    invalidatedBy: isConversationEvent,
  }),
  /** The conversations that are about a piece of work. */
  ofWork: (work: string): Query<Conversation[]> => ({
    key: `conversations/of/${work}`,
    load: async () => (await unwrap(api.GET("/api/tasks/{work}/conversations", { params: { path: { work }, query: { limit: 20 } } }))).items,
    invalidatedBy: isConversationEvent,
  }),
};
