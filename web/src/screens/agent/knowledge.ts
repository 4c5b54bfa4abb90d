// What an agent knows, sorted by whether it still holds: pure functions.

import { nameOf } from "../review/describe";
import type { Checkpoint, KnowledgeLine, Prompt, Removal, Wake } from "./data";

/** A line that holds, and what it said before. */
export interface Held {
  line: KnowledgeLine;
  before: KnowledgeLine | undefined;
}

/** A line that something newer replaces. */
export interface Replaced {
  line: KnowledgeLine;
  by: "line" | "summary";
}

export interface Memory {
  held: Held[];
  summaries: KnowledgeLine[];
  replaced: Replaced[];
}

/** Sorts the lines of an agent, which come newest first. Only lines that are loaded can replace one. */
export function sortMemory(lines: readonly KnowledgeLine[]): Memory {
  const memory: Memory = { held: [], summaries: [], replaced: [] };
  const newest = new Map<string, Held | undefined>();
  for (const line of lines) {
    if (line.kind === "summary") {
      memory.summaries.push(line);
      continue;
    }
    const isReplaced = line.subject !== null && newest.has(line.subject);
    if (line.subject !== null && isReplaced) {
      const held = newest.get(line.subject);
      if (held !== undefined) held.before ??= line;
    }
    if (isReplaced || line.isFolded) {
      memory.replaced.push({ line, by: isReplaced ? "line" : "summary" });
      if (!isReplaced && line.subject !== null) newest.set(line.subject, undefined);
      continue;
    }
    const held: Held = { line, before: undefined };
    memory.held.push(held);
    if (line.subject !== null) newest.set(line.subject, held);
  }
  return memory;
}

/** A line as a person reads it: a decision in the words of the page, the rest without what marks it for a model. */
export function lineWords(line: KnowledgeLine): string {
  return line.kind === "decision" ? nameOf({ change: line.change ?? null, humanSummary: line.text }) : line.words;
}

/** What can be removed from the memory of an agent: a line of what it knows, or a message to it. */
export type RemovableLine = Pick<KnowledgeLine, "line" | "entryId"> & { kind: KnowledgeLine["kind"] | "message" };

/** What the task keeps of a removed line, if that is not said of its entry. */
export function staysWords(line: Pick<RemovableLine, "kind">, removal: Pick<Removal, "entryId" | "staysInTask">): "knows.staysInTask" | "knows.taskStays" | undefined {
  if (removal.entryId !== null) return undefined;
  if (removal.staysInTask) return "knows.staysInTask";
  // A line about an item or a field has words around it, which the task does not have.
  return line.kind === "input" ? "knows.taskStays" : undefined;
}

/** Summaries that the one in use replaced, newest first, as lines that can be removed. */
export function earlierSummaries(checkpoints: readonly Checkpoint[], inUse: KnowledgeLine | undefined): KnowledgeLine[] {
  const current = checkpoints.find((one) => `summary-${one.n}` === inUse?.line);
  if (current === undefined) return [];
  return checkpoints.flatMap(({ n, audience, text, createdAt, runKey, fromLine, uptoLine }) =>
    text === null || audience !== current.audience || n >= current.n
      ? []
      : [
          {
            line: `summary-${n}`,
            kind: "summary",
            text,
            words: text,
            change: null,
            verdict: null,
            reason: null,
            at: createdAt,
            runKey,
            taskId: null,
            entryId: null,
            folds: [fromLine, uptoLine],
            isFolded: true,
            keptBack: null,
            subject: null,
          } satisfies KnowledgeLine,
        ],
  );
}

/** Who may be reading the words of a line, so that it cannot be removed now. */
export function readerWords(holder: string): "knows.atWork.agent" | "knows.atWork.session" | "knows.atWork.work" {
  if (holder.startsWith("evo-")) return "knows.atWork.session";
  return holder.startsWith("run-") ? "knows.atWork.work" : "knows.atWork.agent";
}

/** The stored summary that a line shows; undefined for any other line, and before the summaries are loaded. */
export function checkpointOf(checkpoints: readonly Checkpoint[] | undefined, line: KnowledgeLine): Checkpoint | undefined {
  return line.kind === "summary" ? checkpoints?.find((one) => line.line === `summary-${one.n}`) : undefined;
}

/** How many of the newest wakes the figures are about. */
const WAKES = 10;

/** What the last wakes of an agent with its present model read; undefined if nothing was counted. */
export interface Reading {
  wakes: number;
  /** Between 0 and 1. */
  cachedShare: number;
  /** Units: tokens, on average. */
  newPerWake: number;
  /** Units: tokens, on average of the newest wake. */
  lastPerTurn: number;
}

export function lastReading(wakes: readonly Wake[], model: string): Reading | undefined {
  const counted = wakes.filter((wake) => wake.model === model && wake.status === "completed" && wake.inputTokens > 0).slice(0, WAKES);
  const last = counted[0];
  if (last === undefined) return undefined;
  const sum = (of: (wake: Wake) => number): number => counted.reduce((total, wake) => total + of(wake), 0);
  const [input, cached] = [sum((wake) => wake.inputTokens), sum((wake) => Math.min(wake.inputTokens, wake.cachedInputTokens))];
  return {
    wakes: counted.length,
    cachedShare: cached / input,
    newPerWake: Math.round((input - cached) / counted.length),
    lastPerTurn: Math.round(last.inputTokens / Math.max(1, last.turns)),
  };
}

/** What a prompt is made of, in the order in which it is sent. */
const PARTS = ["rules", "memory", "task", "news"] as const;
export type WindowPart = (typeof PARTS)[number];

const PART_OF: Partial<Record<Prompt["fragments"][number]["kind"], WindowPart>> = {
  summary: "memory",
  log: "memory",
  decisions: "memory",
  taskState: "task",
  linkedTasks: "task",
  trend: "task",
  delta: "news",
  message: "news",
};

/** How much of a window each part of a prompt takes. Units: tokens, estimated as four bytes each. */
export function windowParts(fragments: Prompt["fragments"]): { part: WindowPart; tokens: number }[] {
  const bytes: Record<WindowPart, number> = { rules: 0, memory: 0, task: 0, news: 0 };
  const encoder = new TextEncoder();
  for (const { kind, text } of fragments) bytes[PART_OF[kind] ?? "rules"] += encoder.encode(text).length;
  return PARTS.map((part) => ({ part, tokens: Math.ceil(bytes[part] / 4) })).filter((one) => one.tokens > 0);
}
