import { expect, it } from "vitest";

import { isUpTo } from "./cursor";
import type { EventKind } from "./socket";

const event = (type: EventKind, cursor: string) => ({ type, cursor, tasks: [], at: "" });

it("compares an event with a cursor in the database of the event", () => {
  expect(isUpTo(event("journal:changed", "ho-j.4.ho-a.9"), "ho-j.4.ho-a.7")).toBe(true);
  expect(isUpTo(event("journal:changed", "ho-j.5.ho-a.1"), "ho-j.4.ho-a.7")).toBe(false);
  expect(isUpTo(event("change-set:item", "ho-j.9.ho-a.7"), "ho-j.4.ho-a.7")).toBe(true);
  expect(isUpTo(event("change-set:item", "ho-j.1.ho-a.8"), "ho-j.4.ho-a.7")).toBe(false);
});

it("takes positions of another database, and texts that are no cursors, for news", () => {
  expect(isUpTo(event("journal:changed", "ho-x.1.ho-a.1"), "ho-j.4.ho-a.7")).toBe(false);
  expect(isUpTo(event("journal:changed", "ho-j.1.ho-a.1"), "later")).toBe(false);
  expect(isUpTo(event("journal:changed", ""), "ho-j.4.ho-a.7")).toBe(false);
});
