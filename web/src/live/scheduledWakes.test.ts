import { describe, expect, it } from "vitest";

import { describeWake, nextWake, wakeTimeText } from "./scheduledWakes";

const now = new Date(2026, 10, 22, 10, 0);
const at = (day: number, hour: number): string => new Date(2026, 10, day, hour, 0).toISOString();

describe("the next wake", () => {
  it("is the first one that is not on hold", () => {
    const held = { at: at(22, 12), heldBy: "automation" };
    const never = { at: null, heldBy: "dormant" };
    const moved = { at: at(23, 9), heldBy: "sleepUntil" };
    expect(nextWake([held, never, moved])).toBe(moved);
    expect(nextWake([held, never])).toBeUndefined();
    expect(nextWake([])).toBeUndefined();
  });

  it.each([
    [at(22, 18), "wakeAt", "Wakes 18:00, as you scheduled"],
    [at(23, 9), "wakeAt", "Wakes tomorrow 09:00, as you scheduled"],
    [at(25, 9), "dueDate", "Wakes Wed 09:00 because the due date is near"],
    [at(22, 11), "backOff", "Wakes 11:00 to try again"],
  ])("%s for %s", (when, reason, text) => expect(describeWake({ at: when, reason }, now)).toBe(text));

  it("shows an unknown reason as it is", () => {
    expect(describeWake({ at: at(22, 18), reason: "fullMoon" }, now)).toBe("Wakes 18:00: fullMoon");
    expect(wakeTimeText({ reason: "fullMoon" })).toBe("wake.at.other");
  });
});
