import { expect, it } from "vitest";

import { daysLater, monthsLater, nextMonday, weekdayOf, weeksOf } from "./month";

it.each([
  ["2026-12-31", 1, "2027-01-01"],
  ["2028-02-28", 1, "2028-02-29"],
  ["2027-03-28", -1, "2027-03-27"],
])("%s and %d days is %s", (day, days, then) => expect(daysLater(day, days)).toBe(then));

it.each([
  ["2027-01-31", 1, "2027-02-28"],
  ["2027-01-15", -1, "2026-12-15"],
  ["2026-11-30", 14, "2028-01-30"],
])("%s and %d months is %s", (day, months, then) => expect(monthsLater(day, months)).toBe(then));

it.each([
  ["2026-11-23", 0, "2026-11-30"],
  ["2026-11-29", 6, "2026-11-30"],
])("%s is weekday %d, and the next Monday is %s", (day, weekday, monday) => {
  expect(weekdayOf(day)).toBe(weekday);
  expect(nextMonday(day)).toBe(monday);
});

it("fills the weeks of a month from Monday", () => {
  const weeks = weeksOf("2027-02-10");
  expect(weeks).toHaveLength(4);
  expect([weeks[0]?.[0], weeks.at(-1)?.[6]]).toEqual(["2027-02-01", "2027-02-28"]);
  expect(weeksOf("2026-11-23")[0]?.[0]).toBe("2026-10-26");
  expect(weeksOf("2026-11-23").at(-1)?.[6]).toBe("2026-12-06");
});
