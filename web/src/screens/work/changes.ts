// The changes of tasks that usually start agent work.

import type { Schemas } from "../../api/client";

type Filter = Schemas["EventFilter"];

const ANY = { category: null, field: null, from: null, label: null, tasks: [], to: null };

/** Each by its name. */
export const CHANGES = {
  created: { ...ANY, event: "created" },
  done: { ...ANY, event: "fieldSet", field: "status", to: { type: "status", status: "DONE", reason: null } },
  dueDate: { ...ANY, event: "fieldSet", field: "dueDate" },
  entryAdded: { ...ANY, event: "entryAdded" },
  itemTicked: { ...ANY, event: "itemTicked" },
  deleted: { ...ANY, event: "deleted" },
} as const satisfies Record<string, unknown>;

export type UsualChange = keyof typeof CHANGES;

/** Written with its members in one order. */
const plain = (filter: object): string => {
  const ordered = (value: unknown): unknown =>
    value === null || typeof value !== "object" || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, of]) => [key, ordered(of)]));
  return JSON.stringify(ordered(filter));
};

/** The usual change that a filter is, if it is one. */
export function changeOf(filter: Filter): UsualChange | undefined {
  return (Object.keys(CHANGES) as UsualChange[]).find((name) => plain(CHANGES[name]) === plain(filter));
}
