// Which rows of a long list to render.

export interface RowRange {
  from: number;
  to: number;
}

/** Rows are rendered in batches, so that most scrolling renders nothing new. */
const BATCH = 10;

/**
 * The visible rows, and some before and after them.
 *
 * `top`: the top of the list relative to the window; negative when scrolled past.
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

/** How far to scroll until a row is fully visible between the bars at the top and the bottom. */
export function scrollDelta(at: number, height: number, top: number, window: number, covered: RowRange): number {
  const rowTop = top + at * height;
  if (rowTop < covered.from) return rowTop - covered.from;
  const below = rowTop + height - (window - covered.to);
  return Math.max(0, below);
}
