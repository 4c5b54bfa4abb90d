import { expect, it } from "vitest";

import { blockAtOffset, offsetsOf, visibleBlocks } from "./blockWindow";

const heights = [100, 20, 300, 40];
const offsets = offsetsOf(heights.length, (at) => heights[at] ?? 0);

it("adds up heights", () => expect([...offsets]).toEqual([0, 100, 120, 420, 460]));

it.each([
  [0, 0],
  [99, 0],
  [100, 1],
  [419, 2],
  [5_000, 3],
])("the block at %d is %d", (place, at) => expect(blockAtOffset(offsets, place)).toBe(at));

it.each([
  ["all of a short list", 0, 400, { from: 0, to: 4 }],
  ["the end, scrolled down", -400, 40, { from: 2, to: 4 }],
  ["nothing that is far above", -9_000, 100, { from: 4, to: 4 }],
  ["nothing that is far below", 9_000, 100, { from: 0, to: 0 }],
])("draws %s", (_, top, window, drawn) => expect(visibleBlocks(offsets, top, window)).toEqual(drawn));

it("draws few of many", () => {
  const many = offsetsOf(10_000, () => 50);
  const { from, to } = visibleBlocks(many, -100_000, 900);
  expect(to - from).toBeLessThan(50);
  expect(from).toBeGreaterThan(1_900);
});
