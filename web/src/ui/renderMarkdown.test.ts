import { describe, expect, it } from "vitest";

import { renderMarkdown } from "./renderMarkdown";

describe("HTML in the source", () => {
  it("is shown as text", () => {
    expect(renderMarkdown("a <b onclick=x>bold</b> word")).toBe("<p>a &lt;b onclick=x&gt;bold&lt;/b&gt; word</p>\n");
    expect(renderMarkdown("<style>*{}</style>")).toBe("<p>&lt;style&gt;*{}&lt;/style&gt;</p>");
  });

  it("shows the alternative text of an image and loads nothing", () => {
    expect(renderMarkdown("![a roof](http://x.example/a.png)")).toBe("<p>a roof</p>\n");
    expect(renderMarkdown('![](http://x.example/a.png?"q)')).not.toContain("<img");
  });

  it("puts headings below those of the page", () => {
    expect(renderMarkdown("# One\n\n###### Six")).toBe("<h3>One</h3>\n<h6>Six</h6>\n");
  });

  it("shows the source if it is nested too deeply", () => {
    expect(renderMarkdown(`${"> ".repeat(20_000)}deep <i>`)).toMatch(/^<p>&gt; .*deep &lt;i&gt;<\/p>$/s);
  });
});
