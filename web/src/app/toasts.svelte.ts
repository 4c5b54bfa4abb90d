// Toasts: what just happened, with a way to undo it. Nothing is reachable only through a toast.

import type { Problem } from "../api/problem";
import { t } from "../i18n/index.svelte";
import { describeProblem } from "../i18n/problem";

export interface Toast {
  id: number;
  text: string;
  tone: "plain" | "danger";
  action: { label: string; run: () => void } | undefined;
  /** An alternative action. `⌘Z` runs `action`. */
  more: { label: string; run: () => void } | undefined;
}

/** Units: milliseconds. */
const DURATION_MS = 8_000;

class Toasts {
  visible = $state.raw<Toast[]>([]);
  #next = 1;
  #timers = new Map<number, ReturnType<typeof setTimeout>>();

  show(text: string, action?: Toast["action"], tone: Toast["tone"] = "plain", more?: Toast["more"]): number {
    const toast = { id: this.#next++, text, tone, action, more };
    this.visible = [...this.visible.slice(-2), toast];
    this.resume(toast.id);
    return toast.id;
  }

  /** Reports that an action was rejected, and why. */
  showRefusal(description: string, problem: Problem): void {
    this.show(t("shell.refusal", { action: description, reason: describeProblem(problem) }), undefined, "danger");
  }

  close(id: number): void {
    this.pause(id);
    this.visible = this.visible.filter((toast) => toast.id !== id);
  }

  /** A toast stays while the pointer or the focus is on it. */
  pause(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  resume(id: number): void {
    this.pause(id);
    this.#timers.set(
      id,
      setTimeout(() => this.close(id), DURATION_MS),
    );
  }

  /** Runs the most recent undo action; returns false if there is none. */
  undo(): boolean {
    const last = this.visible.findLast((toast) => toast.action !== undefined);
    if (last === undefined) return false;
    this.close(last.id);
    last.action?.run();
    return true;
  }
}

export const toasts = new Toasts();
