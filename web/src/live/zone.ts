// The time zone of the workspace: the clock that schedules follow, whatever the browser's.

import { api, unwrap } from "../api/client";
import { isOneOf } from "./queries";
import type { Query } from "./store.svelte";

/** Its IANA name. */
export const zone = (): Query<string> => ({
  key: "access/zone",
  load: async () => (await unwrap(api.GET("/api/access", {}))).server.zone,
  invalidatedBy: (event) => isOneOf(event, "settings:changed"),
});

/** The time zone of this browser. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Whether two zones have the same clock at a moment. */
export function isSameClock(one: string, other: string, at: Date): boolean {
  const clock = (timeZone: string): string => at.toLocaleString("en", { timeZone });
  return one === other || clock(one) === clock(other);
}
