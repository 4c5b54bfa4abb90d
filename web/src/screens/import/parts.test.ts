import { expect, it } from "vitest";

import { partsText } from "./parts";

it("names fields in words and everything else by what it says", () => {
  expect(partsText(["dueDate", "item Tape"])).toBe("due date, item Tape");
});

it("counts what is too much to name", () => {
  expect(partsText(["title", "item a", "item b", "item c", "item d", "item e", "item f", "item g"])).toMatch(/item e, 2 more$/);
});
