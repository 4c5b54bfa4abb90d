// What was typed and not sent yet: kept on this machine, over reloads.

const PLACE = "dormouse.draft.";

export function draftOf(place: string): string {
  return localStorage.getItem(PLACE + place) ?? "";
}

export function keepDraft(place: string, text: string): void {
  if (text.trim() === "") localStorage.removeItem(PLACE + place);
  else localStorage.setItem(PLACE + place, text);
}
