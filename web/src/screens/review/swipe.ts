// Swiping a row with a finger: right confirms, left rejects.

import type { Attachment } from "svelte/attachments";

export type Side = "confirm" | "reject";

/** The fraction of the width that commits. */
const SHARE = 0.4;
/** Units: pixels per millisecond. */
const FLICK = 0.5;
/** Units: pixels. Anything shorter is a tap, or a scroll that hasn't started. */
const SLACK = 8;
/** Units: pixels. The minimum length of a flick. */
const FLICK_LENGTH = 32;
/** Units: milliseconds. The velocity is measured over this time at the end. */
const MEMORY = 100;

/** The axis of a movement, once it is clear. */
export function axisOf(dx: number, dy: number): "x" | "y" | undefined {
  if (Math.max(Math.abs(dx), Math.abs(dy)) < SLACK) return undefined;
  return Math.abs(dx) > Math.abs(dy) ? "x" : "y";
}

/** What a finished swipe means: it must be long or fast enough, and not thrown back. */
export function swiped(how: { dx: number; width: number; velocity: number }): Side | undefined {
  const { dx, width, velocity } = how;
  const side: Side = dx > 0 ? "confirm" : "reject";
  const isFast = Math.abs(velocity) >= FLICK;
  if (isFast && Math.sign(velocity) !== Math.sign(dx)) return undefined;
  if (isFast && Math.abs(dx) >= FLICK_LENGTH) return side;
  return width > 0 && Math.abs(dx) >= width * SHARE ? side : undefined;
}

export interface Point {
  x: number;
  at: number;
}

/** The final velocity, in pixels per millisecond. */
export function velocityOf(points: readonly Point[]): number {
  const last = points.at(-1);
  if (last === undefined) return 0;
  const first = points.find((point) => last.at - point.at <= MEMORY) ?? last;
  return last.at === first.at ? 0 : (last.x - first.x) / (last.at - first.at);
}

/** A swipe in progress: its distance and side, and whether releasing it commits. */
export interface Drag {
  /** Units: pixels. */
  dx: number;
  to: Side;
  isReady: boolean;
}

/** Makes an element swipeable. `moved` is called for every step, and with undefined at the end. */
export function swipeable(how: {
  moved: (drag: Drag | undefined) => void;
  done: (side: Side) => void;
}): Attachment<HTMLElement> {
  return (node) => {
    let start: { x: number; y: number; id: number } | undefined;
    let isSwipe = false;
    let points: Point[] = [];

    function rest(): void {
      start = undefined;
      isSwipe = false;
      points = [];
      how.moved(undefined);
    }
    function down(event: PointerEvent): void {
      // Touch only: a mouse selects text and uses the buttons.
      if (event.pointerType !== "touch" || !event.isPrimary) return;
      start = { x: event.clientX, y: event.clientY, id: event.pointerId };
      isSwipe = false;
      points = [{ x: event.clientX, at: event.timeStamp }];
    }
    function move(event: PointerEvent): void {
      if (start === undefined || event.pointerId !== start.id) return;
      const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
      if (!isSwipe) {
        const axis = axisOf(dx, dy);
        if (axis === "y") rest();
        if (axis !== "x") return;
        isSwipe = true;
        node.setPointerCapture(event.pointerId);
      }
      points.push({ x: event.clientX, at: event.timeStamp });
      const isReady = swiped({ dx, width: node.clientWidth, velocity: 0 }) !== undefined;
      how.moved({ dx, to: dx > 0 ? "confirm" : "reject", isReady });
    }
    function up(event: PointerEvent): void {
      if (start === undefined || event.pointerId !== start.id) return;
      const dx = event.clientX - start.x;
      const side = isSwipe ? swiped({ dx, width: node.clientWidth, velocity: velocityOf(points) }) : undefined;
      // The tap that ends a swipe must not open anything.
      if (isSwipe) {
        const swallow = (click: Event): void => {
          click.preventDefault();
          click.stopPropagation();
        };
        node.addEventListener("click", swallow, { capture: true, once: true });
        setTimeout(() => node.removeEventListener("click", swallow, { capture: true }), 300);
      }
      rest();
      if (side === undefined) return;
      navigator.vibrate?.(12);
      how.done(side);
    }

    node.addEventListener("pointerdown", down);
    node.addEventListener("pointermove", move);
    node.addEventListener("pointerup", up);
    node.addEventListener("pointercancel", rest);
    return () => {
      node.removeEventListener("pointerdown", down);
      node.removeEventListener("pointermove", move);
      node.removeEventListener("pointerup", up);
      node.removeEventListener("pointercancel", rest);
    };
  };
}
