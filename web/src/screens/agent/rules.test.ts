import { describe, expect, it } from "vitest";

import type { MemoryHit, Message, Wake } from "./data";
import { formatArgs, badgeOf, hasWords, isFailed, lineOfHit, outcomeOf, wakesPerDay, countToolCalls, callsFromDecisions, isLong, mergePages, matchesTitle, shortKey, messageText, noteMarks, timeline, wakeDuration } from "./rules";

const wake = (runKey: string | null, startedAt: string, status = "completed"): Wake =>
  ({ runKey, startedAt: status === "queued" ? null : startedAt, createdAt: startedAt, status }) as unknown as Wake;
const message = (id: string, createdAt: string, more: Partial<Message> = {}): Message => ({ id, createdAt, ...more }) as unknown as Message;

describe("the timeline", () => {
  const shape = (entries: ReturnType<typeof timeline>): string[] =>
    entries.map((piece) => (piece.is === "wake" ? piece.key : piece.messages.map((one) => one.id).join("+")));
  const wakes = [wake(null, "2026-01-07", "queued"), wake("b", "2026-01-06"), wake("a", "2026-01-03")];
  const outside = [message("5", "2026-01-05"), message("4", "2026-01-04"), message("1", "2026-01-01"), message("3", "2026-01-03"), message("8", "2026-01-08")];

  it("puts messages outside of wakes between the wakes, in order", () => {
    expect(shape(timeline(wakes, outside, true))).toEqual(["queued", "8", "b", "4+5", "a", "1+3"]);
  });

  it("holds back messages older than the last wake until earlier wakes are loaded", () => {
    expect(shape(timeline(wakes, outside, false))).toEqual(["queued", "8", "b", "4+5", "a"]);
  });

  it("shows a wake once even if it moved from the live page to an older one", () => {
    expect(mergePages([wake("c", "3"), wake("b", "2")], [wake("b", "2"), wake("a", "1")]).map((one) => one.runKey)).toEqual(["c", "b", "a"]);
  });
});

describe("the text of a message", () => {
  it("is its text, or the result of a tool", () => {
    expect([messageText("plain"), messageText({ text: "said" }), messageText({ applied: true }), messageText(null)]).toEqual(["plain", "said", "", ""]);
    expect([countToolCalls({ calls: [{}, {}] }), countToolCalls({ text: "" }), countToolCalls(null)]).toEqual([2, 0, 0]);
  });

  it("lists the arguments of a tool call, one per line", () => {
    expect(formatArgs({ args: { minutes: 300, title: "a\nb" } })).toBe("minutes: 300\ntitle: a\nb");
    expect(formatArgs({ args: undefined })).toBe("");
  });

  it("is collapsed beyond six lines, counting long lines as several", () => {
    expect([isLong("a\n".repeat(5) + "a"), isLong("a\n".repeat(6) + "a")]).toEqual([false, true]);
    expect([isLong("a".repeat(540)), isLong("a".repeat(541))]).toEqual([false, true]);
  });
});

it("pairs the actions of decisions with their results", () => {
  const calls = callsFromDecisions([
    message("1", "1", { kind: "action", operationId: "x", toolName: "set" }),
    message("2", "2", { kind: "toolResult", operationId: "x", refused: true, content: { text: "no" } }),
    message("3", "3", { kind: "action", operationId: "y" }),
    message("4", "4", { kind: "user", operationId: null }),
  ]);
  expect(calls.map((call) => [call.actionMessageId, call.outcome, call.resultMessageId])).toEqual([
    ["1", "refused", "2"],
    ["3", "open", null],
  ]);
});

it("calls an agent paused by the person paused, not dormant", () => {
  expect(badgeOf({ lifecycle: "dormant", dormantReason: "paused" })).toBe("paused");
  expect(badgeOf({ lifecycle: "dormant", dormantReason: "failures" })).toBe("dormant");
  expect(badgeOf({ lifecycle: "active", dormantReason: null })).toBe("active");
});

it("shortens a key, and computes how long a wake took", () => {
  expect(shortKey("0123456789abcdef")).toBe("012345…ef");
  expect(shortKey("short")).toBe("short");
  expect(wakeDuration({ startedAt: "2026-01-01T00:00:00Z", completedAt: "2026-01-01T00:00:19Z" })).toBe(19_000);
  expect(wakeDuration({ startedAt: "2026-01-01T00:00:00Z", completedAt: null })).toBeUndefined();
});

it("does not call a cancelled wake failed", () => {
  expect([isFailed({ status: "failed", failure: null }), outcomeOf({ status: "failed", failure: null })]).toEqual([true, "failed"]);
  for (const status of ["failed", "abandoned"] as const) {
    expect([isFailed({ status, failure: "cancelled" }), outcomeOf({ status, failure: "cancelled" })]).toEqual([false, "cancelled"]);
  }
});

it("counts wakes by the day they started, and the failed ones", () => {
  const at = (day: number): string => new Date(2026, 0, day, 12).toISOString();
  const counts = wakesPerDay([wake("a", at(3)), wake("b", at(3), "failed"), wake("c", at(1)), wake("d", at(30)), wake(null, at(3), "queued")], new Date(2026, 0, 3, 8), 3);
  expect(counts).toEqual([
    { day: "2026-01-01", n: 1, failed: 0 },
    { day: "2026-01-02", n: 0, failed: 0 },
    { day: "2026-01-03", n: 2, failed: 1 },
  ]);
});

it("accepts the title regardless of case and whitespace", () => {
  expect(matchesTitle("  plan  The trip ", "Plan the trip")).toBe(true);
  for (const typed of ["", "Plan", "Plan the trips"]) expect(matchesTitle(typed, "Plan the trip")).toBe(false);
  expect(matchesTitle("", "")).toBe(false);
});

describe("a note", () => {
  it("is marked by what sets it apart from most, also if a newer server sent it", () => {
    const marks = (priority: string | null, category: string | null) => noteMarks({ priority, category } as Pick<Message, "priority" | "category">);
    expect(marks("routine", "operational")).toEqual([]);
    expect(marks(null, null)).toEqual([]);
    expect(marks("critical", "grievance")).toEqual([["agent.priority", "critical"], ["agent.category", "grievance"]]);
    expect(marks("urgent", "operational")).toEqual([["agent.priority", "urgent"]]);
  });
});

describe("a search of what an agent knows", () => {
  it("finds decisions by all words, each from its beginning, whatever their case and accents", () => {
    const line = { text: "Due 31 January", reason: "Zu früh für Ölmühle" };
    expect(["due", "jan fruh", "OLM", "31"].map((words) => hasWords(line, words))).toEqual([true, true, true, true]);
    expect(["uary", "due march", "", " !? "].map((words) => hasWords(line, words))).toEqual([false, false, false, false]);
  });

  it("names a result as its removal does", () => {
    const hit = { line: 12, checkpoint: null, kind: "entry", at: "2026-01-02T03:04:05Z", entryId: "en-1", excerpt: "A rope." } as MemoryHit;
    expect(lineOfHit(hit, "jt-1")).toMatchObject({ line: "line-12", kind: "input", text: "A rope.", entryId: "en-1", taskId: "jt-1" });
    expect(lineOfHit({ ...hit, line: null, checkpoint: 3, kind: "summary" }, null)).toMatchObject({ line: "summary-3", kind: "summary" });
    expect(lineOfHit({ ...hit, kind: "observation", entryId: null }, null)).toMatchObject({ kind: "observation", entryId: null });
  });
});
