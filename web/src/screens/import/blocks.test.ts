import { describe, expect, it } from "vitest";

import { blockAt, blocksOf } from "./blocks";
import type { Made } from "./corrections";
import type { Correction, ImportPlan, PlanTask, Role } from "./types";

const task = (line: number): PlanTask => ({
  line, title: `task ${line}`, readTitle: null, status: null, statusReason: null, priority: null, dueOn: null, estimateMinutes: null,
  category: null, labels: [], starred: false, private: false, items: 0, checkedItems: 0, notes: 0, suggestsAgent: false, agent: null, outcome: "created", taskId: null, changes: [], kept: [],
});

/** A plan from rows such as "2-3 item 0": lines, role, task. */
function plan(rows: readonly string[], tasks: readonly number[]): ImportPlan {
  const lines = rows.map((row) => {
    const [span, role, of] = row.split(" ");
    const [from, to] = (span ?? "").split("-").map(Number);
    return { from: from ?? 0, to: to ?? from ?? 0, role: role as Role, task: of === undefined ? null : Number(of) };
  });
  return { file: "a.md", format: "markdown", digest: "", lines, tasks: tasks.map(task), remarks: [], sheet: null };
}

const made = (...corrections: Correction[]): Made[] => corrections.map((correction) => ({ correction, about: "" }));
const summary = (given: ImportPlan, corrections: readonly Made[] = []): string[] =>
  blocksOf(given, corrections).map((block) => `${block.from}-${block.to} ${block.kind}${block.task === null ? "" : ` ${block.task}`}, ${block.count}`);

describe("the blocks of a plan", () => {
  it("are a task each, with what belongs to none between them; blank lines are not shown", () => {
    const given = plan(["1 category", "2 blank", "3 task 0", "4-6 note 0", "7 blank", "8 task 1", "9 item 1", "10 skipped"], [3, 8]);
    expect(summary(given)).toEqual(["1-1 text, 1", "3-6 task 0, 4", "8-9 task 1, 2", "10-10 text, 1"]);
  });

  it("show the signs around the front matter of a note within its task", () => {
    const given = plan(["1 markup", "2-3 field 0", "4 markup", "5 blank", "6 task 0", "7 item 0", "8 markup", "9 blank", "10 task 1"], [6, 10]);
    expect(summary(given)).toEqual(["1-7 task 0, 6", "8-8 text, 1", "10-10 task 1, 1"]);
  });

  it("show a line that was left out within its task", () => {
    const given = plan(["1 task 0", "2 item 0", "3 leftOut", "4 item 0", "5 task 1"], [1, 5]);
    expect(summary(given)).toEqual(["1-4 task 0, 4", "5-5 task 1, 1"]);
  });

  it("show the last item of a task, left out by the person, within it", () => {
    const given = plan(["1 task 0", "2 item 0", "3 leftOut", "4 task 1"], [1, 4]);
    expect(summary(given, made({ line: 3, edit: "leaveOut" }))).toEqual(["1-3 task 0, 3", "4-4 task 1, 1"]);
  });

  it("keep tasks that were left out apart", () => {
    const given = plan(["1 task 0", "2 leftOut", "3 blank", "4-6 leftOut", "7 task 1"], [1, 7]);
    const corrections = made({ line: 2, edit: "leaveOutTask" }, { line: 4, edit: "leaveOutTask" });
    expect(summary(given, corrections)).toEqual(["1-1 task 0, 1", "2-2 leftOut, 1", "4-6 leftOut, 3", "7-7 task 1, 1"]);
  });

  it("part a long task, so that not all of its lines are drawn", () => {
    const given = plan(["1 task 0", "2-10000 note 0"], [1]);
    const blocks = summary(given);
    expect(blocks).toHaveLength(250);
    expect(blocks.slice(0, 2)).toEqual(["1-40 task 0, 40", "41-80 more 0, 40"]);
    expect(blocks.at(-1)).toBe("9961-10000 more 0, 40");
  });

  it("show each task of a text in one line, as JSON can be", () => {
    const given = plan(["1 task 0"], [1, 1, 1]);
    expect(summary(given)).toEqual(["1-1 task 0, 1", "1-1 task 1, 0", "1-1 task 2, 0"]);
    expect(new Set(blocksOf(given, []).map((block) => block.id)).size).toBe(3);
  });

  it("show a task once whose lines lie apart", () => {
    const given = plan(["1 task 0", "2 task 1", "3 note 0"], [1, 2]);
    expect(summary(given)).toEqual(["1-1 task 0, 1", "2-2 task 1, 1", "3-3 more 0, 1"]);
  });

  it("are found by a line", () => {
    const given = plan(["1 category", "2 task 0", "3-90 note 0", "91 task 1"], [2, 91]);
    const blocks = blocksOf(given, []);
    expect([1, 2, 60, 91, 200].map((line) => blockAt(blocks, given, line))).toEqual([0, 1, 2, 4, undefined]);
  });
});
