// Problems as text.

import type { Problem } from "../api/problem";
import { has, t } from "./index.svelte";

/** One or two sentences: what happened and what to do. Falls back to the server's text. */
export function describeProblem(problem: Problem): string {
  const key = problem.refusal === undefined ? `problem.${problem.code}` : `work.cannotSwitchOn.${problem.refusal}`;
  const details = [problem.detail, ...problem.fields.map((field) => field.message)].filter((text) => text !== "");
  const text = has(key) ? t(key) : details.length > 0 ? [...new Set(details)].join(" ") : problem.title;
  const wait = problem.retryAfter;
  return wait === undefined ? text : t("problem.retryAfter", { problem: text, n: Math.ceil(wait) });
}
