// Saves and restores scroll positions, once the content they refer to has been loaded and rendered.

/** A scroll position: the offset, and the first visible row of a list. */
export interface ScrollPosition {
  y: number;
  row?: { id: string; top: number };
}

/** Brings a row into the page: it is rendered already, it has to be loaded first, or it is gone. */
export type RevealRow = (id: string) => "drawn" | "reading" | "gone";

/** Units: pixels. The height of the bar that covers the top. */
const BAR_HEIGHT = 96;
/** Units: milliseconds. Content that isn't there by then won't appear. */
const TIMEOUT_MS = 5_000;

let revealRow: RevealRow | undefined;
let stop: (() => void) | undefined;

/** Registers the list on screen as the provider of rows. Returns a function that unregisters it. */
export function provideRowRevealer(provider: RevealRow): () => void {
  revealRow = provider;
  return () => {
    if (revealRow === provider) revealRow = undefined;
  };
}

/** The current scroll position. */
export function scrollPosition(): ScrollPosition {
  const rows = document.querySelectorAll<HTMLElement>("main [id^='row-']");
  for (const row of rows) {
    const { top, bottom } = row.getBoundingClientRect();
    if (bottom > BAR_HEIGHT) return { y: scrollY, row: { id: row.id.slice("row-".length), top } };
  }
  return { y: scrollY };
}

/**
 * Restores a scroll position. It is adjusted on every frame until it is stable, because content above
 * may still be loading; scrolling by the person cancels it.
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
    // Stable for two frames: nothing above is being rendered any more.
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
