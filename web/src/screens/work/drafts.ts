// What was typed into a form of agent work and not saved, kept in this browser across pages and reloads.

import type { Schemas } from "../../api/client";
import { draftOf, keepDraft } from "../task/drafts";
import { CHECKS, emptyStep, type StepDraft } from "./steps";

/** What the person typed; an empty schedule means once, now. */
export interface WorkDraft {
  title: string;
  instructions: string;
  schedule: string;
  catchUp: Schemas["CatchUp"];
  /** How late what was missed may be and still run. Units: hours. */
  catchUpHours: number;
  overlap: Schemas["Overlap"];
  steps: StepDraft[];
}

/** The fields that the person changed; the others are what is saved. */
export type WorkChanges = Partial<WorkDraft>;

const TEXTS = ["title", "instructions", "schedule"] as const;
const CATCH_UP: readonly unknown[] = ["once", "all", "skip"];
const OVERLAP: readonly unknown[] = ["queue", "skip", "parallel"];

/** What the server takes. */
export const MAX_HOURS = 720;
export const isHours = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_HOURS;

/** Where the draft of new work is kept. */
export const NEW_WORK = "work.new";

/** Where the draft of an edit is kept. */
export const editPlace = (work: string): string => `work.edit.${work}`;

/** Steps without the keys that only a form has. */
const plain = (steps: readonly StepDraft[]): string => JSON.stringify(steps.map(({ key: _, ...step }) => step));

export function changesOf(form: WorkDraft, saved: WorkDraft): WorkChanges {
  const changes: WorkChanges = {};
  for (const field of TEXTS) if (form[field] !== saved[field]) changes[field] = form[field];
  if (form.catchUp !== saved.catchUp) changes.catchUp = form.catchUp;
  if (form.catchUpHours !== saved.catchUpHours) changes.catchUpHours = form.catchUpHours;
  if (form.overlap !== saved.overlap) changes.overlap = form.overlap;
  if (plain(form.steps) !== plain(saved.steps)) changes.steps = form.steps;
  return changes;
}

function readStep(value: unknown): StepDraft[] {
  const { text, mandatory, check, value: given } = (value ?? {}) as Partial<StepDraft>;
  const known = CHECKS.find((one) => one === check);
  if (typeof text !== "string" || typeof given !== "string" || known === undefined) return [];
  return [{ ...emptyStep(), text, mandatory: mandatory === true, check: known, value: given }];
}

/** Any text yields what can be read of it: what another version of the app kept is not trusted. */
export function readChanges(text: string): WorkChanges {
  let kept: Record<string, unknown>;
  try {
    kept = (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
  const changes: WorkChanges = {};
  for (const field of TEXTS) if (typeof kept[field] === "string") changes[field] = kept[field];
  if (CATCH_UP.includes(kept["catchUp"])) changes.catchUp = kept["catchUp"] as WorkDraft["catchUp"];
  if (isHours(kept["catchUpHours"])) changes.catchUpHours = kept["catchUpHours"];
  if (OVERLAP.includes(kept["overlap"])) changes.overlap = kept["overlap"] as WorkDraft["overlap"];
  if (Array.isArray(kept["steps"])) changes.steps = kept["steps"].flatMap(readStep);
  return changes;
}

export const workDraft = (place: string): WorkChanges => readChanges(draftOf(place));

export const hasWorkDraft = (place: string): boolean => Object.keys(workDraft(place)).length > 0;

export function keepWorkDraft(place: string, changes: WorkChanges): void {
  keepDraft(place, Object.keys(changes).length === 0 ? "" : JSON.stringify(changes));
}
