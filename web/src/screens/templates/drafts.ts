// Words of a template that were typed and not saved, kept in this browser across reloads.

import { draftOf, keepDraft } from "../task/drafts";
import type { Words } from "./rules";

/** What was typed, and the version that it was typed over. */
export interface Draft {
  words: Words;
  base: { revision: number; saved: Words };
}

const place = (id: string): string => `template.${id}`;

const isWords = (value: unknown): value is Words => {
  const { generalDirective, reportDirective, modelId, profileId } = (value ?? {}) as Partial<Words>;
  const isText = (text: unknown): boolean => typeof text === "string";
  return isText(generalDirective) && isText(reportDirective) && (modelId === null || isText(modelId)) && (profileId === null || isText(profileId));
};

/** Any text yields a draft or none: what another version of the app kept is not trusted. */
export function readDraft(text: string): Draft | undefined {
  try {
    const draft = JSON.parse(text) as Partial<Draft> | null;
    return isWords(draft?.words) && isWords(draft.base?.saved) && Number.isInteger(draft.base.revision) ? (draft as Draft) : undefined;
  } catch {
    return undefined;
  }
}

export const templateDraft = (id: string): Draft | undefined => readDraft(draftOf(place(id)));

export function keepTemplateDraft(id: string, draft: Draft | undefined): void {
  keepDraft(place(id), draft === undefined ? "" : JSON.stringify(draft));
}
