// Where a screen was scrolled to, and the way back there once what stood there is read and drawn.

/** A place in a screen: how far it was scrolled, and the first row of a list that was in sight. */
export interface ScrollPosition {
  y: number;
  row?: { id: string; top: number };
}

/** Brings a row of a list onto the page: drawn already, to be read first, or gone. */
export type RevealRow = (id: string) => "drawn" | "reading" | "gone";

/** Units: pixels. What a bar covers at the top. */
const BAR_HEIGHT = 96;
/** Units: milliseconds. What is not there by then will not come. */
const TIMEOUT_MS = 5_000;

let revealRow: RevealRow | undefined;
let stop: (() => void) | undefined;

/** Lets the list on screen be asked for its rows; gives what ends it. */
export function provideRowRevealer(provider: RevealRow): () => void {
  revealRow = provider;
  return () => {
    if (revealRow === provider) revealRow = undefined;
  };
}

/** Where the screen is now. */
export function scrollPosition(): ScrollPosition {
  const rows = document.querySelectorAll<HTMLElement>("main [id^='row-']");
  for (const row of rows) {
    const { top, bottom } = row.getBoundingClientRect();
    if (bottom > BAR_HEIGHT) return { y: scrollY, row: { id: row.id.slice("row-".length), top } };
  }
  return { y: scrollY };
}

/**
 * Goes back to a place, as far as it is there yet; again with each frame until it stands, for what is
 * above may still be on its way. A person who scrolls meanwhile is not held back.
 */
export function restoreScroll(place: ScrollPosition | undefined): void {
  stop?.();
  if (place === undefined || place.y === 0) {
    scrollTo(0, 0);
    return;
  }
  const { y, row } = place;
  const until = performance.now() + TIMEOUT_MS;
  let frame = 0;
  let settledFrames = 0;
  const step = (): void => {
    const isLate = performance.now() > until;
    const rowState = row === undefined ? "gone" : (revealRow?.(row.id) ?? "reading");
    const node = row === undefined || rowState !== "drawn" ? null : document.getElementById(`row-${row.id}`);
    let isThere: boolean;
    if (row !== undefined && node !== null) {
      const off = node.getBoundingClientRect().top - row.top;
      if (Math.abs(off) >= 1) scrollBy(0, off);
      isThere = Math.abs(off) < 1;
    } else {
      const isTall = document.documentElement.scrollHeight - innerHeight >= y;
      if (rowState === "gone" && (isTall || isLate)) scrollTo(0, y);
      isThere = rowState === "gone" && Math.abs(scrollY - y) < 1;
    }
    // Twice in a row: nothing above is being drawn any more.
    settledFrames = isThere ? settledFrames + 1 : 0;
    if (settledFrames < 2 && !isLate) frame = requestAnimationFrame(step);
    else stop?.();
  };
  const userEvents = ["wheel", "touchstart", "pointerdown", "keydown"] as const;
  const end = (): void => {
    cancelAnimationFrame(frame);
    for (const name of userEvents) removeEventListener(name, end);
    stop = undefined;
  };
  stop = end;
  for (const name of userEvents) addEventListener(name, end, { passive: true });
  frame = requestAnimationFrame(step);
}
