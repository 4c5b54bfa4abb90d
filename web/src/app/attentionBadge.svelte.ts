// How many things need the person, on what the browser shows of the page: its title and its icon.

class AttentionBadge {
  count = $state(0);
}

export const attentionBadge = new AttentionBadge();

/** The title of the document with the number in front. */
export function withCount(title: string, count: number): string {
  return count === 0 ? title : `(${count}) ${title}`;
}

/** The mark of the app; the dot is there while something needs the person. */
function icon(isMarked: boolean): string {
  const dot = isMarked ? '<circle cx="25" cy="7" r="6.5" fill="#825400" stroke="#f8f7f4" stroke-width="1.5"/>' : "";
  const body =
    '<path fill="#0d6653" d="M17 6c7 0 12 5 12 11s-5 10.500-12 10.500C9 27.500 3 24.500 3 19.500c0-3 2-5 4.300-7C9.800 10.300 12.300 6 17 6Z"/><circle cx="11.300" cy="10" r="4.200" fill="#0d6653" stroke="#f8f7f4" stroke-width="1.600"/><path d="M7.200 18c.8 1.100 2.500 1.100 3.300 0" fill="none" stroke="#f8f7f4" stroke-width="1.600" stroke-linecap="round"/>';
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${body}${dot}</svg>`)}`;
}

const PLAIN = "/mark.svg";

/** Marks the icon of the page, or shows the plain one. */
export function markIcon(count: number): void {
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link === null) return;
  const wanted = count > 0 ? icon(true) : PLAIN;
  if (link.getAttribute("href") !== wanted) link.setAttribute("href", wanted);
}
