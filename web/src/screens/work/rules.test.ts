import { describe, expect, it } from "vitest";

import type { Schemas } from "../../api/client";
import { problemOf } from "../../api/problem";
import { describeProblem } from "../../i18n/problem";
import type { Hook, LogLine, Run, Work } from "./data";
import { canPause, canResume, describeWorkRefusal, duration, grouped, hasEnded, matches, readsCorrectionNow, refusedLately, signOf, standingOf, startOf, switchedOn, testCall, today, toneOf, turnsOf, twelveHoursLater, unreadSchedule, waitingRuns, withinDay } from "./rules";

const NOW = new Date(2026, 10, 23, 12, 0);
const hour = (n: number): string => new Date(2026, 10, 23, n, 0).toISOString();

function work(title: string, parts: Partial<Work> = {}): Work {
  const base = {
    id: title, title, instructions: `Do ${title}.`, type: "scheduled", state: "active", runState: null, schedule: "every day at 9", actions: [],
    nextDueAt: null, startedAt: null, completedAt: null, created: hour(1),
  };
  return { ...base, ...parts } as Work;
}

it("says how schedules are written where one is not understood", () => {
  const detail = "cannot read the schedule: `every blue moon` is no schedule";
  const problem = problemOf(422, { type: "/problems/date-not-understood", detail, part: "blue moon", errors: [{ pointer: "/schedule", message: detail }] }, null);
  expect(describeProblem(unreadSchedule(problem))).toMatch(/^“blue moon” isn’t understood in a schedule\. Write how it repeats, such as “every weekday at 9”/);
  const often = problemOf(422, { type: "/problems/validation-failed", detail: "every 1 minutes is too often" }, null);
  expect(unreadSchedule(often)).toBe(often);
  const rule = problemOf(422, { type: "/problems/date-not-understood", detail: "`FREQ=SECONDLY` makes a rule that cannot be used: FREQ=SECONDLY is refused" }, null);
  expect(describeProblem(unreadSchedule(rule))).toBe("`FREQ=SECONDLY` makes a rule that cannot be used: FREQ=SECONDLY is refused");
});

it("shows every run that waits, and the newest that has ended if it failed, whatever is under way", () => {
  const runs = (...states: Run["runState"][]): Run[] => states.map((runState, at) => ({ id: `${at}`, runState, endedBy: null }) as Run);
  const ids = (all: Run[]): string[] => waitingRuns(all).map((run) => run.id);
  expect(ids(runs("running", "needs_input", "skipped", "failed", "needs_review", "failed"))).toEqual(["1", "3", "4"]);
  expect(ids(runs("queued", "succeeded", "failed"))).toEqual([]);
  expect(ids([{ id: "0", runState: "failed", endedBy: "person" } as Run])).toEqual([]);
});

it("finds the work of the gallery that is on, not what is paused, archived or of another kind", () => {
  const builtIn = { workKind: "agenda" } as Work["builtIn"];
  const all = [
    work("paused", { builtIn, state: "paused" }),
    work("old", { builtIn, created: hour(1) }),
    work("new", { builtIn, created: hour(2) }),
    work("other", { builtIn: { workKind: "watch" } as Work["builtIn"] }),
    work("told", { builtIn: null }),
  ];
  expect(switchedOn(all, "agenda")?.title).toBe("new");
  expect(switchedOn(all.slice(0, 1), "agenda")).toBeUndefined();
});

it("says of a correction that a run reads it only while one has begun", () => {
  const read = (["running", "needs_input", "queued", "succeeded", null] as const).map((runState) => readsCorrectionNow(work("Letters", { runState })));
  expect(read).toEqual([true, true, false, false, false]);
});

it("has a sign for what it is up to; what comes next on a schedule is a date", () => {
  const of = (parts: Partial<Work>): string => signOf(work("a", parts));
  expect(of({ nextDueAt: hour(13) })).toBe("calendar");
  expect(of({ nextDueAt: hour(13), runState: "succeeded" })).toBe("calendar");
  expect(of({ nextDueAt: hour(13), runState: "failed" })).toBe("alert");
  expect(of({ runState: "needs_input" })).toBe("user");
  expect(of({ runState: "succeeded" })).toBe("check");
  expect(of({ state: "paused", runState: "succeeded" })).toBe("pause");
  expect(of({ runState: "queued" })).toBe("clock");
  expect(of({ runState: "cancelled" })).toBe("x");
});

it("says for each reason why work is not switched on what to do, and something of a newer one", () => {
  const all: Record<Schemas["WorkRefusal"], true> = { makesTasks: true, taskGone: true, noTitle: true, outOfRange: true, noList: true };
  const said = Object.keys(all).map(describeWorkRefusal);
  const fallback = describeWorkRefusal("ofTomorrow");
  expect(new Set([...said, fallback]).size).toBe(said.length + 1);
  expect(fallback).toBe("This can’t be switched on.");
  const problem = problemOf(422, { type: "/problems/validation-failed", detail: "parameters: kind is repeat", refusal: "makesTasks" }, null);
  expect(describeProblem(problem)).toBe(describeWorkRefusal("makesTasks"));
});

const titles = (list: readonly Work[]): string[] => list.map((one) => one.title);

describe("what work is up to", () => {
  it("is its run while that is open, even if the work is paused", () => {
    expect(standingOf(work("a", { state: "paused", runState: "needs_input" }))).toBe("needs_input");
    expect(standingOf(work("a", { state: "paused", runState: "succeeded" }))).toBe("paused");
    expect(standingOf(work("a", { state: "archived", runState: "failed" }))).toBe("archived");
    expect(standingOf(work("a", { runState: "failed" }))).toBe("failed");
    expect(standingOf(work("a"))).toBe("waiting");
    const until = { suspendedUntil: hour(20) };
    expect(standingOf(work("a", { ...until, runState: "succeeded" }))).toBe("suspended");
    expect(standingOf(work("a", { ...until, runState: "running" }))).toBe("running");
    expect(standingOf(work("a", { ...until, state: "paused" }))).toBe("paused");
    expect(standingOf(work("a", { events: [] }))).toBe("nothingComes");
    expect(standingOf(work("a", { events: [], nextDueAt: hour(13) }))).toBe("waiting");
    expect(standingOf(work("a", { events: [], schedule: null }))).toBe("waiting");
  });

  it("has the colour of what it asks for", () => {
    expect((["running", "needs_review", "timed_out", "succeeded"] as const).map(toneOf)).toEqual(["accent", "caution", "danger", "plain"]);
  });

  it("is paused only if something would start it", () => {
    const actions: Work["actions"] = ["pause", "archive"];
    expect([work("a", { actions }), work("b", { actions, type: "immediate" }), work("c", { actions: ["archive"] })].map(canPause)).toEqual([true, false, false]);
  });

  it("is resumed or paused as the server says, not both at once", () => {
    const both: Work["actions"] = ["pause", "resume", "archive"];
    const only: Work["actions"] = ["resume", "archive"];
    const all = [
      work("disabled", { actions: only, state: "disabled" }),
      work("held", { actions: both, state: "held" }),
      work("paused", { actions: only, state: "paused", suspendedUntil: hour(14) }),
      work("suspended", { actions: both, suspendedUntil: hour(14) }),
    ];
    expect(all.map(canResume)).toEqual([true, true, true, false]);
    expect(all.map(canPause)).toEqual([false, false, false, true]);
  });
});

describe("the list", () => {
  it("puts first what needs the person, then what runs, what is next by the clock, what is over", () => {
    const all = [
      work("evening", { nextDueAt: hour(18) }),
      work("asks", { runState: "needs_input", nextDueAt: hour(13) }),
      work("noon", { nextDueAt: hour(13), completedAt: hour(9), runState: "succeeded" }),
      work("runs", { runState: "running", startedAt: hour(11), type: "immediate" }),
      work("early", { type: "immediate", runState: "succeeded", completedAt: hour(7) }),
      work("late", { type: "immediate", runState: "succeeded", completedAt: hour(9) }),
      work("old", { type: "immediate", runState: "succeeded", completedAt: new Date(2026, 10, 1).toISOString() }),
      work("held", { state: "paused" }),
    ];
    const groups = grouped(all, new Set(["asks"]), NOW);
    expect(titles(groups.needsYou)).toEqual(["asks"]);
    expect(titles(groups.next)).toEqual(["runs", "noon", "evening", "held"]);
    expect(titles(groups.today)).toEqual(["late", "early"]);
    expect(titles(groups.older)).toEqual(["old"]);
  });

  it("is searched by title, instructions and schedule", () => {
    const digest = work("Digest", { instructions: "Read the letters." });
    expect(["digest letters", "every DAY", "letter digest", "weather"].map((words) => matches(digest, words))).toEqual([true, true, true, false]);
  });
});

describe("today", () => {
  it("has what ran and what is due, by the clock", () => {
    const all = [
      work("twice", { startedAt: hour(9), completedAt: hour(9), runState: "succeeded", nextDueAt: hour(18) }),
      work("soon", { nextDueAt: hour(13) }),
      work("yesterday", { startedAt: new Date(2026, 10, 22).toISOString(), runState: "succeeded" }),
      work("still", { startedAt: new Date(2026, 10, 22, 23).toISOString(), runState: "running" }),
      work("gone", { startedAt: hour(8), runState: "succeeded", state: "archived" }),
    ];
    expect(today(all, NOW).map((row) => `${row.work.title} ${row.isNext}`)).toEqual(["still false", "twice false", "soon true", "twice true"]);
  });

  it("is apart from the next 24 hours", () => {
    const all = [work("tomorrow", { nextDueAt: new Date(2026, 10, 24, 11).toISOString() }), work("later", { nextDueAt: new Date(2026, 10, 24, 13).toISOString() }), work("once")];
    expect(titles(withinDay(all, NOW))).toEqual(["tomorrow"]);
  });
});

describe("a run", () => {
  it("has its calls joined with their results", () => {
    const line = (type: LogLine["type"], tool: string | null = null): LogLine => ({ type, tool }) as LogLine;
    const lines = [line("run"), line("said"), line("call", "a"), line("result", "a"), line("call", "b"), line("call", "c"), line("result", "c"), line("result", "d")];
    expect(turnsOf(lines).map((turn) => `${turn.line.type} ${turn.line.tool} ${turn.result?.tool}`)).toEqual([
      "run null undefined",
      "said null undefined",
      "call a a",
      "call b undefined",
      "call c c",
      "result d undefined",
    ]);
  });

  it("took the time between its begin and its end", () => {
    const run = (startedAt: string | null, completedAt: string | null): Run => ({ startedAt, completedAt }) as Run;
    expect(duration(run(hour(9), hour(10)))).toBe(3_600_000);
    expect(duration(run(hour(9), null))).toBeUndefined();
    expect(duration(run(hour(10), hour(9)))).toBe(0);
  });
});

describe("hooks", () => {
  const hook = (parts: object): Hook => ({ id: "hook-1", name: "Mail", form: "standard", hours: [], calls: [], secrets: [], ...parts }) as unknown as Hook;

  it("sum up what was refused, the most first", () => {
    const hours = [{ refused: [{ why: "late", n: 1 }, { why: "forged", n: 2 }] }, { refused: [{ why: "forged", n: 3 }] }];
    expect(refusedLately(hook({ hours }))).toEqual([{ why: "forged", n: 5 }, { why: "late", n: 1 }]);
    expect(refusedLately(hook({}))).toEqual([]);
  });

  it("are tried by commands of the form that they take", () => {
    const standard = testCall(hook({}), "https://x.example/api/hooks/hook-1");
    expect(standard).toContain("webhook-signature: v1,$SIGNATURE");
    expect(standard).toContain("tr -d ' \\n'");
    expect(standard.endsWith("'https://x.example/api/hooks/hook-1'")).toBe(true);
    expect(testCall(hook({ form: "gitHost" }), "x")).toContain("x-hub-signature-256: sha256=$SIGNATURE");
  });
});

it("says what starts work without a schedule, and what has ended", () => {
  const onChanges = [{ event: "created" }] as Work["events"];
  expect(startOf(work("a", { type: "immediate", schedule: null, events: [] }))).toBe("work.once");
  expect(startOf(work("a", { schedule: null, events: [] }))).toBe("work.whenCalled");
  expect(startOf(work("a", { schedule: null, events: onChanges }))).toBe("work.whenTasksChange");
  expect(hasEnded(work("a", { events: [], nextDueAt: hour(13) }))).toBe(false);
  expect(hasEnded(work("a", { events: [] }))).toBe(true);
  expect(hasEnded(work("a", { events: onChanges }))).toBe(false);
  expect(hasEnded(work("a", { events: [], schedule: null }))).toBe(false);
  expect(hasEnded(work("a", { type: "immediate", schedule: null, events: [], runState: "succeeded" }))).toBe(true);
  expect(hasEnded(work("a", { type: "immediate", schedule: null, events: [], runState: "needs_input" }))).toBe(false);
  expect(twelveHoursLater("06:05")).toBe("18:05");
});
