// Scheduled wakes as text: when, and why.

import type { Schemas } from "../api/client";
import { has, t, until, type Key } from "../i18n/index.svelte";

export type ScheduledWake = Schemas["ScheduledWake"];

/** Holds that block a wake entirely; the others only delay it. */
const BLOCKING_HOLDS = ["automation", "dormant"];

export function isHeld(wake: Pick<ScheduledWake, "at" | "heldBy">): boolean {
  return wake.at === null || (wake.heldBy !== null && BLOCKING_HOLDS.includes(wake.heldBy));
}

/** The first wake that will happen on its own; undefined if there is none. */
export function nextWake<W extends Pick<ScheduledWake, "at" | "heldBy">>(wakes: readonly W[]): W | undefined {
  return wakes.find((wake) => !isHeld(wake));
}

/** The text for a scheduled wake; `other` where a newer server sent a reason this page doesn't know. */
function textOf(kind: "wake.comes" | "wake.at", reason: string): Key {
  const key = `${kind}.${reason}`;
  return has(key) ? key : `${kind}.other`;
}

/** A sentence: "Wakes tomorrow 09:00, as you scheduled". */
export function describeWake(wake: Pick<ScheduledWake, "at" | "reason">, now: Date): string {
  const at = wake.at === null ? "" : until(new Date(wake.at), now);
  return t(textOf("wake.comes", wake.reason), { at, reason: wake.reason });
}

/** The text for a time that is shown as an element of its own: "{at}, as you scheduled". */
export function wakeTimeText(wake: Pick<ScheduledWake, "reason">): Key {
  return textOf("wake.at", wake.reason);
}
