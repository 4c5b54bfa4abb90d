import { expect, it } from "vitest";

import { changesOf, readChanges, type WorkDraft } from "./drafts";
import { emptyStep } from "./steps";

const saved: WorkDraft = { title: "Letters", instructions: "Say which came.", schedule: "", catchUp: "once", catchUpHours: 24, overlap: "queue", steps: [{ ...emptyStep(), text: "Count" }] };
const again = (steps: WorkDraft["steps"]): WorkDraft["steps"] => steps.map((step) => ({ ...step, key: emptyStep().key }));

it("keeps what the person changed, and nothing else", () => {
  expect(changesOf({ ...saved, steps: again(saved.steps) }, saved)).toEqual({});
  expect(changesOf({ ...saved, instructions: "", overlap: "skip" }, saved)).toEqual({ instructions: "", overlap: "skip" });
  expect(changesOf({ ...saved, steps: [] }, saved)).toEqual({ steps: [] });
});

it("reads back what it kept", () => {
  const changes = changesOf({ ...saved, title: "Post", catchUp: "all", catchUpHours: 48, steps: [...saved.steps, { ...emptyStep(), text: "List", check: "words", value: "200" }] }, saved);
  const read = readChanges(JSON.stringify(changes));
  expect(read).toMatchObject({ title: "Post", catchUp: "all", catchUpHours: 48 });
  expect(readChanges('{"catchUpHours":721}')).toEqual({});
  expect(read.steps?.map(({ text, check, value }) => [text, check, value])).toEqual([["Count", "none", ""], ["List", "words", "200"]]);
});

it.each(["", "null", "nonsense", "[]", '{"title":7,"overlap":"never","steps":[null,{"text":"x"}]}'])("reads nothing it does not know from %j", (text) => {
  const { steps, ...rest } = readChanges(text);
  expect([rest, steps ?? []]).toEqual([{}, []]);
});
