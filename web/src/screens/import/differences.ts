// How a planned task differs from the task that it changes, as far as a plan says it.

import type { Schemas } from "../../api/client";
import type { PlanTask } from "./types";

export type TaskHere = Pick<Schemas["Task"], "title" | "status" | "dueOn" | "priority" | "estimateMinutes" | "category" | "labels" | "items">;
export type Difference = "status" | "dueOn" | "priority" | "estimateMinutes" | "category" | "labels" | "items" | "checkedItems";

const alike = (one: string, other: string | undefined): boolean => one.toLowerCase() === other?.toLowerCase();

/** In which parts they differ. What the list does not state is not compared: it stays. */
export function differences(planned: PlanTask, here: TaskHere): Difference[] {
  const states = (part: "status" | "dueOn" | "priority" | "estimateMinutes"): boolean => planned[part] !== null && planned[part] !== here[part];
  const live = here.items.filter((item) => !item.isArchived);
  const names = here.labels.map((label) => label.name);
  const found: Record<Difference, boolean> = {
    status: states("status"),
    dueOn: states("dueOn"),
    priority: states("priority"),
    estimateMinutes: states("estimateMinutes"),
    category: planned.category !== null && !alike(planned.category, here.category?.name),
    labels: planned.labels.some((label) => !names.some((name) => alike(label, name))),
    items: planned.items !== live.length,
    checkedItems: planned.checkedItems !== live.filter((item) => item.isChecked).length,
  };
  return (Object.keys(found) as Difference[]).filter((part) => found[part]);
}
