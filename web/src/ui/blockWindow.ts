// Which blocks of a long list to draw, when each has a height of its own that is known once it is drawn.

/** Where each block begins, and at the end the height of all. Units: pixels. */
export function offsetsOf(count: number, heightOf: (at: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  for (let at = 0; at < count; at += 1) offsets[at + 1] = (offsets[at] ?? 0) + heightOf(at);
  return offsets;
}

/** The last block that begins at or above a place. */
export function blockAtOffset(offsets: Float64Array, place: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The blocks in the window, and some above and below.
 *
 * `top`: the top of the list relative to the window; negative when scrolled past.
 * Units: pixels.
 */
export function visibleBlocks(offsets: Float64Array, top: number, window: number): { from: number; to: number } {
  const count = offsets.length - 1;
  if (count <= 0) return { from: 0, to: 0 };
  const spare = window / 2;
  const total = offsets[count] ?? 0;
  if (-top - spare > total) return { from: count, to: count };
  if (window - top + spare < 0) return { from: 0, to: 0 };
  return { from: blockAtOffset(offsets, -top - spare), to: Math.min(count, blockAtOffset(offsets, window - top + spare) + 1) };
}
