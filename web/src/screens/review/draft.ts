// What the person has chosen in a review and not yet applied: kept until it is.

import { hasDrifted, keyOf, type Change } from "./change";

export type Choice = "confirm" | "reject" | "defer";

export interface Chosen {
  choice: Choice;
  reason: string;
  /** The value they saw when they chose. */
  now: string | null;
  digest: string;
}

export type Draft = Record<string, Chosen>;

/** The choice that stands at an item; none on a first visit. */
export function choiceAt(draft: Draft, change: Change): Choice | undefined {
  const chosen = draft[keyOf(change)];
  if (chosen !== undefined && chosen.digest === change.digest && chosen.now === (change.now ?? null)) {
    return chosen.choice;
  }
  // It moved on after the choice, or since it was proposed: it wants another look.
  if (chosen !== undefined || hasDrifted(change) || change.status === "deferred") return "defer";
  return undefined;
}

export function reasonAt(draft: Draft, change: Change): string {
  return draft[keyOf(change)]?.reason ?? "";
}

/** The draft with another choice; the reason that was typed stays. */
export function chosen(draft: Draft, change: Change, choice: Choice, reason?: string): Draft {
  const key = keyOf(change);
  return {
    ...draft,
    [key]: { choice, reason: reason ?? reasonAt(draft, change), now: change.now ?? null, digest: change.digest },
  };
}

/** The draft without these. */
export function without(draft: Draft, keys: ReadonlySet<string>): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([key]) => !keys.has(key)));
}

export interface PendingDecision {
  change: Change;
  verdict: Choice;
  reason: string | undefined;
}

/** What there is to send: every choice that says something new. */
export function pendingDecisions(draft: Draft, open: readonly Change[]): PendingDecision[] {
  return open.flatMap((change) => {
    const verdict = choiceAt(draft, change);
    if (verdict === undefined || (verdict === "defer" && change.status === "deferred")) return [];
    const reason = verdict === "reject" ? reasonAt(draft, change).trim() : "";
    return [{ change, verdict, reason: reason === "" ? undefined : reason }];
  });
}

const place = (task: string): string => `dormouse.choices.${task}`;

export function loadDraft(task: string): Draft {
  try {
    return JSON.parse(localStorage.getItem(place(task)) ?? "{}") as Draft;
  } catch {
    return {};
  }
}

export function saveDraft(task: string, draft: Draft): void {
  if (Object.keys(draft).length === 0) localStorage.removeItem(place(task));
  else localStorage.setItem(place(task), JSON.stringify(draft));
}
