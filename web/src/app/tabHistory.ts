// The addresses of this tab, in the order of its history: the browser tells a page only where it is.

const STORAGE_KEY = "dormouse.trail";

/** Whether an address is one of these paths, or below one. */
export function isBelow(address: string, paths: Iterable<string>): boolean {
  const path = address.split("?")[0] ?? address;
  return [...paths].some((root) => path === root || path.startsWith(`${root}/`));
}

/** The nearest entry before this one that is not below these paths; none where there is none. */
export function lastOutside(entries: readonly (string | undefined)[], at: number, paths: readonly string[]): number | undefined {
  const found = entries.slice(0, at).findLastIndex((address) => address !== undefined && !isBelow(address, paths));
  return found === -1 ? undefined : found;
}

/** What was kept over a reload. */
export function loadHistory<T>(): T[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(stored) ? (stored as T[]) : [];
  } catch {
    return [];
  }
}

export function saveHistory(entries: readonly unknown[]): void {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(entries));
}
