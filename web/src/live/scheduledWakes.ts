// Wakes that are set, in the words of the person: when, and why.

import type { Schemas } from "../api/client";
import { has, t, until, valueText } from "../i18n/index.svelte";

export type ScheduledWake = Schemas["ScheduledWake"];

/** What keeps a wake from coming at all; the others have moved its time. */
const BLOCKING_HOLDS = ["automation", "dormant"];

export function isHeld(wake: Pick<ScheduledWake, "at" | "heldBy">): boolean {
  return wake.at === null || (wake.heldBy !== null && BLOCKING_HOLDS.includes(wake.heldBy));
}

/** The first wake that comes by itself; none where none is set. */
export function nextWake<W extends Pick<ScheduledWake, "at" | "heldBy">>(wakes: readonly W[]): W | undefined {
  return wakes.find((wake) => !isHeld(wake));
}

/** Why: "because you asked". A reason of a newer server is told as it is. */
export function wakeReason(wake: Pick<ScheduledWake, "reason">): string {
  return has(`wake.because.${wake.reason}`) ? valueText("wake.because", wake.reason) : wake.reason;
}

/** The whole of it: "wakes tomorrow 09:00, because you asked". */
export function describeWake(wake: Pick<ScheduledWake, "at" | "reason">, now: Date): string {
  return t("wake.comes", { at: wake.at === null ? "" : until(new Date(wake.at), now), why: wakeReason(wake) });
}
