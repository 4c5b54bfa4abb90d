// Walking through rows with keys: a row is what has `data-row`.

/** Puts the focus on the next row, or the one before. */
export function moveRowFocus(box: HTMLElement | null, by: 1 | -1): void {
  const rows = [...(box?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  const near = here === -1 ? rows.findIndex((row) => row.parentElement?.closest("li")?.contains(document.activeElement)) : here;
  rows[near === -1 ? 0 : near + by]?.focus();
}
