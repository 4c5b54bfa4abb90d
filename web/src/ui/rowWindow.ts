// Which rows of a long list are worth drawing.

export interface RowRange {
  from: number;
  to: number;
}

/** Rows are drawn in lots, so that most scrolling draws nothing anew. */
const BATCH = 10;

/**
 * The rows in sight, and some before and behind.
 *
 * `top`: where the list begins, seen from the top of the window; negative when it is scrolled past.
 * Units: pixels.
 */
export function visibleRange(count: number, height: number, top: number, window: number): RowRange {
  if (height <= 0) return { from: 0, to: count };
  const spare = window / 2;
  const first = Math.floor((-top - spare) / height / BATCH) * BATCH;
  const last = Math.ceil((window - top + spare) / height / BATCH) * BATCH;
  const from = Math.min(Math.max(0, first), count);
  return { from, to: Math.max(from, Math.min(count, last)) };
}

/** How far to scroll so that a row is whole in sight, below what covers the top and above the bottom. */
export function scrollDelta(at: number, height: number, top: number, window: number, covered: RowRange): number {
  const rowTop = top + at * height;
  if (rowTop < covered.from) return rowTop - covered.from;
  const below = rowTop + height - (window - covered.to);
  return Math.max(0, below);
}
