// Where a screen was scrolled to, and the way back there once what stood there is read and drawn.

/** A place in a screen: how far it was scrolled, and the first row of a list that was in sight. */
export interface Place {
  y: number;
  row?: { id: string; top: number };
}

/** Brings a row of a list onto the page: drawn already, to be read first, or gone. */
export type Reveal = (id: string) => "drawn" | "reading" | "gone";

/** Units: pixels. What a bar covers at the top. */
const COVERED = 96;
/** Units: milliseconds. What is not there by then will not come. */
const AT_MOST = 5_000;

let reveal: Reveal | undefined;
let stop: (() => void) | undefined;

/** Lets the list on screen be asked for its rows; gives what ends it. */
export function revealsRows(ask: Reveal): () => void {
  reveal = ask;
  return () => {
    if (reveal === ask) reveal = undefined;
  };
}

/** Where the screen is now. */
export function placeHere(): Place {
  const rows = document.querySelectorAll<HTMLElement>("main [id^='row-']");
  for (const row of rows) {
    const { top, bottom } = row.getBoundingClientRect();
    if (bottom > COVERED) return { y: scrollY, row: { id: row.id.slice("row-".length), top } };
  }
  return { y: scrollY };
}

/**
 * Goes back to a place, as far as it is there yet; again with each frame until it stands, for what is
 * above may still be on its way. A person who scrolls meanwhile is not held back.
 */
export function returnTo(place: Place | undefined): void {
  stop?.();
  if (place === undefined || place.y === 0) {
    scrollTo(0, 0);
    return;
  }
  const { y, row } = place;
  const until = performance.now() + AT_MOST;
  let frame = 0;
  let still = 0;
  const step = (): void => {
    const isLate = performance.now() > until;
    const said = row === undefined ? "gone" : (reveal?.(row.id) ?? "reading");
    const node = row === undefined || said !== "drawn" ? null : document.getElementById(`row-${row.id}`);
    let isThere: boolean;
    if (row !== undefined && node !== null) {
      const off = node.getBoundingClientRect().top - row.top;
      if (Math.abs(off) >= 1) scrollBy(0, off);
      isThere = Math.abs(off) < 1;
    } else {
      const isTall = document.documentElement.scrollHeight - innerHeight >= y;
      if (said === "gone" && (isTall || isLate)) scrollTo(0, y);
      isThere = said === "gone" && Math.abs(scrollY - y) < 1;
    }
    // Twice in a row: nothing above is being drawn any more.
    still = isThere ? still + 1 : 0;
    if (still < 2 && !isLate) frame = requestAnimationFrame(step);
    else stop?.();
  };
  const taken = ["wheel", "touchstart", "pointerdown", "keydown"] as const;
  const end = (): void => {
    cancelAnimationFrame(frame);
    for (const name of taken) removeEventListener(name, end);
    stop = undefined;
  };
  stop = end;
  for (const name of taken) addEventListener(name, end, { passive: true });
  frame = requestAnimationFrame(step);
}
