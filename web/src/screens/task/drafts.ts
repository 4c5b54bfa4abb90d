// What was typed and not sent yet: kept on this machine, over reloads.

const STORAGE_KEY = "dormouse.draft.";

export function draftOf(place: string): string {
  return localStorage.getItem(STORAGE_KEY + place) ?? "";
}

export function keepDraft(place: string, text: string): void {
  if (text.trim() === "") localStorage.removeItem(STORAGE_KEY + place);
  else localStorage.setItem(STORAGE_KEY + place, text);
}
