import { expect, it } from "vitest";

import { Undoing } from "./undoing";

function recorded(): { undoing: Undoing; said: string[]; step: (name: string, isThere?: boolean) => void } {
  const undoing = new Undoing();
  const said: string[] = [];
  const step = (name: string, isThere = true): void =>
    undoing.did(() => {
      if (isThere) said.push(name);
      return isThere;
    });
  return { undoing, said, step };
}

it("undoes the last step, then the one before, then nothing", () => {
  const { undoing, said, step } = recorded();
  step("first");
  step("second");
  expect([undoing.undo(), undoing.undo(), undoing.undo()]).toEqual([true, true, false]);
  expect(said).toEqual(["second", "first"]);
});

it("passes over steps that have nothing to undo any more", () => {
  const { undoing, said, step } = recorded();
  step("kept");
  step("refused", false);
  expect(undoing.undo()).toBe(true);
  expect(said).toEqual(["kept"]);
});

it("is put away with the plan, and comes back below what was done since", () => {
  const { undoing, said, step } = recorded();
  step("before");
  const taken = undoing.take();
  expect(undoing.undo()).toBe(false);
  step("since");
  undoing.putBack(taken);
  undoing.undo();
  undoing.undo();
  expect(said).toEqual(["since", "before"]);
});
