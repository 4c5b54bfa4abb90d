import { describe, expect, it } from "vitest";

import { LINE_KEYS } from "../../app/shortcuts";
import { CHOICE_KEYS, choicesFor, listedNotes, moved, runAt, summary, withCorrection, withoutPlace, type Made } from "./corrections";
import type { Correction } from "./types";

const made = (...corrections: Correction[]): Made[] => corrections.reduce<Made[]>((all, correction) => withCorrection(all, { correction, about: "" }), []);
const edits = (all: readonly Made[]): string[] => all.map(({ correction }) => `${correction.line} ${correction.edit}`);

describe("corrections", () => {
  it("of the same thing replace each other", () => {
    const all = made(
      { line: 3, edit: "renameTask", title: "a" },
      { line: 5, edit: "setRole", role: "note" },
      { line: 3, edit: "renameTask", title: "b" },
      { line: 5, edit: "split" },
    );
    expect(edits(all)).toEqual(["3 renameTask", "5 split"]);
    expect(all[0]?.correction).toMatchObject({ title: "b" });
  });

  it("of different things stay side by side", () => {
    const all = made({ line: 3, edit: "renameTask", title: "a" }, { line: 3, edit: "join" }, { line: 3, edit: "setAgent", agent: "give" });
    expect(edits(all)).toEqual(["3 renameTask", "3 join", "3 setAgent"]);
    expect(edits(withoutPlace(all, 1, 9))).toEqual(["3 renameTask", "3 setAgent"]);
    expect(edits(withoutPlace(all, 4, 9))).toEqual(["3 renameTask", "3 join", "3 setAgent"]);
  });

  it("are counted by kind; an agent is not", () => {
    const all = made(
      { line: 1, edit: "join" },
      { line: 2, edit: "leaveOut" },
      { line: 3, edit: "leaveOutTask" },
      { line: 4, edit: "setAgent", agent: "refuse" },
      { line: 5, edit: "rename", title: "x" },
    );
    expect(summary(all)).toEqual([["joined", 1], ["leftOut", 2], ["renamed", 1]]);
  });
});

describe("corrections of a text that was edited", () => {
  const before = ["# A", "- one", "- same", "# B", "- same"];

  it("move with their lines", () => {
    const all = made({ line: 2, edit: "split" }, { line: 4, edit: "join" });
    expect(edits(moved(all, before, ["new", ...before]))).toEqual(["3 split", "5 join"]);
  });

  it("mean the same one of several equal lines", () => {
    expect(edits(moved(made({ line: 5, edit: "leaveOut" }), before, ["", ...before]))).toEqual(["6 leaveOut"]);
  });

  it("go with a line that is gone", () => {
    expect(moved(made({ line: 5, edit: "leaveOut" }), before, before.slice(0, 4))).toEqual([]);
    expect(moved(made({ line: 2, edit: "split" }), before, ["# A", "- one, changed"])).toEqual([]);
  });
});

it("finds the run of a line", () => {
  const run = (from: number, to: number) => ({ from, to, role: "note" as const, task: null });
  const lines = [run(1, 1), run(2, 40), run(41, 41)];
  expect([0, 1, 2, 40, 41, 42].map((line) => runAt({ lines }, line)?.from)).toEqual([undefined, 1, 2, 2, 41, undefined]);
});

describe("the menu of a line", () => {
  it.each<[string, Parameters<typeof choicesFor>, string[]]>([
    ["an item", ["item", true, false, "markdown"], ["item", "note", "due", "task", "join", "leaveOut"]],
    ["an item of the first task", ["item", true, true, "markdown"], ["item", "note", "due", "task", "leaveOut"]],
    ["a line of JSON", ["note", true, false, "trello"], ["join", "leaveOutTask"]],
    ["a task", ["task", true, false, "markdown"], ["join", "category", "leaveOutTask"]],
    ["a category", ["category", false, false, "markdown"], ["leaveOut"]],
    ["what was left out", ["leftOut", false, false, "markdown"], ["putBack"]],
    ["a fence", ["markup", true, false, "markdown"], []],
  ])("of %s", (_, given, choices) => expect(choicesFor(...given)).toEqual(choices));
});

it("finds the lines of lists that are text of a task", () => {
  const lines = ["# Flat", "Before spring:", "- paint", "  2) rugs", "- [ ] keys", "* lamps", "-5 degrees", "• shelf"];
  const runs = [
    { from: 1, to: 1, role: "task", task: 0 },
    { from: 2, to: 4, role: "note", task: 0 },
    { from: 5, to: 5, role: "item", task: 0 },
    { from: 6, to: 8, role: "note", task: 0 },
  ] as const;
  expect(listedNotes(runs, lines, "markdown")).toEqual([3, 4, 6, 8]);
  expect(listedNotes(runs, lines, "trello")).toEqual([]);
  expect(listedNotes([{ from: 3, to: 4, role: "note", task: null }], lines, "markdown")).toEqual([]);
});

it("names every key of the menu of a line in the table of shortcuts", () => {
  const shown = LINE_KEYS.flatMap((row) => row.keys.map((key) => key.toLowerCase()));
  expect(shown.toSorted()).toEqual([...new Set(Object.values(CHOICE_KEYS))].toSorted());
});
