import { expect, it } from "vitest";

import { CHANGES, changeOf } from "./changes";

it("knows a usual change in whatever order the server writes it", () => {
  const done = { event: "fieldSet", to: { status: "DONE", reason: null, type: "status" }, tasks: [], label: null, from: null, field: "status", category: null } as const;
  expect(changeOf(done as never)).toBe("done");
  expect(changeOf(CHANGES.created as never)).toBe("created");
  expect(changeOf({ ...CHANGES.created, category: "ct-1" } as never)).toBeUndefined();
});
