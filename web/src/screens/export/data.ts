// What a file would leave out, and where the file is.

import { api, unwrap, type Schemas } from "../../api/client";
import { isOneOf, touchesTask } from "../../live/queries";
import type { Query } from "../../live/store.svelte";

export type Losses = Schemas["ExportLosses"];

const FILES = ["markdown", "todoTxt", "iCalendar", "csv", "json"] as const satisfies readonly Schemas["ExportFormat"][];
type FileFormat = (typeof FILES)[number];

/** What can be downloaded: a page to read, tasks in a format, or the whole document. */
export type Choice = "page" | FileFormat | "document";

/** What there is for one task, or for all. */
export function choices(task: string | undefined): readonly Choice[] {
  return task === undefined ? [...FILES, "document"] : ["page", ...FILES, "document"];
}

/** The choice that an address names; without one, the one that most people mean. */
export function choiceOf(named: string | null, task: string | undefined): Choice {
  const all = choices(task);
  return all.find((choice) => choice === named) ?? all[0] ?? "markdown";
}

/** Whether a choice is a format with places of its own, some of which may be missing. */
export function isFile(choice: Choice): choice is FileFormat {
  return (FILES as readonly string[]).includes(choice);
}

/** Where the file is. */
export function addressOf(choice: Choice, task: string | undefined): string {
  if (choice === "page" && task !== undefined) return `/api/journal/tasks/${encodeURIComponent(task)}/page`;
  const query = new URLSearchParams({ ...(isFile(choice) ? { format: choice } : {}), ...(task === undefined ? {} : { task }) }).toString();
  return query === "" ? "/api/export" : `/api/export?${query}`;
}

/** Units: characters. File systems take 255 bytes. */
const MAX_NAME = 60;

/** The name of a file that the server does not name: a page is named after its task. */
export function nameOf(choice: Choice, title: string): string {
  const plain = title.replace(/[\\/:*?"<>|\p{C}\s]+/gu, " ").replace(/^[. ]+|[. ]+$/g, "");
  const name = Array.from(plain).slice(0, MAX_NAME).join("").trim();
  if (choice === "page") return `${name === "" ? "task" : name}.md`;
  return name === "" ? "dormouse.json" : `${name}.json`;
}

export const queries = {
  losses: (format: FileFormat, task: string | undefined): Query<Losses> => ({
    key: `export/losses/${format}/${task ?? ""}`,
    load: () => unwrap(api.GET("/api/export/losses", { params: { query: { format, ...(task === undefined ? {} : { task }) } } })),
    invalidatedBy: (event) => (task === undefined ? isOneOf(event, "journal:changed", "agent:report") : touchesTask(task)(event)),
  }),
};
