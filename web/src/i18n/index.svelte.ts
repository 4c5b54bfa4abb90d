// The catalogue: every text of the page, by key. A text is plain data, so that a translator needs no
// code: `{n}` is filled in, and one with forms is chosen by the plural rules of the language.

import { en } from "./en";

/** A text, or its forms by number. */
export type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>;
export type Key = keyof typeof en;
type Value = string | number;

const catalogues: Record<string, Record<Key, Message>> = { en };
const locale = "en";
const plurals = new Intl.PluralRules(locale);

/** A text in the person's language. With forms, `n` chooses among them. */
export function t(key: Key, values: Record<string, Value> = {}): string {
  const message: Message = (catalogues[locale] ?? en)[key];
  const text =
    typeof message === "string"
      ? message
      : (message[plurals.select(Number(values["n"] ?? 0))] ?? message.other ?? key);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? number(value) : value;
  });
}

/** Whether the catalogue has this text; for keys that are made from a value of the server. */
export function has(key: string): key is Key {
  return key in en;
}

/** The text of a value of the server, `status.OPEN`; the value itself when a newer server sent it. */
export function valueText(group: string, value: string): string {
  const key = `${group}.${value}`;
  return has(key) ? t(key) : value;
}

export function number(value: number): string {
  return new Intl.NumberFormat(locale).format(value);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function at(date: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale === "en" ? "en-GB" : locale, options).format(date);
}

/** The whole time, for those who ask. */
export function exactTime(date: Date): string {
  return at(date, { dateStyle: "full", timeStyle: "medium" });
}

/** How long ago: minutes and hours today, the weekday within a week, then the day. */
export function ago(date: Date, now: Date): string {
  const past = now.getTime() - date.getTime();
  if (past < MINUTE) return t("time.now");
  if (past < HOUR) return t("time.minutesAgo", { n: Math.floor(past / MINUTE) });
  if (past < DAY && date.getDate() === now.getDate()) return t("time.hoursAgo", { n: Math.floor(past / HOUR) });
  if (past < 6 * DAY) return at(date, { weekday: "short", hour: "2-digit", minute: "2-digit" });
  const sameYear = date.getFullYear() === now.getFullYear();
  return at(date, { day: "numeric", month: "short", ...(sameYear ? {} : { year: "numeric" }) });
}

/** A moment to come: the clock today and tomorrow, else the weekday, else the day. */
export function until(date: Date, now: Date): string {
  const ahead = date.getTime() - now.getTime();
  if (ahead < DAY && date.getDate() === now.getDate()) return clock(date);
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  if (date.toDateString() === tomorrow.toDateString()) return t("time.tomorrow", { at: clock(date) });
  if (ahead < 6 * DAY) return at(date, { weekday: "short", hour: "2-digit", minute: "2-digit" });
  const sameYear = date.getFullYear() === now.getFullYear();
  return at(date, { day: "numeric", month: "short", ...(sameYear ? {} : { year: "numeric" }) });
}

/** A date as the head of a page has it: "Friday, 20 November". */
export function date(moment: Date): string {
  return at(moment, { weekday: "long", day: "numeric", month: "long" });
}

export function clock(date: Date): string {
  return at(date, { hour: "2-digit", minute: "2-digit" });
}

/** A day of the calendar, `2026-11-25`: "Wed 25 Nov". */
export function day(iso: string, now: Date = new Date()): string {
  const date = new Date(`${iso}T00:00:00`);
  const sameYear = date.getFullYear() === now.getFullYear();
  return at(date, { weekday: "short", day: "numeric", month: "short", ...(sameYear ? {} : { year: "numeric" }) });
}

/** Minutes as a person says them: "45 min", "2 h", "1 h 30". */
export function minutes(total: number): string {
  const [hours, rest] = [Math.floor(total / 60), total % 60];
  if (hours === 0) return t("time.minutes", { n: rest });
  return rest === 0 ? t("time.hours", { n: hours }) : t("time.hoursMinutes", { h: hours, m: String(rest).padStart(2, "0") });
}

/** Milliseconds that pass: "0:14", "1:02:03". */
export function elapsed(ms: number): string {
  const all = Math.max(0, Math.floor(ms / 1000));
  const [hours, mins, secs] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const two = (part: number): string => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(mins)}:${two(secs)}` : `${mins}:${two(secs)}`;
}
