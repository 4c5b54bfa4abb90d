import { describe, expect, it } from "vitest";

import type { DecisionCounts, MetricChange, Metrics, WeekMetrics } from "./data";
import { comparedRows, confirmedWords, confirmRate, decidedBars, modelWords, rateWords, topOf, versionWords, wokeBars } from "./metrics";

const decisions = (confirmed: number, rejected: number, confirmRate: number | null): DecisionCounts => ({ confirmed, rejected, deferred: 0, expired: 0, byRule: 0, confirmRate });

const metrics = (parts: Partial<Metrics>): Metrics => ({
  wakes: 0,
  failed: 0,
  failureRate: null,
  inputTokens: 0,
  outputTokens: 0,
  tokensPerWake: null,
  cost: 0,
  costPerWake: null,
  decisions: decisions(0, 0, null),
  ...parts,
});

describe("a rate", () => {
  it("of too few is too early to say, and of none is nothing", () => {
    expect([rateWords(85), rateWords(0), rateWords(null)]).toEqual(["85%", "0%", "Too early to say"]);
    expect([confirmedWords(decisions(3, 2, null)), confirmedWords(decisions(0, 0, null))]).toEqual(["3 of 5", ""]);
    expect([confirmRate(decisions(3, 2, null)), confirmRate(decisions(30, 10, 75)), confirmRate(decisions(0, 0, null))]).toEqual(["Too early to say", "75%", ""]);
  });
});

describe("what a row is about", () => {
  it("is named, also if it is not known", () => {
    expect([versionWords(3), versionWords(null), modelWords(null)]).toEqual(["Version 3", "Unknown version", "Unknown model"]);
  });
});

describe("a comparison", () => {
  const change = (now: number | null, before: number | null, judgement: MetricChange["judgement"]): MetricChange => ({ now, before, judgement });
  it("says each figure of both versions and what the difference means", () => {
    const rows = comparedRows({
      version: 3,
      before: 2,
      confirmed: change(85, 40, "better"),
      failures: change(2, 3, "same"),
      cost: change(null, 10_000, "tooEarly"),
      tokens: change(1200, 800, "worse"),
      tools: [{ tool: "set_task_title", confirmed: change(90, 50, "better") }],
    });
    expect(rows.map(({ label, now, before, judgement, tone }) => [label, now, before, judgement, tone])).toEqual([
      ["Confirm rate", "85%", "40%", "Better", "accent"],
      ["Failure rate", "2%", "3%", "About the same", ""],
      ["Cost each", "", "$0.01", "Too early to say", ""],
      ["Tokens each", "1.2k", "800", "Worse", "caution"],
      ["Confirm rate: Title", "90%", "50%", "Better", "accent"],
    ]);
  });
});

describe("the plots", () => {
  const weeks: WeekMetrics[] = [
    { from: "2026-11-16", metrics: metrics({ wakes: 4, failed: 1, decisions: decisions(2, 5, null) }) },
    { from: "2026-11-23", metrics: metrics({}) },
  ];
  it("have a bar for each week, with what failed or was rejected on top", () => {
    const decided = decidedBars(weeks, (iso) => iso);
    expect(decided[0]).toEqual({
      key: "2026-11-16",
      title: "Week of 2026-11-16: 2 confirmed, 5 rejected",
      parts: [
        { value: 2, tone: "accent" },
        { value: 5, tone: "stone" },
      ],
    });
    const woke = wokeBars(weeks, (iso) => iso);
    expect(woke.map((bar) => bar.parts.map((part) => part.value))).toEqual([
      [3, 1],
      [0, 0],
    ]);
    expect([topOf(decided), topOf(woke), topOf([])]).toEqual([7, 4, 1]);
  });
});
