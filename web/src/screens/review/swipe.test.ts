import { describe, expect, it } from "vitest";

import { axisOf, swiped, velocityOf } from "./swipe";

describe("axisOf", () => {
  it("waits until the axis is clear, and leaves scrolling alone", () => {
    expect(axisOf(5, 3)).toBeUndefined();
    expect(axisOf(12, 4)).toBe("x");
    expect(axisOf(-12, 14)).toBe("y");
  });
});

describe("swiped", () => {
  const width = 400;

  it("commits at 40 % of the width", () => {
    expect(swiped({ dx: 159, width, velocity: 0 })).toBeUndefined();
    expect(swiped({ dx: 160, width, velocity: 0 })).toBe("confirm");
    expect(swiped({ dx: -160, width, velocity: 0 })).toBe("reject");
  });

  it("commits a flick, but not a twitch", () => {
    expect(swiped({ dx: 40, width, velocity: 0.9 })).toBe("confirm");
    expect(swiped({ dx: -40, width, velocity: -0.9 })).toBe("reject");
    expect(swiped({ dx: 20, width, velocity: 0.9 })).toBeUndefined();
    expect(swiped({ dx: 40, width, velocity: 0.2 })).toBeUndefined();
  });

  it("does nothing when thrown back", () => {
    expect(swiped({ dx: 250, width, velocity: -0.8 })).toBeUndefined();
  });

  it("does nothing without a width", () => {
    expect(swiped({ dx: 0, width: 0, velocity: 0 })).toBeUndefined();
  });
});

describe("velocityOf", () => {
  it("measures the end of the movement", () => {
    expect(velocityOf([])).toBe(0);
    expect(velocityOf([{ x: 0, at: 0 }, { x: 300, at: 500 }, { x: 300, at: 600 }])).toBe(0);
    expect(velocityOf([{ x: 0, at: 0 }, { x: 10, at: 950 }, { x: 60, at: 1000 }])).toBe(1);
  });
});
