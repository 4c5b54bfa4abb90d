import { describe, expect, it } from "vitest";

import { scrollDelta, visibleRange } from "./rowWindow";

describe("the rows to render", () => {
  it("include every visible row at any scroll position", () => {
    for (let top = 500; top > -600_500; top -= 777) {
      const { from, to } = visibleRange(10_000, 60, top, 900);
      const first = Math.max(0, Math.floor(-top / 60));
      const last = Math.min(10_000, Math.ceil((900 - top) / 60));
      if (last > first) {
        expect(from).toBeLessThanOrEqual(first);
        expect(to).toBeGreaterThanOrEqual(last);
      }
      expect(to - from).toBeLessThanOrEqual(60);
    }
  });

  it("are none beyond the list", () => {
    expect(visibleRange(5, 60, -9_000, 900)).toEqual({ from: 5, to: 5 });
    expect(visibleRange(5, 60, 9_000, 900)).toEqual({ from: 0, to: 0 });
  });

  it("stay the same for small movements", () => {
    expect(visibleRange(1_000, 60, -6_010, 900)).toEqual(visibleRange(1_000, 60, -6_030, 900));
  });

  it("are all while the height is unknown", () => {
    expect(visibleRange(7, 0, -450, 900)).toEqual({ from: 0, to: 7 });
  });
});

describe("the distance to a row", () => {
  const covered = { from: 100, to: 80 };
  it("is zero if it is fully visible", () => expect(scrollDelta(3, 60, 100, 900, covered)).toBe(0));
  it("goes down until it is above the bar", () => expect(scrollDelta(20, 60, 100, 900, covered)).toBe(540));
  it("goes up until nothing covers it", () => expect(scrollDelta(1, 60, -200, 900, covered)).toBe(-240));
});
