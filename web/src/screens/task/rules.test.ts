import { describe, expect, it } from "vitest";

import { change } from "../review/testChange";
import type { Entry, Item } from "./data";
import { checklistsOf, diffLines, dueTone, firstParagraph, idsOf, linkKey, newestFirst, proposalsByItem, readDuration, stateOf, withPending } from "./rules";

describe("stateOf", () => {
  it("prefers the lifecycle of a stopped agent over its activity", () => {
    expect(stateOf({ lifecycle: "dormant", activity: "running" })).toBe("dormant");
    expect(stateOf({ lifecycle: "active", activity: "running" })).toBe("awake");
    expect(stateOf({ lifecycle: "active", activity: "queued" })).toBe("queued");
    expect(stateOf({ lifecycle: "created", activity: "asleep" })).toBe("asleep");
  });
});

describe("firstParagraph", () => {
  it("skips headings", () => {
    expect(firstParagraph("## Done\n\nTwo photos\nare taken.\n\nMore.")).toBe("Two photos\nare taken.");
    expect(firstParagraph("# Only this")).toBe("");
  });
});

const item = (id: string, parts: Partial<Item> = {}): Item => ({
  id,
  checklist: "cl-1",
  title: id,
  isChecked: false,
  isArchived: false,
  checkedBy: "user",
  checkedAt: null,
  depth: 0,
  ...parts,
});

describe("checklistsOf", () => {
  it("keeps the order, sets archived items apart and does not count them", () => {
    const lists = checklistsOf([
      item("a", { isChecked: true }),
      item("b", { checklist: "cl-2" }),
      item("c", { isChecked: true, isArchived: true }),
      item("d"),
    ]);
    expect(lists.map((list) => list.id)).toEqual(["cl-1", "cl-2"]);
    expect(lists[0]?.open.map((one) => one.id)).toEqual(["a", "d"]);
    expect(lists[0]?.archived.map((one) => one.id)).toEqual(["c"]);
    expect(lists[0]?.done).toBe(1);
  });
});

describe("newestFirst", () => {
  it("sorts by the day an entry is about, then by when it was written", () => {
    const entry = (id: string, on: string, createdAt: string): Entry => ({ id, on, createdAt, kind: "text", text: "", minutes: null, tainted: false, starred: false, private: false });
    const entries = [
      entry("late note of an early day", "2026-11-01", "2026-11-20T10:00:00Z"),
      entry("first", "2026-11-19", "2026-11-19T08:00:00Z"),
      entry("second", "2026-11-19", "2026-11-19T09:00:00Z"),
    ];
    expect(newestFirst(entries).map((one) => one.id)).toEqual(["second", "first", "late note of an early day"]);
    expect(entries[0]?.on).toBe("2026-11-01");
  });
});

describe("proposalsByItem", () => {
  it("finds changes to existing items", () => {
    const ofItem = (id: string | null): ReturnType<typeof change> =>
      change({ change: { field: { type: "item", id }, from: null, to: null } });
    const tick = ofItem("ci-1");
    const found = proposalsByItem([tick, ofItem(null), change(), change({ change: null })]);
    expect([...found]).toEqual([["ci-1", [tick]]]);
  });
});

describe("readDuration", () => {
  it.each([
    ["45", 45],
    ["90 min", 90],
    ["1:30", 90],
    ["1 h 30", 90],
    ["1h", 60],
    ["1,5 h", 90],
    ["2 hours 5 minutes", 125],
    ["0", 0],
  ])("reads %s", (text, minutes) => {
    expect(readDuration(text)).toBe(minutes);
  });

  it.each(["", "soon", "1:75", "-5", "h", "1 30"])("rejects %j", (text) => {
    expect(readDuration(text)).toBeUndefined();
  });
});

describe("diffLines", () => {
  const marks = { same: " ", added: "+", removed: "-" };
  const marked = (before: string, after: string): string[] => diffLines(before, after).map((line) => marks[line.is] + line.text);

  it("keeps common lines", () => {
    expect(marked("a\nb\nc\nd", "a\nc\nx\nd")).toEqual([" a", "-b", " c", "+x", " d"]);
    expect(marked("a", "a")).toEqual([" a"]);
    expect(marked("a\na", "a")).toEqual([" a", "-a"]);
  });

  it("handles long texts without comparing every pair of lines", () => {
    const lines = (sign: string): string => Array.from({ length: 3000 }, (_, at) => sign + at).join("\n");
    const both = (sign: string): string => `top\n${lines(sign)}\nshared\n${lines(sign)}`;
    expect(diffLines(both("a"), both("b")).filter((line) => line.is === "same")).toHaveLength(1);
  });
});

describe("linkKey", () => {
  it("has one key for symmetric links", () => {
    expect(linkKey({ kind: "relatesTo", direction: "in" })).toBe("relatesTo");
    expect(linkKey({ kind: "blocks", direction: "in" })).toBe("blocks.in");
  });
});

describe("dueTone", () => {
  it("warns five days ahead", () => {
    expect(dueTone("2026-11-21", "2026-11-22")).toBe("past");
    expect(dueTone("2026-11-22", "2026-11-22")).toBe("soon");
    expect(dueTone("2026-11-27", "2026-11-22")).toBe("soon");
    expect(dueTone("2026-11-28", "2026-11-22")).toBe("plain");
  });
});

describe("a pending part", () => {
  const part = (id: string, text: string): { id: string; text: string } => ({ id, text });
  const mine = part("new-1", "Twice a week.");
  const shown = (parts: { id: string; text: string }[]): string[] =>
    withPending(parts, idsOf([part("a", "Twice a week.")]), mine, (other) => other.text === mine.text).map((one) => one.id);

  it("is shown until the server's version of it is there", () => {
    expect(shown([part("a", "Twice a week.")])).toEqual(["a", "new-1"]);
    expect(shown([part("a", "Twice a week."), part("b", "Something else.")])).toEqual(["a", "b", "new-1"]);
    expect(shown([part("a", "Twice a week."), part("b", "Twice a week.")])).toEqual(["a", "b"]);
  });

  it("is not replaced by another pending part", () => {
    expect(shown([part("a", "Twice a week."), part("new-2", "Twice a week.")])).toEqual(["a", "new-2", "new-1"]);
  });
});
