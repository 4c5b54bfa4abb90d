import { describe, expect, it } from "vitest";

import type { Checkpoint, KnowledgeLine, Prompt, Wake } from "./data";
import { checkpointOf, earlierSummaries, lastReading, lineWords, readerWords, sortMemory, staysWords, windowParts } from "./knowledge";

const line = (n: number, subject: string | null, more: Partial<KnowledgeLine> = {}): KnowledgeLine =>
  ({ line: `line-${n}`, kind: "input", text: `text ${n}`, words: `words ${n}`, subject, isFolded: false, ...more }) as KnowledgeLine;
const summary = line(0, null, { line: "summary-4", kind: "summary" });

describe("the words of a line", () => {
  it("are those of the page for a decision, and without the marks of a prompt for the rest", () => {
    const change: KnowledgeLine["change"] = { field: { type: "estimate" }, from: null, to: { type: "minutes", minutes: 90 } };
    expect(lineWords(line(0, null, { kind: "decision", text: "Set time estimate to 1 h 30 min", change }))).toBe("Estimate: 1 h 30");
    expect(lineWords(line(0, null, { kind: "decision", text: "Send a letter", change: null }))).toBe("Send a letter");
    expect(lineWords(line(3, null, { text: "2026-03-01 dueDate: none -> 2026-03-06 (id: en-1):", words: "By phone (id: en-1)" }))).toBe("By phone (id: en-1)");
    expect(lineWords(summary)).toBe("words 0");
  });
});

describe("what the task keeps of a removed line", () => {
  const removal = (entryId: string | null, staysInTask: boolean) => ({ entryId, staysInTask });
  it("is said of items and fields, and of words that are still found there", () => {
    expect(staysWords(line(1, "item"), removal(null, true))).toBe("knows.staysInTask");
    expect(staysWords(line(1, "item"), removal(null, false))).toBe("knows.taskStays");
    expect(staysWords(line(1, null, { kind: "observation" }), removal(null, false))).toBeUndefined();
    expect(staysWords(line(1, null, { kind: "observation" }), removal(null, true))).toBe("knows.staysInTask");
  });
  it("is said with the entry where there is one", () => {
    expect(staysWords(line(1, "en-1"), removal("en-1", true))).toBeUndefined();
  });
});

describe("what an agent knows", () => {
  const shape = (lines: KnowledgeLine[]): unknown => {
    const { held, summaries, replaced } = sortMemory(lines);
    return [held.map((one) => [one.line.line, one.before?.line]), summaries.map((one) => one.line), replaced.map((one) => [one.line.line, one.by])];
  };

  it("holds the newest line about an entry, and names the one before", () => {
    expect(shape([line(5, "en-1"), line(4, null), line(3, "en-1"), line(2, "dueDate"), line(1, "en-1")])).toEqual([
      [
        ["line-5", "line-3"],
        ["line-4", undefined],
        ["line-2", undefined],
      ],
      [],
      [
        ["line-3", "line"],
        ["line-1", "line"],
      ],
    ]);
  });

  it("holds a summary instead of the lines that it stands for", () => {
    expect(shape([summary, line(5, "en-1"), line(3, "en-2", { isFolded: true }), line(2, "en-2", { isFolded: true }), line(1, "en-1", { isFolded: true })])).toEqual([
      [["line-5", "line-1"]],
      ["summary-4"],
      [
        ["line-3", "summary"],
        ["line-2", "line"],
        ["line-1", "line"],
      ],
    ]);
  });

  it("has the stored summary that a line shows", () => {
    const stored = [{ n: 4, depth: 2 }, { n: 3, depth: 1 }] as Checkpoint[];
    expect(checkpointOf(stored, summary)?.depth).toBe(2);
    expect(checkpointOf(stored, line(4, "en-1"))).toBeUndefined();
    expect(checkpointOf(undefined, summary)).toBeUndefined();
  });

  it("cannot be removed while somebody of a known kind reads it", () => {
    expect(["ag-1", "evo-1", "run-1"].map(readerWords)).toEqual(["knows.atWork.agent", "knows.atWork.session", "knows.atWork.work"]);
  });

  it("has earlier summaries of the same kind of model only", () => {
    const of = (n: number, audience: string, text: string | null = "t"): Checkpoint => ({ n, audience, text, fromLine: 1, uptoLine: n }) as Checkpoint;
    const checkpoints = [of(5, "elsewhere"), of(4, "own"), of(3, "elsewhere"), of(2, "own", null), of(1, "own")];
    expect(earlierSummaries(checkpoints, summary).map((one) => [one.line, one.folds])).toEqual([["summary-1", [1, 1]]]);
    expect(earlierSummaries(checkpoints, undefined)).toEqual([]);
  });
});

describe("what the last wakes read", () => {
  const wake = (inputTokens: number, cachedInputTokens: number, more: Partial<Wake> = {}): Wake =>
    ({ model: "house/qwen", status: "completed", turns: 2, inputTokens, cachedInputTokens, ...more }) as Wake;

  it("is counted over the wakes with the present model whose server counts", () => {
    const wakes = [wake(900, 0, { model: "cloud/big" }), wake(4000, 3800), wake(0, 0), wake(50, 0, { status: "failed" }), wake(4000, 3000)];
    expect(lastReading(wakes, "house/qwen")).toEqual({ wakes: 2, cachedShare: 0.85, newPerWake: 600, lastPerTurn: 2000 });
    expect(lastReading(wakes, "builtin")).toBeUndefined();
  });

  it("is that of the last ten", () => {
    const wakes = Array.from({ length: 14 }, (_, n) => wake(100, n < 10 ? 50 : 0));
    expect(lastReading(wakes, "house/qwen")).toMatchObject({ wakes: 10, cachedShare: 0.5 });
  });
});

describe("the parts of a window", () => {
  const prompt = (...pieces: [string, string][]): Prompt["fragments"] => pieces.map(([kind, text]) => ({ kind, text }) as Prompt["fragments"][number]);

  it("are rules, memory, the task and what is new, by their bytes", () => {
    const all = prompt(["system", "a".repeat(40)], ["summary", "é".repeat(10)], ["log", "b".repeat(21)], ["taskState", "c"], ["delta", "d".repeat(8)], ["instruction", "e".repeat(40)], ["tools", "[]"]);
    expect(windowParts(all)).toEqual([
      { part: "rules", tokens: 21 },
      { part: "memory", tokens: 11 },
      { part: "task", tokens: 1 },
      { part: "news", tokens: 2 },
    ]);
  });

  it("leave out what there is none of", () => {
    expect(windowParts(prompt(["system", "abc"]))).toEqual([{ part: "rules", tokens: 1 }]);
    expect(windowParts([])).toEqual([]);
  });
});
