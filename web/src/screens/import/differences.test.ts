import { expect, it } from "vitest";

import { differences, type Difference, type TaskHere } from "./differences";
import type { PlanTask } from "./types";

const planned = {
  title: "Bath", status: null, dueOn: null, priority: null, estimateMinutes: null, category: null, labels: [] as string[], items: 2, checkedItems: 1,
} as unknown as PlanTask;
const item = (isChecked: boolean, isArchived = false) => ({ isChecked, isArchived }) as TaskHere["items"][number];
const here = {
  title: "The bath", status: "OPEN", dueOn: "2027-02-10", priority: "P1", estimateMinutes: 30, category: { name: "Home" }, labels: [{ name: "Flat" }],
  items: [item(true), item(false), item(true, true)],
} as unknown as TaskHere;

it.each<[string, Partial<PlanTask>, Difference[]]>([
  ["a list that states nothing else", {}, []],
  ["the same in other letters", { category: "home", labels: ["flat"], dueOn: "2027-02-10", priority: "P1" }, []],
  ["another due date", { dueOn: "2027-02-15" }, ["dueOn"]],
  ["a status, a priority and an estimate", { status: "DONE", priority: "P0", estimateMinutes: 60 }, ["status", "priority", "estimateMinutes"]],
  ["another category and one more label", { category: "Work", labels: ["flat", "tiles"] }, ["category", "labels"]],
  ["an item more, and one more ticked", { items: 3, checkedItems: 2 }, ["items", "checkedItems"]],
])("%s differs from the task here in its parts", (_, stated, expected) => expect(differences({ ...planned, ...stated }, here)).toEqual(expected));
