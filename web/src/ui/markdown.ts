// Markdown of people and agents as HTML that asks for nothing and runs nothing.
//
// Whatever stands in it, the page makes no request because of it: no picture, no style, no frame. A
// link is followed only when it is pressed, and only to an address of the web or of mail.

import DOMPurify from "dompurify";
import { Marked } from "marked";

const marked = new Marked({
  gfm: true,
  breaks: false,
  async: false,
  renderer: {
    // Markup that stands in the text is text: it is read as written, and no parser ever sees it.
    html: ({ text, block }) => (block ? `<p>${escaped(text)}</p>` : escaped(text)),
    image: ({ href, text }) => (text === "" ? escaped(href) : escaped(text)),
  },
});

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** What the text says; as it was written where it is nested too deep to be read. */
function parsed(markdown: string): string {
  try {
    return marked.parse(markdown) as string;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `<p>${escaped(markdown)}</p>`;
  }
}

const TAGS = [
  "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "input", "li", "ol", "p",
  "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
];

const purify = DOMPurify();

purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    const target = node.getAttribute("href") ?? "";
    if (/^(https?:|mailto:)/i.test(target)) {
      node.setAttribute("rel", "noopener noreferrer nofollow");
      node.setAttribute("target", "_blank");
    } else node.removeAttribute("href");
  }
  if (node.tagName === "INPUT") {
    if (node.getAttribute("type") !== "checkbox") node.remove();
    else {
      node.setAttribute("disabled", "");
      node.setAttribute("class", "check");
    }
  }
});

/** HTML that is safe to show. Headings begin at the third level: the page has its own above. */
export function htmlOf(markdown: string): TrustedHTML {
  const lowered = parsed(markdown).replace(/<(\/?)h([1-6])\b/g, (_, slash: string, level: string) => {
    return `<${slash}h${Math.min(6, Number(level) + (Number(level) < 3 ? 3 - Number(level) : 1))}`;
  });
  return purify.sanitize(lowered, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "type", "checked", "disabled", "start", "align"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    KEEP_CONTENT: true,
    // The content policy lets no other HTML into the page.
    RETURN_TRUSTED_TYPE: true,
  });
}
