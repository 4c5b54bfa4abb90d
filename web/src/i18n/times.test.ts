import { expect, it } from "vitest";

import { ago, clock, exactTime, isSameDay, until, untilTime } from "./index.svelte";

const at = (text: string): Date => new Date(text);

it("shows a time by the clock of a zone, and its day", () => {
  const now = at("2026-11-26T20:00:00Z");
  // In Tokyo it is five in the morning of the 27th.
  expect(clock(now, "Asia/Tokyo")).toBe("05:00");
  expect(isSameDay(now, at("2026-11-26T16:00:00Z"), "Asia/Tokyo")).toBe(true);
  expect(isSameDay(now, at("2026-11-26T14:00:00Z"), "Asia/Tokyo")).toBe(false);
  expect(ago(at("2026-11-26T16:00:00Z"), now, "Asia/Tokyo")).toBe(ago(at("2026-11-26T16:00:00Z"), now, "UTC"));
  expect(ago(at("2026-11-26T14:00:00Z"), now, "UTC")).not.toContain("Thu");
  expect(ago(at("2026-11-26T14:00:00Z"), now, "Asia/Tokyo")).toContain("Thu");
  expect(until(at("2026-11-27T09:00:00Z"), now, "Asia/Tokyo")).toBe("18:00");
  expect(until(at("2026-11-27T16:00:00Z"), now, "Asia/Tokyo")).toContain("01:00");
  expect(until(at("2026-11-27T16:00:00Z"), now, "UTC")).toContain("16:00");
  expect(until(at("2026-12-07T07:00:00Z"), now, "UTC")).not.toContain("07:00");
  expect(untilTime(at("2026-12-07T07:00:00Z"), now, "UTC")).toContain("07:00");
  expect(untilTime(at("2027-12-07T07:00:00Z"), now, "UTC")).toContain("2027");
  expect(untilTime(at("2026-11-27T09:00:00Z"), now, "Asia/Tokyo")).toBe("18:00");
  expect(ago(at("2025-12-31T20:00:00Z"), at("2026-02-01T00:00:00Z"), "Asia/Tokyo")).not.toContain("2025");
  expect(exactTime(now, "Asia/Tokyo")).toContain("Japan");
});
