// The addresses in this tab's history, in order. The browser reveals only the current one.

const STORAGE_KEY = "dormouse.tabHistory";

/** Whether an address is one of these paths or below one. */
export function isBelow(address: string, paths: Iterable<string>): boolean {
  const path = address.split("?")[0] ?? address;
  return [...paths].some((root) => path === root || path.startsWith(`${root}/`));
}

/** The nearest earlier entry that is not below these paths; undefined if there is none. */
export function lastOutside(entries: readonly (string | undefined)[], at: number, paths: readonly string[]): number | undefined {
  const found = entries.slice(0, at).findLastIndex((address) => address !== undefined && !isBelow(address, paths));
  return found === -1 ? undefined : found;
}

/** What was saved before a reload. */
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
