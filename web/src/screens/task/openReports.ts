// Remembers for which tasks the full report is expanded.

const STORAGE_KEY = "dormouse.reports.open";
/** The oldest are dropped. */
const MAX_TASKS = 200;

function openTasks(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

export function isReportOpen(task: string): boolean {
  return openTasks().includes(task);
}

export function setReportOpen(task: string, open: boolean): void {
  const others = openTasks().filter((one) => one !== task);
  localStorage.setItem(STORAGE_KEY, JSON.stringify(open ? [...others, task].slice(-MAX_TASKS) : others));
}
