import { describe, expect, it } from "vitest";

import { bySection, itemActionOf, canConfirmInBulk, hasDrifted, proposedOf, readValue, timeLeft } from "./change";
import { change } from "./testChange";

describe("readValue", () => {
  it("separates a status from its reason", () => {
    expect(readValue("status", "BLOCKED (waits (still) for parts)")).toEqual({
      as: "status",
      status: "BLOCKED",
      reason: "waits (still) for parts",
    });
    expect(readValue("status", "IN PROGRESS")).toEqual({ as: "status", status: "IN PROGRESS", reason: undefined });
  });

  it("parses durations", () => {
    expect(readValue("estimate", "1 h 30 min")).toEqual({ as: "minutes", minutes: 90 });
    expect(readValue("estimate", "2 hours")).toEqual({ as: "minutes", minutes: 120 });
    expect(readValue("estimate", "45 min")).toEqual({ as: "minutes", minutes: 45 });
    expect(readValue("estimate", "a while")).toEqual({ as: "text", text: "a while" });
  });

  it("parses checkboxes with any title", () => {
    expect(readValue("editItem", "[x] Ask [again]\n(soon) (archived)")).toEqual({
      as: "box",
      isChecked: true,
      title: "Ask [again]\n(soon)",
      isArchived: true,
    });
  });

  it("recognises an empty value", () => {
    expect(readValue("dueDate", null)).toEqual({ as: "none" });
  });
});

describe("proposedOf", () => {
  it("applies an edit of an item to its current value", () => {
    const tick = change({
      toolName: "update_checklist_item",
      args: { id: "ci-1", isChecked: true },
      before: "[ ] Old name",
      now: "[ ] New name",
    });
    expect(proposedOf(tick)).toEqual({ as: "box", isChecked: true, title: "New name", isArchived: false });
    expect(itemActionOf(tick)).toBe("tick");
  });

  it("falls back to the server's text", () => {
    expect(proposedOf(change({ toolName: "send_letter", proposed: null, humanSummary: "Send a letter" }))).toEqual({
      as: "text",
      text: "Send a letter",
    });
  });
});

describe("hasDrifted", () => {
  it("notices a changed value", () => {
    expect(hasDrifted(change({ before: "1 hour", now: "3 hours" }))).toBe(true);
    expect(hasDrifted(change({ before: "1 hour", now: "1 hour" }))).toBe(false);
  });

  it("ignores other labels", () => {
    expect(hasDrifted(change({ toolName: "assign_task_label", before: null, now: "garden" }))).toBe(false);
  });
});

describe("canConfirmInBulk", () => {
  const item = { toolName: "update_checklist_item", before: "[ ] A", now: "[ ] A" };

  it("excludes destructive, outdated and unknown changes", () => {
    expect(canConfirmInBulk(change())).toBe(true);
    expect(canConfirmInBulk(change({ ...item, args: { isChecked: true } }))).toBe(true);
    expect(canConfirmInBulk(change({ ...item, isDestructive: true }))).toBe(false);
    expect(canConfirmInBulk(change({ before: "1 hour", now: "2 hours" }))).toBe(false);
    expect(canConfirmInBulk(change({ toolName: "send_letter" }))).toBe(false);
  });
});

describe("bySection", () => {
  it("orders sections and leaves out empty ones", () => {
    const rows = ["send_letter", "update_task_due_date", "assign_task_label", "add_checklist_item", "set_task_title"].map(
      (toolName) => change({ toolName }),
    );
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
