// What the pages of agents decide by themselves: pure, without the server.

import type { Agent, Message, ToolCall, Wake } from "./data";

/** The badge of an agent: who was put to rest by a person is paused, not stopped. */
export function badgeOf(agent: Pick<Agent, "lifecycle" | "dormantReason">): string {
  return agent.lifecycle === "dormant" && agent.dormantReason === "paused" ? "paused" : agent.lifecycle;
}

/** What tells two keys apart at a glance. */
export function shortKey(key: string): string {
  return key.length <= 12 ? key : `${key.slice(0, 6)}…${key.slice(-2)}`;
}

/** Units: milliseconds. How long a wake took; none while it runs or waits. */
export function wakeDuration(wake: Pick<Wake, "startedAt" | "completedAt">): number | undefined {
  if (wake.startedAt == null || wake.completedAt == null) return undefined;
  return Math.max(0, Date.parse(wake.completedAt) - Date.parse(wake.startedAt));
}

/** When a wake stands in the order of things: when it began, or when its signal came. */
export function wakeTime(wake: Pick<Wake, "createdAt" | "startedAt">): string {
  return wake.startedAt ?? wake.createdAt;
}

export type TimelineEntry = { is: "wake"; key: string; wake: Wake } | { is: "outside"; key: string; messages: Message[] };

/**
 * Wakes, newest first, and between them what belongs to none, in its order. What is older than the
 * last wake that was read waits until the wakes before it are read, too.
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
    // One that waits is still to come.
    if (wake.status !== "queued") take(wakeTime(wake));
    entries.push({ is: "wake", key: wake.runKey ?? "queued", wake });
  }
  if (isWhole) take("");
  return entries;
}

/** The wakes of a live page with those behind it; each once. */
export function mergePages(first: readonly Wake[], older: readonly Wake[]): Wake[] {
  const known = new Set(first.map((wake) => wake.runKey));
  return [...first, ...older.filter((wake) => !known.has(wake.runKey))];
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** What a message says in words: its text, or the answer of a tool. */
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

/** What a tool was given, one line for each; texts of several lines keep them. */
export function formatArgs(content: unknown): string {
  const args = asObject(asObject(content)["args"]);
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
}

/** Units: lines, and characters of one line. What is longer is folded. */
export const MAX_LINES = 6;
const LINE_LENGTH = 90;

/** Whether a text is too long to stand there whole. */
export function isLong(text: string): boolean {
  return text.split("\n").reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / LINE_LENGTH)), 0) > MAX_LINES;
}

/** Calls that the person's decisions made: each action with what came of it. */
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

/** How many wakes began on each of the last days, the oldest first. */
export function wakesPerDay(wakes: readonly Wake[], now: Date, days: number): { day: string; n: number; failed: number }[] {
  const dayOf = (date: Date): string =>
    `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
  const counts = Array.from({ length: days }, (_, at) => {
    const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1 - at));
    return { day: dayOf(date), n: 0, failed: 0 };
  });
  for (const wake of wakes) {
    if (wake.status === "queued") continue;
    const count = counts.find((one) => one.day === dayOf(new Date(wakeTime(wake))));
    if (count === undefined) continue;
    count.n += 1;
    if (wake.status === "failed" || wake.status === "abandoned") count.failed += 1;
  }
  return counts;
}

/** Whether what was typed names the task: as it stands, but for case and space. */
export function matchesTitle(typed: string, title: string): boolean {
  const plain = (text: string): string => text.trim().replace(/\s+/g, " ").toLowerCase();
  return plain(typed) === plain(title) && plain(typed) !== "";
}

/** Kinds of messages that can be shown alone, each with those of the server it stands for. */
export const KINDS = ["observation", "action", "toolResult", "thought", "user", "summary", "system"] as const;
