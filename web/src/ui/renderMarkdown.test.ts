import { describe, expect, it } from "vitest";

import { renderMarkdown } from "./renderMarkdown";

describe("markup in a text", () => {
  it("is text", () => {
    expect(renderMarkdown("a <b onclick=x>bold</b> word")).toBe("<p>a &lt;b onclick=x&gt;bold&lt;/b&gt; word</p>\n");
    expect(renderMarkdown("<style>*{}</style>")).toBe("<p>&lt;style&gt;*{}&lt;/style&gt;</p>");
  });

  it("a picture is its words, and asks for nothing", () => {
    expect(renderMarkdown("![a roof](http://x.example/a.png)")).toBe("<p>a roof</p>\n");
    expect(renderMarkdown('![](http://x.example/a.png?"q)')).not.toContain("<img");
  });

  it("headings stand below those of the page", () => {
    expect(renderMarkdown("# One\n\n###### Six")).toBe("<h3>One</h3>\n<h6>Six</h6>\n");
  });

  it("what is nested too deep is shown as it was written", () => {
    expect(renderMarkdown(`${"> ".repeat(20_000)}deep <i>`)).toMatch(/^<p>&gt; .*deep &lt;i&gt;<\/p>$/s);
  });
});
