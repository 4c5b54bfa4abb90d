// Drafts: typed text that hasn't been sent, kept in this browser across reloads.

const STORAGE_KEY = "dormouse.draft.";

export function draftOf(place: string): string {
  return localStorage.getItem(STORAGE_KEY + place) ?? "";
}

export function keepDraft(place: string, text: string): void {
  try {
    if (text.trim() === "") localStorage.removeItem(STORAGE_KEY + place);
    else localStorage.setItem(STORAGE_KEY + place, text);
  } catch {
    // A long text may be more than the browser keeps. An older draft in its place would mislead.
    localStorage.removeItem(STORAGE_KEY + place);
  }
}
