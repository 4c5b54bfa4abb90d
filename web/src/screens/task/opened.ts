// Which reports stand open, remembered per task.

const PLACE = "dormouse.reports.open";
/** Older ones are forgotten. */
const KEPT = 200;

function kept(): string[] {
  try {
    const said: unknown = JSON.parse(localStorage.getItem(PLACE) ?? "[]");
    return Array.isArray(said) ? said.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

export function isOpen(task: string): boolean {
  return kept().includes(task);
}

export function remember(task: string, open: boolean): void {
  const others = kept().filter((one) => one !== task);
  localStorage.setItem(PLACE, JSON.stringify(open ? [...others, task].slice(-KEPT) : others));
}
