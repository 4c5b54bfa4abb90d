import { describe, expect, it } from "vitest";

import type { Row } from "./data";
import { applyEdits, countNew, groupsOf, keepOrder, type LoadedSegment } from "./segments";

const row = (id: string, over: Partial<Row> = {}): Row => ({ id, title: id, status: "OPEN", dueOn: null, ...over }) as Row;
const part = (key: string, ids: string[], next: string | null = null): LoadedSegment => ({
  segment: { key, query: {} },
  rows: ids.map((id) => row(id)),
  next,
});
const now = new Date(2026, 10, 22, 12);

describe("an edit", () => {
  it("changes its row and leaves the others as they are", () => {
    const before = part("OPEN", ["a", "b"]);
    const after = applyEdits(before, new Map([["b", { title: "new" }]]));
    expect(after.rows.map((one) => one.title)).toEqual(["a", "new"]);
    expect(after.rows[0]).toBe(before.rows[0]);
  });

  it("changes nothing if its row is elsewhere", () => {
    const before = part("OPEN", ["a"]);
    expect(applyEdits(before, new Map([["z", { title: "new" }]]))).toBe(before);
  });

  it("keeps where a search found the row", () => {
    const match = { where: "report" as const, snippet: "…" };
    const before = { ...part("OPEN", []), rows: [row("a", { match })] };
    expect(applyEdits(before, new Map([["a", { title: "new" }]])).rows[0]?.match).toEqual(match);
  });
});

describe("a list that is held still", () => {
  it("keeps its order and takes new values", () => {
    const newer = [part("IN PROGRESS", ["b"]), part("OPEN", ["c", "a"])];
    newer[0] = { ...part("IN PROGRESS", []), rows: [row("b", { status: "IN PROGRESS" })] };
    const kept = keepOrder([part("OPEN", ["a", "b", "gone"])], newer);
    expect(kept[0]?.rows.map((one) => [one.id, one.status])).toEqual([["a", "OPEN"], ["b", "IN PROGRESS"], ["gone", "OPEN"]]);
  });

  it("counts new rows", () => {
    expect(countNew([part("OPEN", ["a", "b"])], [part("OPEN", ["x", "b", "a", "y"])])).toBe(2);
  });

  it("does not count moved rows", () => {
    expect(countNew([part("OPEN", ["a"]), part("DONE", [])], [part("OPEN", []), part("DONE", ["a"])])).toBe(0);
  });

  it("counts nothing beyond the last row of an incomplete segment", () => {
    expect(countNew([part("OPEN", ["a", "b"], "2")], [part("OPEN", ["x", "a", "b", "c", "d"], "5")])).toBe(1);
  });
});

describe("groups", () => {
  it("are the segments with rows", () => {
    const groups = groupsOf([part("OPEN", []), part("DONE", ["a"], "1")], now);
    expect(groups.map((group) => [group.key, group.rows.length, group.isWhole])).toEqual([["DONE", 1, false]]);
  });

  it("follow the due date within the segment sorted by it; only the last may be incomplete", () => {
    const rows = [row("a", { dueOn: "2026-11-01" }), row("b", { dueOn: "2026-11-23" }), row("c", { dueOn: "2026-11-24" }), row("d")];
    const groups = groupsOf([{ ...part("due", [], "4"), rows }], now);
    expect(groups.map((group) => [group.key, group.rows.map((one) => one.id).join(""), group.isWhole])).toEqual([
      ["overdue", "a", true],
      ["week", "bc", true],
      ["none", "d", false],
    ]);
  });
});
