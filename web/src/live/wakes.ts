// Wakes that are set, in the words of the person: when, and why.

import type { Schemas } from "../api/client";
import { has, t, until, word } from "../i18n/index.svelte";

export type ScheduledWake = Schemas["ScheduledWake"];

/** What keeps a wake from coming at all; the others have moved its time. */
const STOPS = ["automation", "dormant"];

export function isHeld(wake: Pick<ScheduledWake, "at" | "heldBy">): boolean {
  return wake.at === null || (wake.heldBy !== null && STOPS.includes(wake.heldBy));
}

/** The first wake that comes by itself; none where none is set. */
export function nextOf<W extends Pick<ScheduledWake, "at" | "heldBy">>(wakes: readonly W[]): W | undefined {
  return wakes.find((wake) => !isHeld(wake));
}

/** Why: "because you asked". A reason of a newer server is told as it is. */
export function because(wake: Pick<ScheduledWake, "reason">): string {
  return has(`wake.because.${wake.reason}`) ? word("wake.because", wake.reason) : wake.reason;
}

/** The whole of it: "wakes tomorrow 09:00, because you asked". */
export function wakeWords(wake: Pick<ScheduledWake, "at" | "reason">, now: Date): string {
  return t("wake.comes", { at: wake.at === null ? "" : until(new Date(wake.at), now), why: because(wake) });
}
