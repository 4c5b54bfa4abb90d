// Where a person was lately: the palette offers it first.

const PLACE = "dormouse.recent";
const KEPT = 8;

export interface Place {
  to: string;
  title: string;
}

/** The places with this one at the front; each stands once. */
export function withPlace(places: readonly Place[], place: Place): Place[] {
  return [place, ...places.filter((other) => other.to !== place.to)].slice(0, KEPT);
}

export function recent(): Place[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PLACE) ?? "[]");
    return Array.isArray(kept) ? (kept as Place[]) : [];
  } catch {
    return [];
  }
}

/** Only tasks and agents are places to remember: the others are a key away. */
export function remember(path: string, title: string): void {
  const to = /^\/(tasks|agents)\/[^/]+/.exec(path)?.[0];
  if (to === undefined || title === "") return;
  localStorage.setItem(PLACE, JSON.stringify(withPlace(recent(), { to, title })));
}

export function forgetRecent(): void {
  localStorage.removeItem(PLACE);
}
