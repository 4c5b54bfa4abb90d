import { describe, expect, it } from "vitest";

import type { Schemas } from "../../api/client";
import changes from "../../i18n/changes.json";
import values from "../../i18n/values.json";
import { bySection, itemActionOf, canConfirmInBulk, hasDrifted, proposedOf, timeLeft, type Change, type Value } from "./change";
import { formatValue, nameOf } from "./describe";
import { change } from "./testChange";

const LABEL = "lb-00000000000000000000000001";
const labelled: Schemas["FieldChange"] = { field: { type: "label", id: LABEL }, from: null, to: null };

const minutes = (value: number): Value => ({ type: "minutes", minutes: value });
const item = (title: string, isChecked = false): Value => ({ type: "item", title, isChecked, isArchived: false });
const estimate = (from: Value | null, current: Value | null): Partial<Change> => ({
  change: { field: { type: "estimate" }, from, to: minutes(120) },
  current,
});
const ID = "ci-00000000000000000000000001";

describe("formatValue", () => {
  it.each(values)("gives $value.type the line of the table", ({ value, page }) => {
    expect(formatValue(value as Value)).toBe(page);
  });

  it("names an empty value", () => {
    expect(formatValue(null)).toBe("None");
  });
});

describe("nameOf", () => {
  it.each(changes)("gives a change the line of the table: $page", ({ change, summary, page }) => {
    expect(nameOf({ change: change as Schemas["FieldChange"] | null, humanSummary: summary })).toBe(page);
  });
});

describe("proposedOf", () => {
  it("is the value after", () => {
    const tick = change({
      change: { field: { type: "item", id: ID }, from: item("Old name"), to: item("New name", true) },
      args: { id: ID, isChecked: true },
    });
    expect(proposedOf(tick)).toEqual(item("New name", true));
    expect(itemActionOf(tick)).toBe("tick");
  });

  it("falls back to the server's summary", () => {
    expect(proposedOf(change({ toolName: "send_letter", change: null, humanSummary: "Send a letter" }))).toEqual({
      type: "text",
      text: "Send a letter",
    });
  });
});

describe("hasDrifted", () => {
  it("notices a changed value", () => {
    expect(hasDrifted(change(estimate(minutes(60), minutes(180))))).toBe(true);
    expect(hasDrifted(change(estimate(minutes(60), minutes(60))))).toBe(false);
    expect(hasDrifted(change(estimate(null, minutes(60))))).toBe(true);
  });

  it("compares the words of an older row with words", () => {
    const before: Value = { type: "words", words: "1 hour" };
    expect(hasDrifted(change({ ...estimate(before, minutes(60)), now: "1 hour" }))).toBe(false);
    expect(hasDrifted(change({ ...estimate(before, minutes(90)), now: "1 h 30 min" }))).toBe(true);
  });

  it("ignores other labels", () => {
    expect(hasDrifted(change({ change: labelled, current: { type: "label", id: LABEL, name: "Garden" } }))).toBe(false);
  });
});

describe("canConfirmInBulk", () => {
  const edit: Partial<Change> = {
    change: { field: { type: "item", id: ID }, from: item("A"), to: item("A", true) },
    current: item("A"),
  };

  it("excludes destructive, outdated and unknown changes", () => {
    expect(canConfirmInBulk(change())).toBe(true);
    expect(canConfirmInBulk(change({ ...edit, args: { isChecked: true } }))).toBe(true);
    expect(canConfirmInBulk(change({ ...edit, isDestructive: true }))).toBe(false);
    expect(canConfirmInBulk(change(estimate(minutes(60), minutes(120))))).toBe(false);
    expect(canConfirmInBulk(change({ toolName: "send_letter", change: null }))).toBe(false);
  });
});

describe("bySection", () => {
  it("orders sections and leaves out empty ones", () => {
    const fields: Schemas["FieldChange"]["field"][] = [{ type: "dueDate" }, labelled.field, { type: "item", id: null }, { type: "title" }];
    const rows = [change({ change: null }), ...fields.map((field) => change({ change: { field, from: null, to: null } }))];
    expect(bySection(rows, (row) => row).map((group) => group.section)).toEqual([
      "state",
      "checklist",
      "labels",
      "plan",
      "new",
    ]);
    expect(bySection(rows.slice(1, 2), (row) => row).map((group) => group.section)).toEqual(["plan"]);
  });
});

describe("timeLeft", () => {
  const now = new Date("2026-11-20T12:00:00Z");
  const until = (expiresAt: string | null): ReturnType<typeof change> => change({ expiresAt });

  it("picks the earliest, in days, then hours, then minutes", () => {
    expect(timeLeft([until("2026-11-27T11:00:00Z"), until(null), until("2026-11-29T12:00:00Z")], now)).toEqual({
      unit: "days",
      n: 7,
    });
    expect(timeLeft([until("2026-11-21T11:30:00Z")], now)).toEqual({ unit: "hours", n: 24 });
    expect(timeLeft([until("2026-11-20T12:20:00Z")], now)).toEqual({ unit: "minutes", n: 20 });
    expect(timeLeft([until("2026-11-19T12:20:00Z")], now)).toEqual({ unit: "minutes", n: 0 });
    expect(timeLeft([until(null)], now)).toBeUndefined();
  });
});
