import { expect, it } from "vitest";

import { isSameClock } from "./zone";

it("knows zones with the same clock, on that day", () => {
  const winter = new Date("2026-01-15T12:00:00Z");
  const summer = new Date("2026-07-15T12:00:00Z");
  expect(isSameClock("Europe/Berlin", "Europe/Berlin", winter)).toBe(true);
  expect(isSameClock("Europe/Berlin", "Europe/Paris", winter)).toBe(true);
  expect(isSameClock("Europe/London", "UTC", winter)).toBe(true);
  expect(isSameClock("Europe/London", "UTC", summer)).toBe(false);
  expect(isSameClock("Europe/Berlin", "Asia/Tokyo", winter)).toBe(false);
});
