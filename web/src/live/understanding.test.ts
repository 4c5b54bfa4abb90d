import { beforeEach, expect, it, vi } from "vitest";

vi.hoisted(() => {
  vi.stubGlobal("location", new URL("http://localhost/"));
  vi.stubGlobal("navigator", { language: "de-AT" });
});

import { dueDay, Understanding, type UnderstoodDate } from "./understanding.svelte";

const requests: string[] = [];
const languages: (string | null)[] = [];
beforeEach(() => {
  requests.length = 0;
  languages.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal("fetch", (path: string) => {
    const query = new URL(path, "http://localhost").searchParams;
    const text = query.get("text") ?? "";
    requests.push(text);
    languages.push(query.get("lang"));
    const isDate = text !== "blah";
    const body = isDate ? { text, day: "2027-01-15" } : { type: "/problems/date-not-understood", title: "No date" };
    return Promise.resolve(new Response(JSON.stringify(body), { status: isDate ? 200 : 422 }));
  });
  return () => vi.useRealTimers();
});

it("asks once typing pauses, about what was typed last", async () => {
  const words = new Understanding<UnderstoodDate>("/api/dates");
  for (const text of ["f", "fr", "fri"]) words.type(text);
  expect(words.isAsking).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests).toEqual(["fri"]);
  expect(words.value).toMatchObject({ text: "fri" });
  expect(words.isAsking).toBe(false);
});

it("answers at once when it is needed", async () => {
  const words = new Understanding<UnderstoodDate>("/api/dates");
  words.type("fri");
  expect(await words.settled()).toMatchObject({ text: "fri" });
  expect(requests).toEqual(["fri"]);
  expect(languages).toEqual(["de-AT"]);
});

it("has no answer about words that mean nothing, nor about none", async () => {
  const words = new Understanding<UnderstoodDate>("/api/dates");
  words.type("blah");
  expect(await words.settled()).toBeUndefined();
  expect(words.problem).toMatchObject({ code: "date-not-understood" });
  words.type("  ");
  expect(words.problem).toBeUndefined();
  expect(await words.settled()).toBeUndefined();
});

it("never gives the answer about an earlier text", async () => {
  const words = new Understanding<UnderstoodDate>("/api/dates");
  words.type("fri");
  await words.settled();
  words.type("blah");
  expect(await words.settled()).toBeUndefined();
});

it("takes the last day of a range", () => {
  const date = { day: "2027-01-01", endDay: "2027-01-31" } as UnderstoodDate;
  expect(dueDay(date)).toBe("2027-01-31");
  expect(dueDay({ ...date, endDay: null })).toBe("2027-01-01");
});
