import { expect, test } from "vitest";

import { laterChanges } from "./asOf";
import type { Activity } from "./data";

type What = Activity["what"][number];

const at = (n: number): string => `2026-11-${String(n).padStart(2, "0")}T09:00:00Z`;
const since = (...days: What[][]): Activity[] => days.map((what, n) => ({ seq: n + 1, at: at(n + 1), origin: "person", what }) as Activity);
const added = (item: string, title: string): What => ({ what: "itemAdded", item, title, isChecked: false }) as What;
const ticked = (item: string, isChecked = true): What => ({ what: "itemChecked", item, title: "x", isChecked }) as What;

test("the last change of an item or an entry counts", () => {
  const changes = laterChanges(
    since([ticked("a")], [ticked("a", false)], [{ what: "entryEdited", entry: "e" } as What], [{ what: "entryDeleted", entry: "e" } as What]),
    [{ id: "a" }],
  );
  expect(changes.parts.get("a")).toEqual({ did: "unticked", at: at(2) });
  expect(changes.parts.get("e")).toEqual({ did: "deleted", at: at(4) });
});

test("items that came later are listed by their present title, and not once they are gone", () => {
  const changes = laterChanges(
    since(
      [added("b", "Bank"), added("c", "Car")],
      [{ what: "itemRenamed", item: "b", from: "Bank", to: "The bank" } as What],
      [{ what: "itemArchived", item: "c", title: "Car", isArchived: true } as What],
      [{ what: "itemMoved", item: "d", title: "From elsewhere", isChecked: false } as What],
    ),
    [{ id: "a" }],
  );
  expect(changes.added.map((item) => item.title)).toEqual(["The bank", "From elsewhere"]);
});

test("an item that was moved away, archived and brought back is marked so only while it is away", () => {
  const archived = (isArchived: boolean): What => ({ what: "itemArchived", item: "a", title: "x", isArchived }) as What;
  expect(laterChanges(since([archived(true)], [archived(false)]), [{ id: "a" }]).parts.size).toBe(0);
  const moved = laterChanges(since([{ what: "itemMoved", item: "a", title: "x", isChecked: false } as What]), [{ id: "a" }]);
  expect(moved.parts.get("a")?.did).toBe("moved");
  expect(moved.added).toEqual([]);
});

test("fields and labels that were set since are known by name", () => {
  const set = { what: "fieldSet", field: { type: "dueDate" }, from: null, to: null } as What;
  const changes = laterChanges(since([set, { what: "labelAdded", label: "l", name: "Home" } as What]), []);
  expect([...changes.fields]).toEqual(["dueDate"]);
  expect(changes.labels).toBe(true);
});
