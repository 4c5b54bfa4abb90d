// Recently visited pages, which the command palette offers first.

const STORAGE_KEY = "dormouse.recent";
const MAX_PAGES = 8;

export interface RecentPage {
  to: string;
  title: string;
}

/** The pages with this one in front, without duplicates. */
export function withRecent(pages: readonly RecentPage[], page: RecentPage): RecentPage[] {
  return [page, ...pages.filter((other) => other.to !== page.to)].slice(0, MAX_PAGES);
}

export function recentPages(): RecentPage[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(stored) ? (stored as RecentPage[]) : [];
  } catch {
    return [];
  }
}

/** Only tasks, agents and agent work are worth remembering; the other pages are one shortcut away. */
export function rememberPage(path: string, title: string): void {
  const to = /^\/(tasks|agents|work)\/(?!new$)[^/]+/.exec(path)?.[0];
  if (to === undefined || title === "") return;
  localStorage.setItem(STORAGE_KEY, JSON.stringify(withRecent(recentPages(), { to, title })));
}

export function clearRecentPages(): void {
  localStorage.removeItem(STORAGE_KEY);
}
