import { expect, it } from "vitest";

import { ALL_KINDS } from "../../live/testEventKinds";
import type { LiveEvent } from "../../live/socket";
import { queries } from "./data";

it("reloads a task for what is on it, not for each step of its agent's run", () => {
  const { invalidatedBy } = queries.task("t1");
  const event = (type: string, task: string): LiveEvent => ({ type, cursor: "", tasks: [task], at: "" });
  const loaded = ALL_KINDS.filter((type) => invalidatedBy(event(type, "t1"), undefined));
  expect(ALL_KINDS.filter((type) => !loaded.includes(type))).toEqual(["agent:wake", "agent:report", "agent:message"]);
  expect(ALL_KINDS.filter((type) => invalidatedBy(event(type, "t2"), undefined))).toEqual([]);
});
