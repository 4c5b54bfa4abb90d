import { describe, expect, it } from "vitest";

import { choiceAt, chosen, reasonAt, pendingDecisions, without } from "./draft";
import { keyOf } from "./change";
import { change } from "./testChange";

describe("choiceAt", () => {
  it("chooses nothing by itself", () => {
    expect(choiceAt({}, change())).toBeUndefined();
  });

  it("keeps what was chosen", () => {
    expect(choiceAt(chosen({}, change(), "confirm"), change())).toBe("confirm");
  });

  it("puts off what moved on, also after the choice", () => {
    expect(choiceAt({}, change({ before: "1 hour", now: "3 hours" }))).toBe("defer");
    expect(choiceAt(chosen({}, change(), "confirm"), change({ now: "3 hours" }))).toBe("defer");
    expect(choiceAt(chosen({}, change(), "confirm"), change({ digest: "e".repeat(64) }))).toBe("defer");
  });

  it("takes a choice that saw the drift", () => {
    const moved = change({ before: "1 hour", now: "3 hours" });
    expect(choiceAt(chosen({}, moved, "confirm"), moved)).toBe("confirm");
  });

  it("remembers what was put off", () => {
    expect(choiceAt({}, change({ status: "deferred" }))).toBe("defer");
  });
});

describe("the draft", () => {
  it("keeps the reason when the choice changes", () => {
    const draft = chosen(chosen({}, change(), "reject", "too long"), change(), "confirm");
    expect(reasonAt(draft, change())).toBe("too long");
    expect(without(draft, new Set([keyOf(change())]))).toEqual({});
  });

  it("sends what was chosen, with the reason of a rejection only", () => {
    const [one, two, three, four] = [1, 2, 3, 4].map((index) => change({ index }));
    if (one === undefined || two === undefined || three === undefined || four === undefined) throw new Error();
    let draft = chosen({}, one, "confirm", "no word");
    draft = chosen(draft, two, "reject", " too long ");
    const off = { ...three, status: "deferred" };
    expect(pendingDecisions(draft, [one, two, off, four])).toEqual([
      { change: one, verdict: "confirm", reason: undefined },
      { change: two, verdict: "reject", reason: "too long" },
    ]);
  });
});
