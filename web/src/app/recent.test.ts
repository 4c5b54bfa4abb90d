import { expect, it } from "vitest";

import { withPlace } from "./recent";

const place = (n: number) => ({ to: `/tasks/${n}`, title: `${n}` });

it("puts the newest place first, each once, and keeps eight", () => {
  const eight = [1, 2, 3, 4, 5, 6, 7, 8].map(place);
  expect(withPlace(eight, place(9)).map((one) => one.title).join("")).toBe("91234567");
  expect(withPlace(eight, { to: "/tasks/3", title: "three" }).map((one) => one.title)).toEqual(["three", "1", "2", "4", "5", "6", "7", "8"]);
});
