// Markdown by people and agents as safe HTML.
//
// Whatever the text contains, the page makes no requests because of it: no images, styles or frames.
// Links are followed only when clicked, and only to web and mail addresses.

import DOMPurify from "dompurify";

import { renderMarkdown } from "./renderMarkdown";

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

/** HTML that is safe to insert. */
export function safeHtml(markdown: string): TrustedHTML {
  return purify.sanitize(renderMarkdown(markdown), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "type", "checked", "disabled", "start", "align"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    KEEP_CONTENT: true,
    // The content security policy requires trusted types.
    RETURN_TRUSTED_TYPE: true,
  });
}
