// Markdown as HTML. Markup that stands in it never becomes any: what comes out is cleaned all the same.

import { Marked } from "marked";

const marked = new Marked({
  gfm: true,
  breaks: false,
  async: false,
  renderer: {
    // Markup that stands in the text is text: it is read as written, and no parser ever sees it.
    html: ({ text, block }) => (block ? `<p>${escapeHtml(text)}</p>` : escapeHtml(text)),
    image: ({ href, text }) => (text === "" ? escapeHtml(href) : escapeHtml(text)),
  },
});

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** HTML of Markdown, and of nothing else that stands in it; as it was written where it is nested too deep. */
export function renderMarkdown(markdown: string): string {
  try {
    return lowerHeadings(marked.parse(markdown) as string);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `<p>${escapeHtml(markdown)}</p>`;
  }
}

/** Headings begin at the third level: the page has its own above. */
function lowerHeadings(html: string): string {
  return html.replace(/<(\/?)h([1-6])\b/g, (_, slash: string, level: string) => {
    return `<${slash}h${Math.min(6, Number(level) + (Number(level) < 3 ? 3 - Number(level) : 1))}`;
  });
}
