import { beforeEach, describe, expect, it, vi } from "vitest";

vi.hoisted(() => vi.stubGlobal("location", new URL("http://localhost/")));

import type { UnderstoodDate } from "../../live/understanding.svelte";
import { doubtAbout, saidDate } from "./dueWords";

type Assumed = UnderstoodDate["assumed"];

const date = (assumed: Assumed, more: Partial<UnderstoodDate> = {}): UnderstoodDate => ({
  text: "mon 9.30", day: "2027-09-30", at: null, endDay: null, endTime: null, time: null, zone: null, role: "day" as UnderstoodDate["role"], repeats: null, assumed, ...more,
});

describe.each(["en-GB", "en-US", "de-DE"])("in a browser that speaks %s", (language) => {
  beforeEach(() => vi.stubGlobal("navigator", { language }));

  it.each<[string, Assumed, string | undefined]>([
    ["a weekday that the date is not on", [{ kind: "weekdayDiffers", value: "2027-09-30" }], "not the weekday you wrote"],
    [
      "that and the order",
      [{ kind: "otherOrder", value: "monthFirst" }, { kind: "weekdayDiffers", value: "2027-09-30" }],
      "read with the month before the day, not the weekday you wrote",
    ],
    ["the weekday that is today", [{ kind: "inAWeek", value: "2026-12-05" }], "the one in a week, because today is one"],
    ["the weekday of the week after", [{ kind: "nextWeek", value: "2026-12-05" }], "the one of next week"],
    ["a year that the day shows", [{ kind: "year", value: "2027" }], undefined],
  ])("%s is said", (_, assumed, doubt) => expect(doubtAbout(date(assumed))).toBe(doubt));

  it("a day after which it is to be done is said to be no last day", () => {
    expect(doubtAbout(date([{ kind: "after", value: "2026-12-25" }]))).toMatch(/^after .+: no last day is given$/);
  });

  it("it is said of a range, of a time and of what repeats too", () => {
    const differs: Assumed = [{ kind: "weekdayDiffers", value: "2027-09-30" }];
    for (const more of [{ time: "09:30" }, { endDay: "2027-10-02" }, { repeats: { times: 1 } as UnderstoodDate["repeats"] }]) {
      expect(saidDate(date(differs, more))).toMatch(/\(not the weekday you wrote\)$/);
    }
  });
});
