import { expect, test } from "vitest";

import { draftOf, emptyStep, stepsOf } from "./steps";

test("steps are sent as the form has them, those without a text are left out", () => {
  const step = emptyStep();
  const drafts = [
    { ...step, text: " Sum up ", check: "words" as const, value: "200" },
    { ...step, text: "Name all", check: "namesTasks" as const, value: " rent " },
    { ...step, text: " " },
    { ...step, text: "Look", mandatory: false },
    { ...step, text: "Report", check: "headings" as const, value: "Summary, Next steps" },
    { ...step, text: "Cite", check: "links" as const },
  ];
  expect(stepsOf(drafts)).toEqual([
    { text: "Sum up", mandatory: true, check: { type: "words", most: 200 } },
    { text: "Name all", mandatory: true, check: { type: "namesTasks", words: "rent" } },
    { text: "Look", mandatory: false },
    { text: "Report", mandatory: true, check: { type: "headings", headings: ["Summary", "Next steps"] } },
    { text: "Cite", mandatory: true, check: { type: "links" } },
  ]);
});

test("a stored step is edited as it was written", () => {
  const schema = { type: "object" } as unknown as Record<string, never>;
  const stored = { text: "Report", mandatory: true, check: { type: "schema" as const, schema } };
  expect(stepsOf([draftOf(stored)])).toEqual([stored]);
  const words = { text: "Sum up", mandatory: false, check: { type: "words" as const, most: 5 } };
  expect(stepsOf([draftOf(words)])).toEqual([words]);
});
