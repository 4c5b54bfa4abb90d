// The selections in a review that haven't been applied yet.

import { hasDrifted, keyOf, type Change } from "./change";

export type Choice = "confirm" | "reject" | "defer";

export interface Chosen {
  choice: Choice;
  reason: string;
  /** The value on screen at the time. */
  now: string | null;
  digest: string;
}

export type Draft = Record<string, Chosen>;

/** The selection for an item; undefined on a first visit. */
export function choiceAt(draft: Draft, change: Change): Choice | undefined {
  const chosen = draft[keyOf(change)];
  if (chosen !== undefined && chosen.digest === change.digest && chosen.now === (change.now ?? null)) {
    return chosen.choice;
  }
  // The value changed after the selection or since the suggestion, so it must be reviewed again.
  if (chosen !== undefined || hasDrifted(change) || change.status === "deferred") return "defer";
  return undefined;
}

export function reasonAt(draft: Draft, change: Change): string {
  return draft[keyOf(change)]?.reason ?? "";
}

/** The draft with another selection; a typed reason is kept. */
export function chosen(draft: Draft, change: Change, choice: Choice, reason?: string): Draft {
  const key = keyOf(change);
  return {
    ...draft,
    [key]: { choice, reason: reason ?? reasonAt(draft, change), now: change.now ?? null, digest: change.digest },
  };
}

/** The draft without these items. */
export function without(draft: Draft, keys: ReadonlySet<string>): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([key]) => !keys.has(key)));
}

export interface PendingDecision {
  change: Change;
  verdict: Choice;
  reason: string | undefined;
}

/** The selections to send: all that say something new. */
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
