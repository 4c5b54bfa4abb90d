import { describe, expect, it } from "vitest";

import { nextFocus, stabilize, type Row } from "./stableRows";

const self = (text: string): string => text;
const rowsOf = (...keys: string[]): Row<string>[] => keys.map((key) => ({ key, value: key, isResolved: false }));
const none: ReadonlySet<string> = new Set();
const seen = (result: { rows: Row<string>[] }): string[] => result.rows.map((row) => (row.isResolved ? `-${row.key}` : row.key));

describe("stabilize", () => {
  it("follows the server while nobody is in the list", () => {
    const result = stabilize(rowsOf("a", "b"), ["c", "b"], self, { isHeld: false, decidedHere: none });
    expect(seen(result)).toEqual(["c", "b"]);
    expect(result.waiting).toBe(0);
  });

  it("moves nothing while held: removed rows stay as placeholders, new rows wait", () => {
    const result = stabilize(rowsOf("a", "b", "c"), ["x", "c", "b"], self, { isHeld: true, decidedHere: none });
    expect(seen(result)).toEqual(["-a", "b", "c"]);
    expect(result.waiting).toBe(1);
  });

  it("removes what the person decided at once, and puts back what they undid", () => {
    const decidedHere = new Set(["b", "d"]);
    const result = stabilize(rowsOf("a", "b", "c"), ["a", "c", "d", "e"], self, { isHeld: true, decidedHere });
    expect(seen(result)).toEqual(["a", "c", "d"]);
    expect(result.waiting).toBe(1);
    expect(seen(stabilize(rowsOf("a", "c"), ["b", "a", "c"], self, { isHeld: true, decidedHere }))).toEqual(["b", "a", "c"]);
  });

  it("fills an empty list at once", () => {
    expect(seen(stabilize([], ["a"], self, { isHeld: true, decidedHere: none }))).toEqual(["a"]);
  });
});

describe("nextFocus", () => {
  it("moves forward, and back at the end", () => {
    const keys = ["a", "b", "c"];
    expect(nextFocus(keys, "a", new Set(["a", "b"]))).toBe("c");
    expect(nextFocus(keys, "c", new Set(["c"]))).toBe("b");
    expect(nextFocus(["a"], "a", new Set(["a"]))).toBeUndefined();
  });
});
