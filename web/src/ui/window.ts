// Which rows of a long list are worth drawing.

export interface Span {
  from: number;
  to: number;
}

/** Rows are drawn in lots, so that most scrolling draws nothing anew. */
const LOT = 10;

/**
 * The rows in sight, and some before and behind.
 *
 * `top`: where the list begins, seen from the top of the window; negative when it is scrolled past.
 * Units: pixels.
 */
export function spanInSight(count: number, height: number, top: number, window: number): Span {
  if (height <= 0) return { from: 0, to: count };
  const spare = window / 2;
  const first = Math.floor((-top - spare) / height / LOT) * LOT;
  const last = Math.ceil((window - top + spare) / height / LOT) * LOT;
  const from = Math.min(Math.max(0, first), count);
  return { from, to: Math.max(from, Math.min(count, last)) };
}

/** How far to scroll so that a row is whole in sight, below what covers the top and above the bottom. */
export function scrollTo(at: number, height: number, top: number, window: number, covered: Span): number {
  const rowTop = top + at * height;
  if (rowTop < covered.from) return rowTop - covered.from;
  const below = rowTop + height - (window - covered.to);
  return Math.max(0, below);
}
