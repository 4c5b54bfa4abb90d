// Calendar days as `YYYY-MM-DD`, without a time zone.

/** A day some days later. */
export function daysLater(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** The same day some months later; the last of the month if it has no such day. */
export function monthsLater(day: string, months: number): string {
  const date = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(Number(day.slice(8)), last));
  return date.toISOString().slice(0, 10);
}

/** Monday is 0. */
export function weekdayOf(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
}

/** The weeks of the month of a day, from Monday; days of other months fill the first and the last one. */
export function weeksOf(day: string): string[][] {
  const first = `${day.slice(0, 7)}-01`;
  const start = daysLater(first, -weekdayOf(first));
  const weeks: string[][] = [];
  for (let at = start; weeks.length === 0 || at.slice(0, 7) === first.slice(0, 7); at = daysLater(at, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, n) => daysLater(at, n)));
  }
  return weeks;
}

/** The next Monday after a day. */
export function nextMonday(day: string): string {
  return daysLater(day, 7 - weekdayOf(day));
}
