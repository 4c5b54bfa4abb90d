// The requests of an import: a plan, and the import itself.

import { lines, postFor, type Schemas } from "../../api/client";
import { problemOf, type Problem } from "../../api/problem";
import type { AgentsFor, ImportPlan, PlanRequest, Remark } from "./types";

/** What of an import is on its way or done. */
export interface Progress {
  state: "waiting" | "running" | "done" | "failed" | "stopped";
  done: number;
  total: number;
  created: number;
  updated: number;
  unchanged: number;
  /** Tasks that were not written, each with a remark. */
  refused: number;
  /** What stays as it was changed here, by the titles of the tasks. */
  kept: readonly { title: string; parts: readonly string[] }[];
  remarks: readonly Remark[];
  problem?: Problem;
}

export const NO_PROGRESS: Progress = {
  state: "waiting", done: 0, total: 0, created: 0, updated: 0, unchanged: 0, refused: 0, kept: [], remarks: [],
};

/** One line of the answer to an import, as far as the page uses it. */
export type ImportLine =
  | { event: "read"; tasks: number }
  | { event: "task"; done: number; total: number; title: string; kept: readonly string[] }
  | { event: "remark"; line: number; message: string }
  | { event: "done"; created: number; updated: number; unchanged: number; refused?: number }
  | { event: "problem"; problem: { status: number } };

/** The progress after another line of the answer. Unknown lines of a newer server are ignored. */
export function applyLine(progress: Progress, line: ImportLine): Progress {
  switch (line.event) {
    case "read":
      return { ...progress, total: line.tasks };
    case "task":
      return {
        ...progress,
        done: line.done,
        total: line.total,
        kept: line.kept.length === 0 ? progress.kept : [...progress.kept, { title: line.title, parts: line.kept }],
      };
    case "remark":
      return { ...progress, remarks: [...progress.remarks, { line: line.line, message: line.message }] };
    case "done":
      return { ...progress, state: "done", created: line.created, updated: line.updated, unchanged: line.unchanged, refused: line.refused ?? 0 };
    case "problem":
      return { ...progress, state: "failed", problem: problemOf(line.problem.status, line.problem, null) };
    default:
      return progress;
  }
}

interface Sent {
  path: string;
  body: string;
  headers: Record<string, string>;
}

function sent(request: PlanRequest, more: Record<string, string>): Sent {
  const { name, text, format, dayOrder, digest, corrections, columns } = request;
  const query = new URLSearchParams({ name, ...(format === undefined ? {} : { format }), dayOrder, ...more });
  const path = `/api/imports?${query}`;
  if (digest === undefined && columns === undefined) return { path, body: text, headers: { "Content-Type": "text/markdown" } };
  const body = JSON.stringify({ text, digest, corrections, columns });
  return { path, body, headers: { "Content-Type": "application/vnd.dormouse.import+json" } };
}

/**
 * The text of a file that is not in UTF-8, and the encoding where that is a guess.
 *
 * Throws: a `Problem`, with the status 422 if it can be in several encodings or in none.
 */
export function decoded(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Schemas["ImportText"]> {
  const path = `/api/imports/text?${new URLSearchParams({ name })}`;
  return postFor<Schemas["ImportText"]>(path, bytes, { "Content-Type": "application/octet-stream" });
}

/**
 * What a text becomes; nothing is written.
 *
 * Throws: a `Problem`.
 */
export function planOf(request: PlanRequest, signal: AbortSignal): Promise<ImportPlan> {
  const { path, body, headers } = sent(request, { dryRun: "true" });
  return postFor<ImportPlan>(path, body, headers, signal);
}

/**
 * Writes the tasks of a text and tells each line of the answer.
 *
 * Throws: a `Problem`.
 */
export function write(request: PlanRequest, agents: AgentsFor, each: (line: ImportLine) => void, signal: AbortSignal): Promise<void> {
  const { path, body, headers } = sent(request, { agents });
  return lines<ImportLine>(path, body, headers, each, signal);
}

/** Which correction of a request was refused, by its place in the request. */
export function refusedCorrection(problem: Problem, corrections: PlanRequest["corrections"]): number | undefined {
  const at = problem.fields.map(({ pointer }) => /^\/corrections\/(\d+)$/.exec(pointer ?? "")?.[1]).find((found) => found !== undefined);
  return at === undefined || Number(at) >= corrections.length ? undefined : Number(at);
}
