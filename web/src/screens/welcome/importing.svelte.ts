// Imports Markdown files one after the other and reports their progress.

import { lines, idempotencyKey } from "../../api/client";
import { Problem, asProblem, problemOf } from "../../api/problem";
import { live } from "../../live/store.svelte";

export interface Remark {
  line: number;
  message: string;
}

/** A file being imported, or its result. */
export interface FileImport {
  id: string;
  name: string;
  state: "waiting" | "running" | "done" | "failed";
  done: number;
  total: number;
  created: number;
  updated: number;
  unchanged: number;
  remarks: readonly Remark[];
  problem?: Problem;
}

/** One line of the response, as far as the page uses it. */
export type ImportLine =
  | { event: "read"; tasks: number }
  | { event: "task"; done: number; total: number }
  | { event: "remark"; line: number; message: string }
  | { event: "done"; created: number; updated: number; unchanged: number }
  | { event: "problem"; problem: { status: number } };

/** A file after another line of the response. Unknown lines of a newer server are ignored. */
export function applyLine(file: FileImport, line: ImportLine): FileImport {
  switch (line.event) {
    case "read":
      return { ...file, total: line.tasks };
    case "task":
      return { ...file, done: line.done, total: line.total };
    case "remark":
      return { ...file, remarks: [...file.remarks, { line: line.line, message: line.message }] };
    case "done":
      return {
        ...file,
        state: "done",
        created: line.created,
        updated: line.updated,
        unchanged: line.unchanged,
      };
    case "problem":
      return { ...file, state: "failed", problem: problemOf(line.problem.status, line.problem, null) };
    default:
      return file;
  }
}

/** Whether a file can be a task list, by its name or type. */
export function isText(file: { name: string; type: string }): boolean {
  return /\.(md|markdown|mdown|txt)$/i.test(file.name) || file.type.startsWith("text/");
}

class Importer {
  files = $state.raw<readonly FileImport[]>([]);
  withAgents = $state(true);
  #queue: { id: string; text: () => Promise<string> }[] = [];
  #isBusy = $state(false);
  #running: Promise<void> | undefined;

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Queues files for import. Returns the total result of the queue. */
  async add(files: readonly { name: string; type: string; text: () => Promise<string> }[]): Promise<{ isAnyDone: boolean; created: number }> {
    if (!this.#isBusy) this.files = [];
    for (const file of files) {
      const id = idempotencyKey();
      const entry: FileImport = {
        id, name: file.name, state: "waiting", done: 0, total: 0, created: 0, updated: 0, unchanged: 0, remarks: [],
      };
      if (isText(file)) this.#queue.push({ id, text: () => file.text() });
      else {
        entry.state = "failed";
        entry.problem = new Problem({ status: -1, code: "not-markdown", title: "This is no Markdown file" });
      }
      this.files = [...this.files, entry];
    }
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    await this.#running;
    const created = this.files.reduce((sum, file) => sum + file.created, 0);
    return { isAnyDone: this.files.some((file) => file.state === "done"), created };
  }

  /** Closes the report. */
  clear(): void {
    if (!this.#isBusy) this.files = [];
  }

  #change(id: string, edit: (file: FileImport) => FileImport): void {
    this.files = this.files.map((file) => (file.id === id ? edit(file) : file));
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const { id, text } = next;
      const name = this.files.find((file) => file.id === id)?.name ?? "";
      this.#change(id, (file) => ({ ...file, state: "running" }));
      try {
        const query = new URLSearchParams({ name, withAgents: String(this.withAgents) });
        await lines<ImportLine>(`/api/imports?${query}`, await text(), { "Content-Type": "text/markdown" }, (line) =>
          this.#change(id, (file) => applyLine(file, line)),
        );
        // A response without its last line was interrupted.
        this.#change(id, (file) => (file.state === "running" ? broken(file) : file));
      } catch (error) {
        this.#change(id, (file) => ({ ...file, state: "failed", problem: asProblem(error) }));
      }
    }
    this.#isBusy = false;
    live.resync();
  }
}

function broken(file: FileImport): FileImport {
  const problem = new Problem({ status: 0, code: "import-broke-off", title: "The import broke off" });
  return { ...file, state: "failed", problem };
}

export const importer = new Importer();
