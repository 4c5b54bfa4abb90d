// The logic of the agent pages: pure functions, no server.

import { dayAt, list, t } from "../../i18n/index.svelte";
import type { Agent, KnowledgeLine, MemoryHit, Message, ToolCall, Wake } from "./data";

/** The badge of an agent. One that the person put to rest is paused, not dormant. */
export function badgeOf(agent: Pick<Agent, "lifecycle" | "dormantReason">): string {
  return agent.lifecycle === "dormant" && agent.dormantReason === "paused" ? "paused" : agent.lifecycle;
}

/** Enough of a key to tell it from another. */
export function shortKey(key: string): string {
  return key.length <= 12 ? key : `${key.slice(0, 6)}…${key.slice(-2)}`;
}

/** Units: milliseconds. How long a wake took; undefined while it is running or queued. */
export function wakeDuration(wake: Pick<Wake, "startedAt" | "completedAt">): number | undefined {
  if (wake.startedAt == null || wake.completedAt == null) return undefined;
  return Math.max(0, Date.parse(wake.completedAt) - Date.parse(wake.startedAt));
}

/** The time by which a wake is ordered: when it started, or when it was queued. */
export function wakeTime(wake: Pick<Wake, "createdAt" | "startedAt">): string {
  return wake.startedAt ?? wake.createdAt;
}

const KEPT = ["tasks", "entries", "links", "notes", "proposals", "summaries", "labels", "others"] as const;

/** What was kept back from a model, a sentence for each reason; none if nothing was. */
export function keptBackWords(kept: Wake["keptBack"]): string[] {
  const [isPrivate, ofCategory] = [pieces(kept), pieces(kept.category ?? {})];
  const sentences = [];
  if (isPrivate !== "") sentences.push(t("agent.keptBack", { what: isPrivate }));
  if (ofCategory !== "") sentences.push(t("agent.keptBackByCategory", { what: ofCategory }));
  return sentences;
}

/** For example "2 entries, 1 note"; empty if nothing was kept back. */
function pieces(kept: Partial<Record<(typeof KEPT)[number], number>>): string {
  const counted = KEPT.map((kind) => [kind, kept[kind] ?? 0] as const).filter(([, n]) => n > 0);
  return list(counted.map(([kind, n]) => t(`agent.kept.${kind}`, { n })));
}

export type TimelineEntry = { is: "wake"; key: string; wake: Wake } | { is: "outside"; key: string; messages: Message[] };

/**
 * The wakes, newest first, with the messages outside of them in between, in order. Messages older than
 * the last loaded wake are held back until the wakes before it are loaded.
 */
export function timeline(wakes: readonly Wake[], outside: readonly Message[], isWhole: boolean): TimelineEntry[] {
  const rest = outside.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  const entries: TimelineEntry[] = [];
  const take = (after: string): void => {
    const at = rest.findIndex((message) => message.createdAt > after);
    const messages = at === -1 ? [] : rest.splice(at);
    const first = messages[0];
    if (first !== undefined) entries.push({ is: "outside", key: first.id, messages });
  };
  for (const wake of wakes) {
    // A queued wake is still in the future.
    if (wake.status !== "queued") take(wakeTime(wake));
    entries.push({ is: "wake", key: wake.runKey ?? "queued", wake });
  }
  if (isWhole) take("");
  return entries;
}

/** The live page followed by the older ones, without duplicates. */
export function mergePages(first: readonly Wake[], older: readonly Wake[]): Wake[] {
  const known = new Set(first.map((wake) => wake.runKey));
  return [...first, ...older.filter((wake) => !known.has(wake.runKey))];
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** The text of a message, or of a tool's result. */
export function messageText(content: unknown): string {
  if (typeof content === "string") return content;
  const text = asObject(content)["text"];
  return typeof text === "string" ? text : "";
}

/** How many tools a thought calls. */
export function countToolCalls(content: unknown): number {
  const calls = asObject(content)["calls"];
  return Array.isArray(calls) ? calls.length : 0;
}

/** The arguments of a tool call, one per line; multi-line texts keep their lines. */
export function formatArgs(content: unknown): string {
  const args = asObject(asObject(content)["args"]);
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
}

/** Units: lines, and characters per line. A longer text is collapsed. */
export const MAX_LINES = 6;
const LINE_LENGTH = 90;

/** Whether a text is too long to be shown in full. */
export function isLong(text: string): boolean {
  return text.split("\n").reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / LINE_LENGTH)), 0) > MAX_LINES;
}

/** Tool calls made by the person's decisions, each with its result. */
export function callsFromDecisions(messages: readonly Message[]): ToolCall[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.kind === "toolResult" && message.operationId !== null ? [[message.operationId, message] as const] : [],
    ),
  );
  return messages
    .filter((message) => message.kind === "action")
    .map((message) => {
      const result = message.operationId === null ? undefined : results.get(message.operationId);
      return {
        operationId: message.operationId,
        toolName: message.toolName,
        threadId: message.threadId,
        runKey: null,
        turn: null,
        actionMessageId: message.id,
        action: message.content,
        outcome: result === undefined ? "open" : result.refused === true ? "refused" : "done",
        resultMessageId: result?.id ?? null,
        result: result?.content,
        touched: [],
        createdAt: message.createdAt,
        completedAt: result?.createdAt ?? null,
      };
    });
}

/** Whether a wake failed. One that a person cancelled did not. */
export function isFailed(wake: Pick<Wake, "status" | "failure">): boolean {
  return (wake.status === "failed" || wake.status === "abandoned") && !isCancelled(wake);
}

export function isCancelled(wake: Pick<Wake, "failure">): boolean {
  return wake.failure === "cancelled";
}

/** The outcome of a wake, as a key of its words. */
export function outcomeOf(wake: Pick<Wake, "status" | "failure">): string {
  return isCancelled(wake) ? "cancelled" : wake.status;
}

/** How many wakes started on each of the last days, oldest first. */
export function wakesPerDay(wakes: readonly Wake[], now: Date, days: number): { day: string; n: number; failed: number }[] {
  const counts = Array.from({ length: days }, (_, at) => {
    const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1 - at));
    return { day: dayAt(date), n: 0, failed: 0 };
  });
  for (const wake of wakes) {
    if (wake.status === "queued") continue;
    const count = counts.find((one) => one.day === dayAt(new Date(wakeTime(wake))));
    if (count === undefined) continue;
    count.n += 1;
    if (isFailed(wake)) count.failed += 1;
  }
  return counts;
}

/** Whether the typed text is the title, apart from case and whitespace. */
export function matchesTitle(typed: string, title: string): boolean {
  const plain = (text: string): string => text.trim().replace(/\s+/g, " ").toLowerCase();
  return plain(typed) === plain(title) && plain(typed) !== "";
}

/** The kinds of messages that can be filtered. */
export const KINDS = ["observation", "action", "toolResult", "thought", "user", "summary", "system"] as const;

/** The beginning of a text in one line. */
export function shortWords(text: string, most = 60): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most).trimEnd()}…`;
}

/** What sets a note apart from most: its priority and what it is about, each with the list it is on. */
export function noteMarks(message: Pick<Message, "priority" | "category">): [list: string, name: string][] {
  const marks: [string, string | null | undefined][] = [
    ["agent.priority", message.priority === "routine" ? null : message.priority],
    ["agent.category", message.category === "operational" ? null : message.category],
  ];
  return marks.filter((mark): mark is [string, string] => typeof mark[1] === "string");
}

/** A result of a search as a line of what the agent knows, by the name that its removal takes. */
export function lineOfHit(hit: MemoryHit, task: string | null | undefined): KnowledgeLine {
  const kind = hit.checkpoint !== null ? "summary" : hit.kind === "observation" ? "observation" : "input";
  return {
    line: hit.checkpoint !== null ? `summary-${hit.checkpoint}` : `line-${hit.line ?? 0}`,
    kind,
    text: hit.excerpt,
    words: hit.excerpt,
    change: null,
    verdict: null,
    reason: null,
    at: hit.at,
    runKey: null,
    taskId: task ?? null,
    entryId: hit.entryId,
    folds: null,
    isFolded: false,
    keptBack: null,
    subject: null,
  };
}

/** Letters without case and accents. */
function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Whether a line has all words of a search, each from the beginning of one of its own. */
export function hasWords(line: Pick<KnowledgeLine, "text" | "reason">, words: string): boolean {
  const own = plain(`${line.text} ${line.reason ?? ""}`).split(/[^\p{L}\p{N}]+/u);
  const terms = plain(words).split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  return terms.length > 0 && terms.every((word) => own.some((one) => one.startsWith(word)));
}
