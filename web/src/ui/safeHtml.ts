// Markdown of people and agents as HTML that asks for nothing and runs nothing.
//
// Whatever stands in it, the page makes no request because of it: no picture, no style, no frame. A
// link is followed only when it is pressed, and only to an address of the web or of mail.

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

/** HTML that is safe to show. */
export function safeHtml(markdown: string): TrustedHTML {
  return purify.sanitize(renderMarkdown(markdown), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "type", "checked", "disabled", "start", "align"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    KEEP_CONTENT: true,
    // The content policy lets no other HTML into the page.
    RETURN_TRUSTED_TYPE: true,
  });
}
