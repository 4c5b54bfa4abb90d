import { describe, expect, it } from "vitest";

import { nextOf, settled, type Row } from "./steady";

const self = (text: string): string => text;
const rowsOf = (...keys: string[]): Row<string>[] => keys.map((key) => ({ key, value: key, isGone: false }));
const none: ReadonlySet<string> = new Set();
const seen = (result: { rows: Row<string>[] }): string[] => result.rows.map((row) => (row.isGone ? `-${row.key}` : row.key));

describe("settled", () => {
  it("follows the server while nobody has a hand in it", () => {
    const result = settled(rowsOf("a", "b"), ["c", "b"], self, { isHeld: false, mine: none });
    expect(seen(result)).toEqual(["c", "b"]);
    expect(result.waiting).toBe(0);
  });

  it("moves nothing under the hand: what went stays as a shadow, what came waits", () => {
    const result = settled(rowsOf("a", "b", "c"), ["x", "c", "b"], self, { isHeld: true, mine: none });
    expect(seen(result)).toEqual(["-a", "b", "c"]);
    expect(result.waiting).toBe(1);
  });

  it("lets go at once of what the person decided, and takes back what they took back", () => {
    const mine = new Set(["b", "d"]);
    const result = settled(rowsOf("a", "b", "c"), ["a", "c", "d", "e"], self, { isHeld: true, mine });
    expect(seen(result)).toEqual(["a", "c", "d"]);
    expect(result.waiting).toBe(1);
    expect(seen(settled(rowsOf("a", "c"), ["b", "a", "c"], self, { isHeld: true, mine }))).toEqual(["b", "a", "c"]);
  });

  it("fills an empty list at once", () => {
    expect(seen(settled([], ["a"], self, { isHeld: true, mine: none }))).toEqual(["a"]);
  });
});

describe("nextOf", () => {
  it("goes on, and back at the end", () => {
    const keys = ["a", "b", "c"];
    expect(nextOf(keys, "a", new Set(["a", "b"]))).toBe("c");
    expect(nextOf(keys, "c", new Set(["c"]))).toBe("b");
    expect(nextOf(["a"], "a", new Set(["a"]))).toBeUndefined();
  });
});
