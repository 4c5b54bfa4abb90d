// The parts of a task that an import changes or leaves, in words.

import { list, t } from "../../i18n/index.svelte";

const FIELDS = ["title", "status", "priority", "dueDate", "estimate", "language", "category", "starred", "private"] as const;

/** More parts than these are counted. */
const MAX_NAMED = 6;

/** Fields by their names; items, notes and labels are named by what they say already. */
export function partsText(parts: readonly string[]): string {
  const named = parts.slice(0, MAX_NAMED).map((part) => {
    const field = FIELDS.find((name) => name === part);
    return field === undefined ? part : t(`imports.part.${field}`);
  });
  const more = parts.length - named.length;
  return list(more > 0 ? [...named, t("imports.moreParts", { n: more })] : named);
}
