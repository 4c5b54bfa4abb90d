import { describe, expect, it } from "vitest";

import { scrollTo, spanInSight } from "./window";

describe("the rows to draw", () => {
  it("hold every row in sight, wherever one has scrolled", () => {
    for (let top = 500; top > -600_500; top -= 777) {
      const { from, to } = spanInSight(10_000, 60, top, 900);
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
    expect(spanInSight(5, 60, -9_000, 900)).toEqual({ from: 5, to: 5 });
    expect(spanInSight(5, 60, 9_000, 900)).toEqual({ from: 0, to: 0 });
  });

  it("stay the same over a little scrolling", () => {
    expect(spanInSight(1_000, 60, -6_010, 900)).toEqual(spanInSight(1_000, 60, -6_030, 900));
  });

  it("are all while no height is known", () => {
    expect(spanInSight(7, 0, -450, 900)).toEqual({ from: 0, to: 7 });
  });
});

describe("the way to a row", () => {
  const covered = { from: 100, to: 80 };
  it("is none when it is whole in sight", () => expect(scrollTo(3, 60, 100, 900, covered)).toBe(0));
  it("goes down until it is whole above the bar", () => expect(scrollTo(20, 60, 100, 900, covered)).toBe(540));
  it("goes up until nothing covers it", () => expect(scrollTo(1, 60, -200, 900, covered)).toBe(-240));
});
