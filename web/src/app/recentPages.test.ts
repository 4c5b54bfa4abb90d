import { expect, it } from "vitest";

import { withRecent } from "./recentPages";

const page = (n: number) => ({ to: `/tasks/${n}`, title: `${n}` });

it("puts the newest page first, each once, and keeps eight", () => {
  const eight = [1, 2, 3, 4, 5, 6, 7, 8].map(page);
  expect(withRecent(eight, page(9)).map((one) => one.title).join("")).toBe("91234567");
  expect(withRecent(eight, { to: "/tasks/3", title: "three" }).map((one) => one.title)).toEqual(["three", "1", "2", "4", "5", "6", "7", "8"]);
});
