import { describe, expect, it } from "vitest";

import { lastOutside, isBelow } from "./tabHistory";

describe("isBelow", () => {
  it.each([
    ["/tasks/jt-1", true],
    ["/tasks/jt-1?edit=due", true],
    ["/tasks/jt-1/changes?set=cs-1", true],
    ["/tasks/jt-12", false],
    ["/tasks", false],
  ])("%s", (address, is) => expect(isBelow(address, ["/tasks/jt-1"])).toBe(is));
});

describe("lastOutside", () => {
  const entries = ["/", "/tasks/jt-1", "/tasks?q=a", "/tasks/jt-1", "/agents/ag-1/wakes", "/tasks/jt-1"];

  it("finds the nearest entry about something else", () => {
    expect(lastOutside(entries, 5, ["/tasks/jt-1"])).toBe(4);
    expect(lastOutside(entries, 5, ["/tasks/jt-1", "/agents/ag-1"])).toBe(2);
    expect(lastOutside(entries, 1, ["/tasks/jt-1"])).toBe(0);
  });

  it("finds nothing if all entries are about it or unknown", () => {
    expect(lastOutside([undefined, "/tasks/jt-1"], 1, ["/tasks/jt-1"])).toBeUndefined();
    expect(lastOutside(["/tasks/jt-1"], 0, ["/tasks/jt-1"])).toBeUndefined();
  });
});
