// Steps of agent work as the form has them, and as they are sent.

import type { Schemas } from "../../api/client";

export type Step = Schemas["WorkStepParams"];
type Check = NonNullable<Step["check"]>;

/** What can be checked; `none` checks nothing. */
export const CHECKS = ["none", "notEmpty", "words", "headings", "links", "namesTasks", "schema"] as const;

export interface StepDraft {
  key: number;
  text: string;
  mandatory: boolean;
  check: (typeof CHECKS)[number];
  /** What the check needs: a number, headings with commas between them, words of titles, a schema. */
  value: string;
}

let nextKey = 0;

export function emptyStep(): StepDraft {
  nextKey += 1;
  return { key: nextKey, text: "", mandatory: true, check: "none", value: "" };
}

/** A stored step, to be edited. */
export function draftOf(step: Schemas["WorkStep"]): StepDraft {
  const draft = { ...emptyStep(), text: step.text, mandatory: step.mandatory };
  const check = step.check;
  if (check == null) return draft;
  switch (check.type) {
    case "words":
      return { ...draft, check: "words", value: String(check.most) };
    case "headings":
      return { ...draft, check: "headings", value: check.headings.join(", ") };
    case "namesTasks":
      return { ...draft, check: "namesTasks", value: check.words };
    case "schema":
      return { ...draft, check: "schema", value: JSON.stringify(check.schema) };
    default:
      return { ...draft, check: check.type };
  }
}

/** The steps that have a text. A value that the server cannot use is sent as it is, for it to say so. */
export function stepsOf(drafts: readonly StepDraft[]): Step[] {
  const filled = drafts.filter((draft) => draft.text.trim() !== "");
  return filled.map((draft) => ({ text: draft.text.trim(), mandatory: draft.mandatory, ...withCheck(checkOf(draft)) }));
}

function withCheck(check: Check | undefined): { check?: Check } {
  return check === undefined ? {} : { check };
}

function checkOf({ check, value }: StepDraft): Check | undefined {
  switch (check) {
    case "none":
      return undefined;
    case "words":
      return { type: "words", most: Math.max(0, Math.trunc(Number(value)) || 0) };
    case "headings":
      return { type: "headings", headings: value.split(",").map((one) => one.trim()) };
    case "namesTasks":
      return { type: "namesTasks", words: value.trim() };
    case "schema":
      return { type: "schema", schema: json(value) };
    default:
      return { type: check };
  }
}

function json(text: string): Record<string, never> {
  try {
    return JSON.parse(text) as Record<string, never>;
  } catch {
    return text as unknown as Record<string, never>;
  }
}
