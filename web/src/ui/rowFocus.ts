// Keyboard navigation between rows, which are elements with `data-row`.

/** Focuses the next or the previous row. */
export function moveRowFocus(box: HTMLElement | null, by: 1 | -1): void {
  const rows = [...(box?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  const near = here === -1 ? rows.findIndex((row) => row.parentElement?.closest("li")?.contains(document.activeElement)) : here;
  rows[near === -1 ? 0 : near + by]?.focus();
}
