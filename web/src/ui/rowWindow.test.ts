import { describe, expect, it } from "vitest";

import { scrollDelta, visibleRange } from "./rowWindow";

describe("the rows to draw", () => {
  it("hold every row in sight, wherever one has scrolled", () => {
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

  it("stay the same over a little scrolling", () => {
    expect(visibleRange(1_000, 60, -6_010, 900)).toEqual(visibleRange(1_000, 60, -6_030, 900));
  });

  it("are all while no height is known", () => {
    expect(visibleRange(7, 0, -450, 900)).toEqual({ from: 0, to: 7 });
  });
});

describe("the way to a row", () => {
  const covered = { from: 100, to: 80 };
  it("is none when it is whole in sight", () => expect(scrollDelta(3, 60, 100, 900, covered)).toBe(0));
  it("goes down until it is whole above the bar", () => expect(scrollDelta(20, 60, 100, 900, covered)).toBe(540));
  it("goes up until nothing covers it", () => expect(scrollDelta(1, 60, -200, 900, covered)).toBe(-240));
});
