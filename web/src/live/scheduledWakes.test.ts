import { describe, expect, it } from "vitest";

import { wakeReason, nextWake, describeWake } from "./scheduledWakes";

const now = new Date(2026, 10, 22, 10, 0);
const at = (day: number, hour: number): string => new Date(2026, 10, day, hour, 0).toISOString();

describe("the next wake", () => {
  it("is the first that nothing keeps from coming", () => {
    const held = { at: at(22, 12), heldBy: "automation" };
    const never = { at: null, heldBy: "dormant" };
    const moved = { at: at(23, 9), heldBy: "sleepUntil" };
    expect(nextWake([held, never, moved])).toBe(moved);
    expect(nextWake([held, never])).toBeUndefined();
    expect(nextWake([])).toBeUndefined();
  });

  it.each([
    [at(22, 18), "wakeAt", "wakes 18:00, because you asked"],
    [at(23, 9), "wakeAt", "wakes tomorrow 09:00, because you asked"],
    [at(25, 9), "dueDate", "wakes Wed 09:00, because the due day is near"],
    [at(22, 11), "backOff", "wakes 11:00, to try again"],
  ])("%s for %s", (when, reason, said) => expect(describeWake({ at: when, reason }, now)).toBe(said));

  it("tells a reason that it does not know as it is", () => expect(wakeReason({ reason: "fullMoon" })).toBe("fullMoon"));
});
