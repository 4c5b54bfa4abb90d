// The catalogue: every text of the app, by key. Texts are plain data, so a translator needs no code:
// `{n}` is a parameter, and a text with plural forms is chosen by the plural rules of the locale.
//
// A language is a folder with a catalogue and a row in `LOCALES`. Its catalogue is loaded once, before
// the app is mounted.

import type { en } from "./en";
import type { Message } from "./message";

export type Key = keyof typeof en;
export type Catalogue = Record<Key, Message>;
type Value = string | number;

interface Locale {
  /** The locale that formats dates, numbers and lists. */
  format: string;
  load: () => Promise<Catalogue>;
}

const LOCALES: Record<string, Locale> = {
  en: { format: "en-GB", load: async () => (await import("./en")).en },
};
const FALLBACK = "en";

/** The first of the preferred languages that has a catalogue. */
export function chooseLocale(preferred: readonly string[], available: readonly string[] = Object.keys(LOCALES)): string {
  const languages = preferred.map((tag) => tag.toLowerCase().split("-")[0] ?? "");
  return languages.find((language) => available.includes(language)) ?? FALLBACK;
}

let catalogue: Partial<Catalogue> = {};
let locale = LOCALES[FALLBACK]?.format ?? FALLBACK;
let plurals = new Intl.PluralRules(locale);

/** Loads the catalogue of a locale and switches to it. Call it before anything is rendered. */
export async function setLocale(name: string): Promise<void> {
  const chosen = LOCALES[name];
  if (chosen === undefined) throw new Error(`there is no catalogue for ${name}`);
  catalogue = await chosen.load();
  locale = chosen.format;
  plurals = new Intl.PluralRules(locale);
  if (typeof document !== "undefined") document.documentElement.lang = name;
}

/** A text with its parameters filled in. `n` selects the plural form. */
export function t(key: Key, values: Record<string, Value> = {}): string {
  const message = catalogue[key] ?? key;
  const text =
    typeof message === "string"
      ? message
      : (message[plurals.select(Number(values["n"] ?? 0))] ?? message.other ?? key);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? number(value) : isolated(value);
  });
}

/** Characters that set or override the direction of the text after them. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

const ISOLATE = String.fromCodePoint(0x2068);
const POP_ISOLATE = String.fromCodePoint(0x2069);

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A name inside a sentence, such as that of a file. It reorders none of the words around it: it loses the characters that
 * would, and is isolated where its letters do.
 */
function isolated(value: string): string {
  const plain = value.replace(DIRECTIONS, "");
  return RIGHT_TO_LEFT.test(plain) ? ISOLATE + plain + POP_ISOLATE : plain;
}

/** Whether the catalogue has this text; for keys made from a value of the server. */
export function has(key: string): key is Key {
  return key in catalogue;
}

/** The text for a value of the server, such as `status.OPEN`; the value itself if a newer server sent it. */
export function valueText(group: string, value: string): string {
  const key = `${group}.${value}`;
  return has(key) ? t(key) : value;
}

export function number(value: number): string {
  return new Intl.NumberFormat(locale).format(value);
}

/** A share between 0 and 1: "81%". */
export function percent(share: number): string {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

/** US dollars: "$3.00", "$0.0006". Units: dollars. */
export function dollars(amount: number): string {
  const options = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", minimumFractionDigits: 2, maximumFractionDigits: 4 } as const;
  return new Intl.NumberFormat(locale, options).format(amount);
}

/** A large number in short: "200k", "1.5m". */
export function compact(value: number): string {
  return new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** "a, b, c" */
export function list(items: readonly string[]): string {
  return new Intl.ListFormat(locale, { type: "unit", style: "short" }).format(items);
}

/** "a, b and c" */
export function listAnd(items: readonly string[]): string {
  return new Intl.ListFormat(locale, { type: "conjunction" }).format(items);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function format(date: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale, options).format(date);
}

/** The clock of a zone; that of the browser without one. */
const clockOf = (zone: string | undefined): Intl.DateTimeFormatOptions => (zone === undefined ? {} : { timeZone: zone });

/** The calendar day of a moment, as `YYYY-MM-DD`, by the clock of a zone; that of the browser without one. */
export function dayAt(moment: Date, zone?: string): string {
  return new Intl.DateTimeFormat("en-CA", { ...clockOf(zone), year: "numeric", month: "2-digit", day: "2-digit" }).format(moment);
}

/** Whether two moments are on one day by the clock of a zone. */
export const isSameDay = (one: Date, other: Date, zone?: string): boolean => dayAt(one, zone) === dayAt(other, zone);

/** The full date and time, for a tooltip; with a zone it is named. */
export function exactTime(date: Date, zone?: string): string {
  return format(date, { dateStyle: "full", timeStyle: zone === undefined ? "medium" : "full", ...clockOf(zone) });
}

/** How long ago: minutes and hours today, the weekday within a week, then the day. */
export function ago(date: Date, now: Date, zone?: string): string {
  const past = now.getTime() - date.getTime();
  if (past < MINUTE) return t("time.now");
  if (past < HOUR) return t("time.minutesAgo", { n: Math.floor(past / MINUTE) });
  if (past < DAY && isSameDay(date, now, zone)) return t("time.hoursAgo", { n: Math.floor(past / HOUR) });
  if (past < 6 * DAY) return format(date, { weekday: "short", hour: "2-digit", minute: "2-digit", ...clockOf(zone) });
  return dayOfYear(date, now, zone);
}

/** A time in the future: the clock today and tomorrow, the weekday within a week, then the day. */
export function until(date: Date, now: Date, zone?: string): string {
  const ahead = date.getTime() - now.getTime();
  if (ahead < DAY && isSameDay(date, now, zone)) return clock(date, zone);
  // Noon of the next day: no clock is changed by as much as makes it another one.
  const tomorrow = new Date(`${dayAt(now, zone)}T12:00:00Z`);
  tomorrow.setUTCDate(tomorrow.getUTCDate() + 1);
  if (dayAt(date, zone) === tomorrow.toISOString().slice(0, 10)) return t("time.tomorrow", { at: clock(date, zone) });
  if (ahead < 6 * DAY) return format(date, { weekday: "short", hour: "2-digit", minute: "2-digit", ...clockOf(zone) });
  return dayOfYear(date, now, zone);
}

/** The same with the clock on each day. */
export function untilTime(date: Date, now: Date, zone?: string): string {
  if (date.getTime() - now.getTime() < 6 * DAY) return until(date, now, zone);
  return dayOfYear(date, now, zone, { hour: "2-digit", minute: "2-digit" });
}

/** A day, with its year if that is not this one. */
function dayOfYear(date: Date, now: Date, zone: string | undefined, clock: Intl.DateTimeFormatOptions = {}): string {
  const isThisYear = dayAt(date, zone).slice(0, 4) === dayAt(now, zone).slice(0, 4);
  return format(date, { day: "numeric", month: "short", ...(isThisYear ? {} : { year: "numeric" }), ...clock, ...clockOf(zone) });
}

/** "Friday, 20 November" */
export function longDate(moment: Date): string {
  return format(moment, { weekday: "long", day: "numeric", month: "long" });
}

/** "09:05" */
export function clock(date: Date, zone?: string): string {
  return format(date, { hour: "2-digit", minute: "2-digit", ...clockOf(zone) });
}

/** "09:05:30" */
export function clockWithSeconds(date: Date): string {
  return format(date, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** Day and time on the clock of a zone: "Wed 25 Nov, 09:00". */
export function dayAndTimeIn(date: Date, zone: string): string {
  return format(date, { timeZone: zone, weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

/** The name of a zone as people say it, on that day: "Central European Standard Time". */
export function zoneName(zone: string, date: Date): string {
  const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: "long" }).formatToParts(date);
  return parts.find((part) => part.type === "timeZoneName")?.value ?? zone;
}

/** A calendar day, `2026-11-25`: "Wed 25 Nov". */
export function day(iso: string, now: Date = new Date()): string {
  const date = new Date(`${iso}T00:00:00`);
  const sameYear = date.getFullYear() === now.getFullYear();
  return format(date, { weekday: "short", day: "numeric", month: "short", ...(sameYear ? {} : { year: "numeric" }) });
}

/** A calendar day in full, for a label. */
export function fullDay(iso: string): string {
  return format(new Date(`${iso}T00:00:00`), { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}

/** "November 2026" */
export function monthName(iso: string): string {
  return format(new Date(`${iso}T00:00:00`), { month: "long", year: "numeric" });
}

/** The names of the days of a week, from Monday. */
export function weekdayNames(): { short: string; long: string }[] {
  // 1 January 2024 was a Monday.
  return Array.from({ length: 7 }, (_, n) => {
    const date = new Date(2024, 0, 1 + n);
    return { short: format(date, { weekday: "short" }).slice(0, 2), long: format(date, { weekday: "long" }) };
  });
}

/** Minutes as people write them: "45 min", "2 h", "1 h 30". */
export function minutes(total: number): string {
  const [hours, rest] = [Math.floor(total / 60), total % 60];
  if (hours === 0) return t("time.minutes", { n: rest });
  return rest === 0 ? t("time.hours", { n: hours }) : t("time.hoursMinutes", { h: hours, m: String(rest).padStart(2, "0") });
}

/** A running duration in milliseconds: "0:14", "1:02:03". */
export function elapsed(ms: number): string {
  const all = Math.max(0, Math.floor(ms / 1000));
  const [hours, mins, secs] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const two = (part: number): string => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(mins)}:${two(secs)}` : `${mins}:${two(secs)}`;
}

/** The name of a language; its code if the browser doesn't know it. */
export function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: "language", fallback: "code" }).of(code) ?? code;
  } catch {
    return code;
  }
}
