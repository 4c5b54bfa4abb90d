import { describe, expect, it } from "vitest";

import { choiceAt, chosen, reasonAt, pendingDecisions, without } from "./draft";
import { keyOf } from "./change";
import { change } from "./testChange";

const moved = change({
  change: { field: { type: "estimate" }, from: { type: "minutes", minutes: 60 }, to: { type: "minutes", minutes: 120 } },
  current: { type: "minutes", minutes: 180 },
  now: "3 hours",
});

describe("choiceAt", () => {
  it("selects nothing by default", () => {
    expect(choiceAt({}, change())).toBeUndefined();
  });

  it("keeps a selection", () => {
    expect(choiceAt(chosen({}, change(), "confirm"), change())).toBe("confirm");
  });

  it("selects Later for a changed value, even after a selection", () => {
    expect(choiceAt({}, moved)).toBe("defer");
    expect(choiceAt(chosen({}, change(), "confirm"), change({ now: "3 hours" }))).toBe("defer");
    expect(choiceAt(chosen({}, change(), "confirm"), change({ digest: "e".repeat(64) }))).toBe("defer");
  });

  it("accepts a selection made after the value changed", () => {
    expect(choiceAt(chosen({}, moved, "confirm"), moved)).toBe("confirm");
  });

  it("remembers items saved for later", () => {
    expect(choiceAt({}, change({ status: "deferred" }))).toBe("defer");
  });
});

describe("the draft", () => {
  it("keeps the reason when the choice changes", () => {
    const draft = chosen(chosen({}, change(), "reject", "too long"), change(), "confirm");
    expect(reasonAt(draft, change())).toBe("too long");
    expect(without(draft, new Set([keyOf(change())]))).toEqual({});
  });

  it("sends the selections, with a reason only for rejections", () => {
    const [one, two, three, four] = [1, 2, 3, 4].map((index) => change({ index }));
    if (one === undefined || two === undefined || three === undefined || four === undefined) throw new Error();
    let draft = chosen({}, one, "confirm", "no word");
    draft = chosen(draft, two, "reject", " too long ");
    const off = { ...three, status: "deferred" as const };
    expect(pendingDecisions(draft, [one, two, off, four])).toEqual([
      { change: one, verdict: "confirm", reason: undefined },
      { change: two, verdict: "reject", reason: "too long" },
    ]);
  });
});
