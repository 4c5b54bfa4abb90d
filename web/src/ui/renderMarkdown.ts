// Markdown to HTML. HTML in the source stays text; the result is sanitized nevertheless.

import { Marked } from "marked";

const marked = new Marked({
  gfm: true,
  breaks: false,
  async: false,
  renderer: {
    // HTML in the source is shown as text and never reaches a parser.
    html: ({ text, block }) => (block ? `<p>${escapeHtml(text)}</p>` : escapeHtml(text)),
    image: ({ href, text }) => (text === "" ? escapeHtml(href) : escapeHtml(text)),
  },
});

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Renders Markdown and nothing else. Returns the plain source if it is nested too deeply. */
export function renderMarkdown(markdown: string): string {
  try {
    return lowerHeadings(marked.parse(markdown) as string);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `<p>${escapeHtml(markdown)}</p>`;
  }
}

/** Headings start at level three, below those of the page. */
function lowerHeadings(html: string): string {
  return html.replace(/<(\/?)h([1-6])\b/g, (_, slash: string, level: string) => {
    return `<${slash}h${Math.min(6, Number(level) + (Number(level) < 3 ? 3 - Number(level) : 1))}`;
  });
}
