import { describe, expect, it } from "vitest";

import { worksWithResults, type Delivery } from "./deliveries";

const result = (taskId: string, title: string): Delivery => ({ taskId, title }) as Delivery;

describe("work with results", () => {
  it("is counted once, however many results it has", () => {
    const all = [result("task-1", "Agenda"), result("task-2", "Review"), result("task-1", "Agenda")];
    expect(worksWithResults(all, undefined)).toEqual([all[0], all[1]]);
  });

  it("leaves out the work that is in front", () => {
    const all = [result("task-1", "Agenda"), result("task-1", "Agenda")];
    expect(worksWithResults(all, "task-1")).toEqual([]);
  });
});
