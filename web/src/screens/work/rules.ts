// How agent work is grouped and shown: pure functions of what the server says.

import { Problem } from "../../api/problem";
import { has, isSameDay, t } from "../../i18n/index.svelte";
import type { IconName } from "../../ui/icons";
import type { Hook, LogLine, Run, RunState, Work } from "./data";

export type Tone = "accent" | "caution" | "danger" | "plain";

/** What a piece of work is up to, as one word of the catalogue (`work.is.*`). */
export type Standing =
  | "running"
  | "queued"
  | "needs_input"
  | "needs_review"
  | "failed"
  | "timed_out"
  | "interrupted"
  | "expired"
  | "paused"
  | "held"
  | "disabled"
  | "archived"
  | "succeeded"
  | "no_op"
  | "cancelled"
  | "skipped"
  | "suspended"
  | "nothingComes"
  | "waiting";

const OPEN: readonly RunState[] = ["running", "queued", "needs_input", "needs_review"];
const FAILED: readonly RunState[] = ["failed", "timed_out", "interrupted", "expired"];

/** The runs that wait for the person: those with a question or to look at, and the newest that has ended if it failed. */
export function waitingRuns(newestFirst: readonly Run[]): Run[] {
  const over = newestFirst.find((run) => !OPEN.includes(run.runState) && run.runState !== "skipped");
  return newestFirst.filter(
    (run) => run.runState === "needs_input" || run.runState === "needs_review" || (run === over && isFailed(run.runState) && run.endedBy === null),
  );
}

/** Why work can't be switched on, and what to do. */
export function describeWorkRefusal(refusal: string): string {
  const key = `work.cannotSwitchOn.${refusal}`;
  return has(key) ? t(key) : t("work.cannotSwitchOn");
}

/** A schedule that is not understood, with examples of schedules: the server's own are examples of dates. */
export function unreadSchedule(problem: Problem): Problem {
  const { code, part, status } = problem;
  // What is wrong with a rule, a zone or a day that does not exist is said better by the server.
  if (code !== "date-not-understood" || part === undefined) return problem;
  const detail = t("work.scheduleUnread", { part });
  return new Problem({ status, code: "schedule-not-understood", title: detail, detail });
}

export function standingOf(work: Pick<Work, "state" | "runState"> & Partial<Pick<Work, "suspendedUntil" | "schedule" | "nextDueAt" | "events">>): Standing {
  const { state, runState } = work;
  if (runState !== null && OPEN.includes(runState)) return runState;
  if (state !== "active") return state;
  if (work.suspendedUntil != null) return "suspended";
  if (runState !== null) return runState;
  // A single time that has passed, or that the person skipped.
  return work.schedule != null && work.nextDueAt === null && work.events?.length === 0 ? "nothingComes" : "waiting";
}

export function toneOf(standing: Standing): Tone {
  if (standing === "running") return "accent";
  if (standing === "needs_input" || standing === "needs_review" || standing === "disabled" || standing === "paused" || standing === "held") return "caution";
  return (FAILED as readonly string[]).includes(standing) ? "danger" : "plain";
}

/** The sign of a piece of work in a list; what runs has a sign of its own. */
export function signOf(work: Pick<Work, "state" | "runState" | "nextDueAt">): IconName {
  const standing = standingOf(work);
  if (work.nextDueAt !== null && (standing === "waiting" || standing === "succeeded" || standing === "no_op" || standing === "skipped")) return "calendar";
  if (standing === "succeeded" || standing === "no_op") return "check";
  if (standing === "needs_input" || standing === "needs_review") return "user";
  if (standing === "paused" || standing === "held" || standing === "suspended") return "pause";
  if (standing === "archived") return "archive";
  if (standing === "cancelled" || standing === "skipped") return "x";
  return toneOf(standing) === "danger" || standing === "disabled" ? "alert" : "clock";
}

export const isFailed = (state: RunState): boolean => FAILED.includes(state);

/** Whether a run is under way or waits for its turn. */
export const isUnderWay = (state: RunState): boolean => state === "running" || state === "queued";

/** Whether a run that has begun reads a correction when it goes on. */
export const readsCorrectionNow = (work: Pick<Work, "runState">): boolean => work.runState === "running" || work.runState === "needs_input";

/** Whether it starts nothing until it is resumed. A suspension of active work ends where it is shown. */
export const canResume = (work: Work): boolean => work.actions.includes("resume") && work.state !== "active";

/** Whether there is a reason to pause it: something would start it later. */
export const canPause = (work: Work): boolean => work.actions.includes("pause") && work.type === "scheduled" && !canResume(work);

/** Whether it would be resumed with all work, and can be left out of that. */
export const canStayPaused = (work: Work): boolean => work.pausedWithAll && work.actions.includes("pause");

/** Work of this kind that is on; the newest, if it was switched on more than once. */
export function switchedOn(all: readonly Work[], kind: string): Work | undefined {
  const on = all.filter((work) => work.state === "active" && work.type === "scheduled" && work.builtIn?.workKind === kind);
  return on.toSorted((a, b) => b.created.localeCompare(a.created))[0];
}

/** The public statuses and types, as the list is filtered by them. */
export const STATUSES: readonly Work["status"][] = ["pending", "running", "paused", "completed", "failed"];
export const TYPES: readonly Work["type"][] = ["scheduled", "immediate"];

export type Group = "needsYou" | "next" | "today" | "older";
export const GROUPS: readonly Group[] = ["needsYou", "next", "today", "older"];

const at = (iso: string | null): number => (iso === null ? 0 : Date.parse(iso));

/**
 * The list in its parts: what needs the person, what runs and comes next, what ended today, the rest.
 *
 * `waiting` are the ids of what needs the person, as the server lists them; `zone` is whose day it is.
 */
export function grouped(all: readonly Work[], waiting: ReadonlySet<string>, now: Date, zone?: string): Record<Group, Work[]> {
  const groups: Record<Group, Work[]> = { needsYou: [], next: [], today: [], older: [] };
  for (const work of all) {
    const standing = standingOf(work);
    if (waiting.has(work.id)) groups.needsYou.push(work);
    else if (standing === "running" || standing === "queued" || work.nextDueAt !== null || standing === "suspended" || (work.type === "scheduled" && (work.state === "paused" || work.state === "held"))) groups.next.push(work);
    else if (work.completedAt !== null && isSameDay(new Date(work.completedAt), now, zone)) groups.today.push(work);
    else groups.older.push(work);
  }
  const order = (work: Work): number => {
    const standing = standingOf(work);
    if (standing === "running") return -2;
    if (standing === "queued") return -1;
    return work.nextDueAt === null ? Infinity : at(work.nextDueAt);
  };
  groups.next.sort((a, b) => compare(order(a), order(b)) || a.title.localeCompare(b.title));
  const newest = (a: Work, b: Work): number => at(b.completedAt ?? b.created) - at(a.completedAt ?? a.created);
  groups.needsYou.sort(newest);
  groups.today.sort(newest);
  groups.older.sort(newest);
  return groups;
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Whether all of these words are in the title or in the instructions. */
export function matches(work: Work, words: string): boolean {
  const text = `${work.title} ${work.instructions} ${work.schedule ?? ""}`.toLocaleLowerCase();
  return words
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Units: milliseconds. How long a run worked; undefined if it never began. */
export function duration(run: Run): number | undefined {
  if (run.startedAt === null || run.completedAt === null) return undefined;
  return Math.max(0, Date.parse(run.completedAt) - Date.parse(run.startedAt));
}

/** One thing in a transcript: a call has its result with it. */
export interface Turn {
  line: LogLine;
  result: LogLine | undefined;
}

/** The lines of a run, each call joined with the result that follows it. */
export function turnsOf(lines: readonly LogLine[]): Turn[] {
  const turns: Turn[] = [];
  for (const line of lines) {
    const last = turns.at(-1);
    if (line.type === "result" && last?.line.type === "call" && last.line.tool === line.tool && last.result === undefined) last.result = line;
    else turns.push({ line, result: undefined });
  }
  return turns;
}

/** Something of today: a run that began, or one that is due. */
export interface Today {
  key: string;
  /** When it is due, or began. */
  at: string;
  work: Work;
  isNext: boolean;
}

/** What ran today and what is still due, by the clock of a zone. What needs the person is listed elsewhere. */
export function today(all: readonly Work[], now: Date, zone?: string): Today[] {
  const list: Today[] = [];
  for (const work of all) {
    if (work.state === "archived") continue;
    const ran = work.startedAt;
    const isOpen = work.runState !== null && isUnderWay(work.runState);
    if (ran !== null && (isOpen || isSameDay(new Date(ran), now, zone))) list.push({ key: `${work.id} ran`, at: ran, work, isNext: false });
    if (work.nextDueAt !== null && isSameDay(new Date(work.nextDueAt), now, zone)) list.push({ key: `${work.id} next`, at: work.nextDueAt, work, isNext: true });
  }
  return list.sort((a, b) => at(a.at) - at(b.at));
}

/** What would start within a day: the reason to think twice before everything is paused. */
export function withinDay(all: readonly Work[], now: Date): Work[] {
  const end = now.getTime() + 24 * 3600_000;
  return all.filter((work) => work.nextDueAt !== null && Date.parse(work.nextDueAt) <= end).sort((a, b) => at(a.nextDueAt) - at(b.nextDueAt));
}

/** How many calls of a hook were refused in the hours that are shown, by the reason, the most first. */
export function refusedLately(hook: Hook): { why: Hook["hours"][number]["refused"][number]["why"]; n: number }[] {
  const sums = new Map<Hook["hours"][number]["refused"][number]["why"], number>();
  for (const { why, n } of hook.hours.flatMap((hour) => hour.refused)) sums.set(why, (sums.get(why) ?? 0) + n);
  return [...sums].map(([why, n]) => ({ why, n })).sort((a, b) => b.n - a.n);
}

/** Commands of a shell that call a hook once, signed with the secret in the variable SECRET. */
export function testCall(hook: Hook, address: string): string {
  const lines =
    hook.form === "standard"
      ? [
          "SECRET='whsec_…'",
          `BODY='{"hello":"world"}'`,
          "ID=test-$(date +%s) TIME=$(date +%s)",
          "KEY=$(printf %s \"${SECRET#whsec_}\" | base64 -d | od -An -tx1 | tr -d ' \\n')",
          "SIGNATURE=$(printf %s \"$ID.$TIME.$BODY\" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$KEY -binary | base64)",
          `curl -H "webhook-id: $ID" -H "webhook-timestamp: $TIME" \\`,
          `  -H "webhook-signature: v1,$SIGNATURE" -H 'content-type: application/json' \\`,
          `  -d "$BODY" '${address}'`,
        ]
      : [
          "SECRET='…'",
          `BODY='{"hello":"world"}'`,
          `SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)`,
          `curl -H "x-github-delivery: test-$(date +%s)" -H "x-hub-signature-256: sha256=$SIGNATURE" \\`,
          `  -H 'content-type: application/json' -d "$BODY" '${address}'`,
        ];
  return lines.join("\n");
}

/** What starts work that has no words of a schedule. */
export function startOf(work: Work): "work.once" | "work.whenCalled" | "work.whenTasksChange" {
  if (work.type === "immediate") return "work.once";
  return work.events.length > 0 ? "work.whenTasksChange" : "work.whenCalled";
}

/** Whether nothing of it is to come, calls aside: it ran once, or its schedule has ended. The server knows the hooks as well. */
export function hasEnded(work: Work): boolean {
  const isOnce = work.type === "immediate" || (work.schedule !== null && work.events.length === 0);
  const isOpen = work.runState !== null && OPEN.includes(work.runState);
  return isOnce && work.nextDueAt === null && !isOpen;
}

/** `18:00` for `06:00`. */
export function twelveHoursLater(time: string): string {
  const [hour, minute] = time.split(":");
  return `${Number(hour) + 12}:${minute ?? "00"}`;
}
