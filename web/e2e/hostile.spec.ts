// Hostile text is shown as text. The fixtures check that no page makes foreign requests, violates its
// policy or fails; these tests check that nothing of it runs and that the layout holds.

import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { expect, overflow, signIn, still } from "./stage";
import { type Server, test } from "./world";

/** An address that nobody answers, so that every request to it is noticed. */
const AWAY = "http://outside.example";

const MARKUP = [
  "<script>window.harmed = 1; alert(1)</script>",
  `<img src="${AWAY}/a.png" onerror="window.harmed = 2; alert(2)">`,
  `![a picture](${AWAY}/b.png "its title")`,
  `<svg onload="window.harmed = 3"><script>alert(3)</script><a xlink:href="javascript:alert(4)"><text>svg link</text></a></svg>`,
  `<iframe src="${AWAY}/c" srcdoc="<script>parent.harmed = 5</script>"></iframe>`,
  `<style>body { display: none; background: url(${AWAY}/d.png) } @import "${AWAY}/e.css";</style>`,
  `<link rel="stylesheet" href="${AWAY}/f.css"><base href="${AWAY}/"><meta http-equiv="refresh" content="0;url=${AWAY}/g">`,
  `<div style="position: fixed; inset: 0; background: url(${AWAY}/h.png)">over everything</div>`,
  `<video src="${AWAY}/i.mp4" autoplay></video><audio src="${AWAY}/j.mp3" autoplay></audio><object data="${AWAY}/k"></object><embed src="${AWAY}/l">`,
  `<form action="${AWAY}/m"><button formaction="javascript:alert(5)">send</button><input autofocus onfocus="alert(6)" name="x"></form>`,
  "[a link](javascript:alert(7)) [data](data:text/html,<script>alert(8)</script>) [vb](vbscript:msgbox(1)) [mixed](JaVaScRiPt&colon;alert(9)) [tab](java\tscript:alert(10))",
  "<a href=\"javascript:alert(11)\" onclick=\"alert(12)\" target=_self>html link</a> [file](file:///etc/passwd) [blob](blob:null/1)",
  "<details open ontoggle=alert(13)>detail</details><marquee onstart=alert(14)>runs</marquee><body onload=alert(15)>",
  // Nesting that a second parse would turn into markup.
  "<svg></p><style><a id=\"</style><img src=1 onerror=alert(16)>\">",
  "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(17)&gt;\">",
  "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(18)>",
  "<noscript><p title=\"</noscript><img src=x onerror=alert(19)>\"></noscript>",
  "<template><script>alert(20)</script></template><textarea></textarea><img src=x onerror=alert(21)>",
  "`</code><img src=x onerror=alert(22)>` and\n\n```html\n</code></pre><script>alert(23)</script>\n```",
  "<img name=getElementById><form id=documentElement><input name=attributes></form><a id=location href=x>clobbered</a>",
  "[ref]: javascript:alert(24)\n[ref] and <javascript:alert(25)> and <http://ok.example/\"onmouseover=alert(26)>",
  "| a | b |\n|---|---|\n| <img src=x onerror=alert(27)> | [x](javascript:alert(28)) |",
];

const DEEP = [
  `${"> ".repeat(4_000)}deep`,
  `${"<div>".repeat(8_000)}in the middle`,
  `${"- ".repeat(1_500)}item`,
  `${"[".repeat(5_000)}x${"]".repeat(5_000)}`,
  `${"**".repeat(5_000)}bold`,
  `${"<b><i>".repeat(3_000)}x`,
];

const TITLES = [
  "\u202eevil right to left override",
  "\u2066unclosed isolate \u202dand override",
  "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd 42",
  `Zalgo ${"e\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0324\u0325\u0326\u0327\u0328".repeat(25)}`,
  "\u200b\u200b\ufeffzero width\u200d\u2060",
  `${"W".repeat(500)}`,
  `${"\u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}".repeat(20)}`,
  "<script>alert('title')</script><b>bold</b> &amp; &lt;",
  "\ufdfd\ufdfd\ufdfd\ufdfd\ufdfd",
  "%s%n {{7*7}} ${7*7} {n} {title}",
];

/** What a task page must never do; a dialog of the browser counts too. */
async function guarded(page: Page): Promise<string[]> {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("popup", (popup) => dialogs.push(`a window: ${popup.url()}`));
  return dialogs;
}

async function harmless(page: Page, dialogs: readonly string[]): Promise<void> {
  expect(dialogs).toEqual([]);
  const found = await page.evaluate(() => {
    const main = document.querySelector("main");
    return {
      harmed: (window as { harmed?: number }).harmed ?? 0,
      // The app's icons are the only images; texts may contain none.
      elements: [...(main?.querySelectorAll(".md :is(script, img, svg, iframe, object, embed, style, link, form, video, audio, base, meta, button, [style], [id], [name], [onerror], [onload])") ?? [])].map((node) => node.outerHTML.slice(0, 120)),
      targets: [...(main?.querySelectorAll<HTMLAnchorElement>(".md a[href]") ?? [])].map((link) => link.protocol).filter((scheme) => !["http:", "https:", "mailto:"].includes(scheme)),
    };
  });
  expect(found).toEqual({ harmed: 0, elements: [], targets: [] });
}

async function taskWith(server: Server, title: string, notes: readonly string[]): Promise<string> {
  const { id } = (await server.ask("POST", "/api/journal/tasks", { title })) as { id: string };
  for (const text of notes) await server.ask("POST", `/api/journal/tasks/${id}/entries`, { text });
  return id;
}

test("markup in entries, items and titles is text", async ({ page, server }) => {
  const dialogs = await guarded(page);
  const id = await taskWith(server, MARKUP[0] ?? "", MARKUP);
  for (const text of MARKUP) await server.ask("POST", `/api/journal/tasks/${id}/checklist-items`, { title: text.replaceAll("\n", " ").slice(0, 400) });
  await server.ask("POST", `/api/journal/tasks/${id}/labels`, { name: "<img src=x onerror=alert(29)>" });
  await signIn(page, server);
  await page.goto(`${server.address}/tasks/${id}`);
  await still(page);
  await expect(page.getByRole("heading", { level: 1, name: MARKUP[0] ?? "" })).toBeVisible();
  await expect(page.getByRole("listitem").getByText("over everything").first()).toBeVisible();
  await harmless(page, dialogs);
  expect(await overflow(page)).toEqual([]);
  // Links that lead nowhere good do nothing when clicked.
  for (const name of ["a link", "data", "mixed"]) await page.getByText(name, { exact: true }).first().click();
  await page.getByRole("heading", { name: "History" }).click();
  await still(page);
  await harmless(page, dialogs);
  await page.getByRole("link", { name: "Tasks", exact: true }).first().click();
  await expect(page.getByRole("link", { name: /script/ })).toBeVisible();
  await page.goto(`${server.address}/tasks?q=${encodeURIComponent("onerror")}&status=any`);
  await expect(page.getByRole("link", { name: /script/ })).toBeVisible();
  await harmless(page, dialogs);
  expect(new URL(page.url()).origin).toBe(server.address);
});

for (const [at, text] of DEEP.entries()) {
  test(`endless nesting (${at + 1}) leaves the page usable`, async ({ page, server }) => {
    const dialogs = await guarded(page);
    const id = await taskWith(server, "Deep", [text, "A plain note."]);
    await signIn(page, server);
    await page.goto(`${server.address}/tasks/${id}`);
    await expect(page.getByText("A plain note.")).toBeVisible();
    await harmless(page, dialogs);
    expect(await overflow(page)).toEqual([]);
    await page.getByRole("textbox", { name: "Write a note" }).fill("Still here.");
    await page.getByRole("button", { name: "Add note" }).click();
    await expect(page.getByRole("listitem").getByText("Still here.").first()).toBeVisible();
  });
}

test("titles that reverse text or never end stay in their row", async ({ page, server }) => {
  const dialogs = await guarded(page);
  await server.ask("POST", "/api/journal/tasks", { title: "Plain one" });
  const ids: string[] = [];
  for (const title of TITLES) ids.push(await taskWith(server, title, []));
  await server.ask("POST", "/api/journal/tasks", { title: "Plain two" });
  await signIn(page, server);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${server.address}/tasks`);
    await still(page);
    const rows = page.getByRole("main").getByRole("listitem");
    await expect(rows).toHaveCount(TITLES.length + 2);
    expect.soft(await overflow(page), `${width}`).toEqual([]);
    // Each title is isolated: its row and the rows next to it read from left to right.
    const odd = await page.evaluate(() =>
      [...document.querySelectorAll("main a[data-row]")].flatMap((link) => {
        const title = link.querySelector("[dir=auto]");
        if (title === null) return [`not apart: ${link.outerHTML.slice(0, 120)}`];
        if (getComputedStyle(link).direction !== "ltr") return ["the row is turned around"];
        const [row, own] = [link.closest("li")?.getBoundingClientRect(), title.getBoundingClientRect()];
        if (row === undefined || own.left < row.left - 1 || own.right > row.right + 1 || own.bottom > row.bottom + 1) return [`sticks out: ${title.textContent?.slice(0, 40)}`];
        return [];
      }),
    );
    expect.soft(odd, `${width}`).toEqual([]);
    const plain = await page.evaluate(() =>
      ["Plain one", "Plain two"].map((text) => {
        const node = [...document.querySelectorAll("main [dir=auto]")].find((one) => one.textContent === text)?.firstChild;
        if (node === null || node === undefined) return "missing";
        const range = document.createRange();
        const left = (at: number): number => {
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          return range.getBoundingClientRect().left;
        };
        return left(0) < left(6) ? "from left to right" : "turned around";
      }),
    );
    expect.soft(plain, `${width}`).toEqual(["from left to right", "from left to right"]);
  }
  for (const id of ids) {
    await page.goto(`${server.address}/tasks/${id}`);
    await still(page);
    expect.soft(await overflow(page), id).toEqual([]);
    await expect.soft(page.getByRole("button", { name: "More actions for this task" })).toBeInViewport();
  }
  await page.goto(server.address);
  await still(page);
  expect(await overflow(page)).toEqual([]);
  await harmless(page, dialogs);
});

test("a title of 10,000 characters is rejected in its field and stays there", async ({ page, server }) => {
  const long = "long ".repeat(2_000).trim();
  const id = await taskWith(server, "Short", []);
  await signIn(page, server);
  await page.goto(`${server.address}/tasks/${id}`);
  const heading = page.getByRole("heading", { level: 1 });
  await heading.getByRole("button").click();
  await page.getByRole("textbox", { name: "Title" }).fill(long);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("500");
  await expect(page.getByRole("textbox", { name: "Title" })).toBeFocused();
  await expect(page.getByRole("textbox", { name: "Title" })).toHaveValue(long);
  expect(await overflow(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(heading).toContainText("Short");

  await heading.getByRole("button").click();
  await page.getByRole("textbox", { name: "Title" }).fill("x".repeat(500));
  await page.keyboard.press("Enter");
  await expect.poll(async () => ((await server.ask("GET", `/api/journal/tasks/${id}`)) as { title: string }).title.length).toBe(500);
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect.soft(await overflow(page), `${width}`).toEqual([]);
  }
});

test("a checklist at its limit is usable, and one more item is rejected with its text kept", async ({ page, server }) => {
  const folder = await mkdtemp(join(tmpdir(), "dormouse-many-"));
  const file = join(folder, "many.md");
  await writeFile(file, `## Everything\n\n${Array.from({ length: 500 }, (_, n) => `- [ ] Item ${n}`).join("\n")}\n`);
  await server.command("import", file);
  await rm(folder, { recursive: true });
  const { items } = (await server.ask("GET", "/api/journal/tasks?q=Everything")) as { items: { id: string }[] };
  await signIn(page, server);
  const began = Date.now();
  await page.goto(`${server.address}/tasks/${items[0]?.id ?? ""}`);
  await expect(page.getByRole("checkbox", { name: "Item 0", exact: true })).toBeVisible();
  expect(Date.now() - began).toBeLessThan(5_000);
  await page.getByRole("checkbox", { name: "Item 3", exact: true }).check();
  await expect(page.getByText("1 of 500")).toBeVisible();
  for (const more = page.getByRole("button", { name: /^Show \d+ more/ }); (await more.count()) > 0; ) await more.click();
  await expect(page.getByRole("checkbox")).toHaveCount(500);
  await page.getByRole("checkbox", { name: "Item 499" }).check();
  await expect(page.getByText("2 of 500")).toBeVisible();
  const field = page.getByRole("textbox", { name: "Add an item" });
  await field.fill("One too many");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("500");
  await expect(field).toHaveValue("One too many");
});

test("an entry of 100 KiB is shown, a larger one stays in its field", async ({ page, server }) => {
  const kib = 1024;
  const line = "All work and no play makes *Jack* a dull boy, and `so on`. ";
  const text = line.repeat(Math.floor((100 * kib) / line.length));
  const id = await taskWith(server, "Much to say", [text]);
  await signIn(page, server);
  await page.goto(`${server.address}/tasks/${id}`);
  await expect(page.getByText("a dull boy").first()).toBeVisible();
  expect(await overflow(page)).toEqual([]);
  const field = page.getByRole("textbox", { name: "Write a note" });
  await field.fill("y".repeat(100 * kib + 1));
  await page.getByRole("button", { name: "Add note" }).click();
  await expect(page.getByRole("alert").first()).toContainText(/102\D?400|100/);
  expect((await field.inputValue()).length).toBe(100 * kib + 1);
});

const COLLECTION = "../../shared/data/hostile";

test("the collected naughty strings and injections are text too", async ({ page, server }) => {
  test.skip(!existsSync(COLLECTION), "no collection of hostile text beside the checkout");
  test.setTimeout(120_000);
  const dialogs = await guarded(page);
  const read = (name: string): string => readFileSync(join(COLLECTION, name), "utf8");
  const naughty = (JSON.parse(read("blns.json")) as string[]).filter((text) => text.trim() !== "");
  const mails = read("bipia-email-test.jsonl").split("\n").filter((one) => one !== "").map((one) => (JSON.parse(one) as { context: string }).context);
  const attacks = Object.values(JSON.parse(read("bipia-text-attacks-test.json")) as Record<string, string[]>).flat();

  // As titles, one task each; the server may reject what isn't text.
  let refused = 0;
  for (const title of naughty) await server.ask("POST", "/api/journal/tasks", { title: title.slice(0, 500) }).catch(() => (refused += 1));
  expect(refused).toBeLessThan(naughty.length / 4);
  const id = await taskWith(server, "Letters", [...mails, ...attacks]);
  const many = await taskWith(server, "Naughty", []);
  for (let at = 0; at < naughty.length; at += 40) {
    const text = naughty.slice(at, at + 40).join("\n\n");
    await server.ask("POST", `/api/journal/tasks/${many}/entries`, { text }).catch(() => undefined);
  }
  await signIn(page, server);
  for (const path of ["/tasks?status=any", `/tasks/${id}`, `/tasks/${many}`, "/"]) {
    await page.goto(server.address + path);
    await still(page);
    expect.soft(await overflow(page), path).toEqual([]);
    await harmless(page, dialogs);
  }
  // Scroll past the whole list, so that every row is rendered once.
  await page.goto(`${server.address}/tasks?status=any`);
  await still(page);
  await page.mouse.move(640, 500);
  for (let last = -1, here = 0; here !== last; ) {
    last = here;
    await page.mouse.wheel(0, 4_000);
    await still(page);
    here = await page.evaluate(() => new Promise<number>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(scrollY)))));
  }
  await harmless(page, dialogs);

  // And as an imported file.
  const folder = await mkdtemp(join(tmpdir(), "dormouse-naughty-"));
  const file = join(folder, "naughty.md");
  await writeFile(file, read("blns.txt"));
  await server.command("import", file).catch(() => undefined);
  await rm(folder, { recursive: true });
  await page.goto(`${server.address}/tasks?status=any`);
  await still(page);
  await harmless(page, dialogs);
});
