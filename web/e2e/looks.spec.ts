// Every screen in light and dark: no axe violations, at any width, with large text, without motion.

import { readFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { drop } from "./lists";
import { screens } from "./screens";
import { cut, expect, faults, open, overflow, signIn, still, test } from "./stage";
import { settled, taskId, test as alone } from "./world";

async function looked(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await still(page);
    expect.soft(await faults(page), colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/** A narrow page, then one with text at 200 %. */
async function stretched(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 720 });
  await still(page);
  expect.soft(await overflow(page), "320 wide").toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  const client = await page.context().newCDPSession(page);
  await client.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
  await still(page);
  expect.soft(await overflow(page), "text of 200 %").toEqual([]);
  expect.soft(await cut(page), "text of 200 %").toEqual([]);
}

for (const screen of screens) {
  test(`${screen.name}: accessible`, async ({ page, server }) => {
    await signIn(page, server);
    await screen.show(page, server, false);
    await looked(page);
    await stretched(page);
  });
}

test("sign in: accessible", async ({ page, server }) => {
  await page.goto(server.address);
  await page.getByRole("textbox").fill("dm_0000000000000000000000000000000000000000000");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await looked(page);
  await stretched(page);
});

alone("first run: accessible", async ({ app }) => {
  await expect(app.getByRole("button", { name: "Try the sample" })).toBeVisible();
  await looked(app);
  await stretched(app);
});

test("nothing moves with reduced motion", async ({ page, server }) => {
  // It opens every screen.
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signIn(page, server);
  for (const screen of screens) {
    await screen.show(page, server, false);
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter((one) => one.timeline instanceof DocumentTimeline && Number(one.effect?.getComputedTiming().duration) > 1)
        .map((one) => (one.effect as KeyframeEffect).target?.outerHTML.slice(0, 160)),
    );
    expect.soft(moving, screen.name).toEqual([]);
  }
});

// The pictures of the README: DORMOUSE_PICTURES=../docs/pictures npx playwright test looks --grep pictures
alone.describe("of the README", () => {
  const folder = process.env["DORMOUSE_PICTURES"];
  alone.skip(folder === undefined, "no folder for pictures was named");

  alone("pictures", async ({ browser, page, server }) => {
    const shoot = async (on: Page, name: string): Promise<void> => {
      await on.mouse.move(0, 0);
      await still(on);
      await expect(on.getByText(/hasn’t responded/)).toHaveCount(0);
      await on.screenshot({ path: `${folder}/${name}.png` });
    };
    const take = async (on: Page, path: string, name: string): Promise<void> => {
      await open(on, server, path);
      await shoot(on, name);
    };
    await signIn(page, server);
    await open(page, server, "/import");
    await drop(page, [{ name: "festival.md", text: await readFile("../samples/festival.md", "utf8") }]);
    await page.getByRole("button", { name: "All 5" }).click();
    await shoot(page, "plan");
    await page.getByRole("button", { name: "Add 5 tasks" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "5 tasks were added" })).toBeVisible();
    await settled(server);
    for (const line of (await readFile("../samples/festival-notes.txt", "utf8")).split("\n")) {
      const [words, note] = line.split(" | ");
      if (words === undefined || note === undefined) continue;
      await server.command("task", "note", words, "--", note);
    }
    await settled(server);
    const task = `/tasks/${await taskId(server, "Permit")}`;
    await take(page, "/", "home");
    await take(page, task, "task");
    await take(page, `${task}/changes`, "review");
    await page.emulateMedia({ colorScheme: "dark" });
    await take(page, task, "dark");
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, locale: "en-GB" });
    const small = await phone.newPage();
    await signIn(small, server);
    await take(small, task, "phone");
    await phone.close();
  });
});
