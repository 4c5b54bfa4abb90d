import { describe, expect, it } from "vitest";

import { addressOf, choiceOf, choices, nameOf } from "./data";

describe("what can be exported", () => {
  it("is a page for one task only", () => {
    expect(choices(undefined)).toEqual(["markdown", "todoTxt", "iCalendar", "csv", "json", "document"]);
    expect(choices("t1")).toEqual(["page", "markdown", "todoTxt", "iCalendar", "csv", "json", "document"]);
  });

  it.each<[string | null, string | undefined, string]>([
    [null, undefined, "markdown"],
    [null, "t1", "page"],
    ["csv", "t1", "csv"],
    ["page", undefined, "markdown"],
    ["docx", undefined, "markdown"],
  ])("is, for ?format=%s and task %s, %s", (named, task, choice) => expect(choiceOf(named, task)).toBe(choice));

  it.each<[Parameters<typeof addressOf>[0], string | undefined, string]>([
    ["page", "t 1", "/api/journal/tasks/t%201/page"],
    ["csv", undefined, "/api/export?format=csv"],
    ["csv", "t1", "/api/export?format=csv&task=t1"],
    ["document", undefined, "/api/export"],
    ["document", "t1", "/api/export?task=t1"],
  ])("is found, as %s of %s, at %s", (choice, task, address) => expect(addressOf(choice, task)).toBe(address));

  it.each<[Parameters<typeof nameOf>[0], string, string]>([
    ["page", "Pack: kitchen/hall\u0000\n", "Pack kitchen hall.md"],
    ["page", "../..", "task.md"],
    ["page", "é".repeat(400), `${"é".repeat(60)}.md`],
    ["document", "", "dormouse.json"],
    ["document", "Move", "Move.json"],
  ])("has, as %s of “%s”, a name that a disk takes", (choice, title, name) => expect(nameOf(choice, title)).toBe(name));
});
