// Moves the focus to the heading of a screen after navigation, so that a screen reader announces it.

/** How long an open dialog may take to close first. Units: milliseconds. */
const DIALOG_TIMEOUT = 1_000;

let isPending = false;
let frame = 0;

/** The person went to another screen: its heading takes the focus once it is there. */
export function requestHeadingFocus(): void {
  isPending = true;
  focusHeading();
}

/** Focuses the heading if a navigation is waiting for it. Screens call this when their heading appears. */
export function focusHeading(): void {
  if (!isPending) return;
  cancelAnimationFrame(frame);
  const until = performance.now() + DIALOG_TIMEOUT;
  const attempt = (): void => {
    if (document.querySelector("[role=dialog]") !== null) {
      if (performance.now() < until) frame = requestAnimationFrame(attempt);
      return;
    }
    const main = document.getElementById("main");
    const heading = main?.querySelector<HTMLElement>("h1");
    if (main === null || heading === null || heading === undefined) return;
    isPending = false;
    const active = document.activeElement;
    // The screen has already put the focus somewhere.
    if (active !== null && active !== main && main.contains(active)) return;
    if (!heading.hasAttribute("tabindex")) heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  };
  frame = requestAnimationFrame(attempt);
}
