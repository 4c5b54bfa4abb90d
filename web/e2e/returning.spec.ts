// Going back: closed and deleted pages are not revisited, and a list is where it was.

import { readFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { BIRTHDAY, GARDEN, openItems, PASSPORTS, standing } from "./steps";
import { expect, SAMPLE, type Server, taskId, test } from "./world";

async function toHome(page: Page): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Home/ }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: /needs? you$/ })).toBeVisible();
}

async function toTasks(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Tasks", exact: true }).first().click();
  await expect(page.locator("[data-row]").first()).toBeVisible();
}

async function remove(page: Page): Promise<void> {
  await page.getByRole("button", { name: "More actions for this task" }).click();
  await page.getByRole("menuitem", { name: "Delete task" }).click();
  await expect(page.getByRole("status").filter({ hasText: "was deleted" })).toBeVisible();
}

test("Back after a decision leads to the screen before the review, wherever it was opened", async ({ sample, server }) => {
  const id = await taskId(server, PASSPORTS);
  await toTasks(sample);
  await toHome(sample);
  await sample.getByRole("listitem").filter({ hasText: GARDEN }).getByRole("link", { name: /^Review: / }).click();
  const dialog = sample.getByRole("dialog");
  await dialog.getByRole("button", { name: "Select Confirm for all" }).click();
  await dialog.getByRole("button", { name: /^Apply/ }).click();
  await expect(dialog).toBeHidden();
  await expect(sample).not.toHaveURL(/changes/);
  await sample.goBack();
  await expect(sample).toHaveURL(`${server.address}/`);
  await expect(dialog).toBeHidden();

  // From the task itself: Back starts at the task, and Forward opens no review.
  await toTasks(sample);
  await sample.getByRole("link", { name: new RegExp(`^${BIRTHDAY}`) }).click();
  await standing(sample, BIRTHDAY);
  await sample.getByRole("link", { name: "Review details" }).click();
  await expect(dialog).toBeVisible();
  await sample.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await standing(sample, BIRTHDAY);
  await sample.goBack();
  await expect(sample).toHaveURL(`${server.address}/tasks`);
  await sample.goBack();
  await expect(sample).toHaveURL(`${server.address}/`);
  expect(await openItems(server, id)).toHaveLength(2);
});

test("the property opened by a key in the list has no address: Escape stays, Back leads to the list", async ({ sample, server }) => {
  await toTasks(sample);
  await sample.locator("[data-row]", { hasText: PASSPORTS }).focus();
  await sample.keyboard.press("e");
  await expect(sample.getByRole("dialog").getByRole("textbox", { name: "Estimate" })).toBeFocused();
  await expect(sample).toHaveURL(`${server.address}/tasks/${await taskId(server, PASSPORTS)}`);
  await sample.keyboard.press("Escape");
  await standing(sample, PASSPORTS);
  await sample.goBack();
  await expect(sample).toHaveURL(`${server.address}/tasks`);
  await expect(sample.getByRole("dialog")).toBeHidden();
});

test("Back closes what is open over a page, and keeps the page", async ({ sample, server }) => {
  await toTasks(sample);
  const dialog = sample.getByRole("dialog");
  for (const key of ["c", "Control+k", "?"]) {
    await sample.locator("body").press(key);
    await expect(dialog).toBeVisible();
    await sample.goBack();
    await expect(dialog).toBeHidden();
    await expect(sample).toHaveURL(`${server.address}/tasks`);
  }
  await sample.goBack();
  await expect(sample).toHaveURL(`${server.address}/`);
});

test("deleting a task leaves its page, and Back skips it", async ({ sample, server }) => {
  const id = await taskId(server, PASSPORTS);
  await toTasks(sample);
  await toHome(sample);
  // Twice: once as a task, once after its review.
  await sample.getByRole("link", { name: PASSPORTS, exact: true }).click();
  await standing(sample, PASSPORTS);
  await toHome(sample);
  await sample.getByRole("listitem").filter({ hasText: PASSPORTS }).getByRole("link", { name: /^Review: / }).click();
  await expect(sample).toHaveURL(new RegExp(`${id}/changes$`));
  await expect(sample.getByRole("dialog")).toBeVisible();
  await sample.keyboard.press("Escape");
  await expect(sample.getByRole("dialog")).toBeHidden();
  await remove(sample);
  await expect(sample).toHaveURL(`${server.address}/`);
  await expect(sample.getByRole("dialog")).toBeHidden();

  await sample.goBack();
  await expect(sample.getByRole("heading", { level: 1 })).not.toContainText(PASSPORTS);
  await expect(sample).not.toHaveURL(new RegExp(id));
  expect((await server.ask("GET", `/api/journal/tasks/${id}`)).deletedAt).not.toBeNull();
});

test("a deleted task leaves the list at once, even under the pointer, in every tab", async ({ sample, server }) => {
  await toTasks(sample);
  const row = (title: string) => sample.locator("[data-row]", { hasText: title });
  await row(GARDEN).hover();
  await server.ask("DELETE", `/api/journal/tasks/${await taskId(server, GARDEN)}`);
  await expect(row(GARDEN)).toHaveCount(0);
  await expect(row(PASSPORTS)).toHaveCount(1);

  await row(BIRTHDAY).click();
  await standing(sample, BIRTHDAY);
  await remove(sample);
  await expect(sample).toHaveURL(`${server.address}/tasks`);
  await expect(row(BIRTHDAY)).toHaveCount(0);
  await expect(row(PASSPORTS)).toHaveCount(1);
  await sample.getByRole("button", { name: "Undo" }).click();
  await expect(row(BIRTHDAY)).toHaveCount(1);
});

/** A file with this many tasks of equal height. */
const many = (n: number): string => Array.from({ length: n }, (_, at) => `## Task number ${at + 1}\n\n- [ ] One thing\n`).join("\n");

/** The first visible row and its position. */
async function rowInSight(page: Page): Promise<{ title: string; top: number; y: number }> {
  return page.evaluate(() => {
    const rows = [...document.querySelectorAll("[data-row]")];
    const row = rows.find((one) => one.getBoundingClientRect().top > 200);
    return { title: row?.textContent?.trim() ?? "", top: Math.round(row?.getBoundingClientRect().top ?? 0), y: Math.round(scrollY) };
  });
}

async function scrolledTo(page: Page, y: number): Promise<void> {
  await expect
    .poll(async () => {
      await page.evaluate((to) => scrollTo(0, to), y);
      return page.evaluate(() => scrollY);
    })
    .toBe(y);
  // Rendered where the eye is.
  await expect.poll(async () => (await rowInSight(page)).title).not.toBe("");
}

test("a long list is where it was, at any depth, after Back and across a reload", async ({ app, server }) => {
  test.slow();
  await app.evaluate(
    async ({ text, token }) => {
      await (await fetch("/api/imports?name=many.md", { method: "POST", body: text, headers: { "Content-Type": "text/markdown", Authorization: `Bearer ${token}` } })).text();
    },
    { text: many(500), token: await server.token() },
  );
  await toTasks(app);
  for (const y of [4_000, 9_000]) {
    await scrolledTo(app, y);
    const before = await rowInSight(app);
    await app.locator("[data-row]", { hasText: new RegExp(`^${before.title}\\b`) }).click();
    await standing(app, before.title.match(/Task number \d+/)?.[0] ?? "");
    expect(await app.evaluate(() => scrollY)).toBe(0);
    await app.goBack();
    await expect(app.locator("[data-row]").first()).toBeVisible();
    await expect.poll(() => rowInSight(app)).toEqual(before);
  }
  // A reloaded page loads as many rows as before.
  const before = await rowInSight(app);
  await app.reload();
  await expect.poll(() => rowInSight(app), { timeout: 30_000 }).toEqual(before);
  await toHome(app);
  await app.goBack();
  await expect.poll(() => rowInSight(app), { timeout: 30_000 }).toEqual(before);
  await app.goForward();
  expect(await app.evaluate(() => scrollY)).toBe(0);
});

/** Whether the browser would leave the app for a file dropped here. */
async function drop(page: Page, name: string, text: string): Promise<{ isOver: boolean; isDropped: boolean }> {
  return page.evaluate(
    ([called, written]) => {
      const data = new DataTransfer();
      data.items.add(new File([written ?? ""], called ?? "", { type: "text/markdown" }));
      const give = (type: string): boolean => {
        const on = document.querySelector("[role=dialog]") ?? document.querySelector("main") ?? document.body;
        return !on.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
      };
      give("dragenter");
      return { isOver: give("dragover"), isDropped: give("drop") };
    },
    [name, text] as const,
  );
}

const titles = async (server: Server): Promise<string[]> =>
  ((await server.ask("GET", "/api/journal/tasks?limit=50")) as { items: { title: string }[] }).items.map((task) => task.title);

test("a file dropped on any screen becomes a plan and never replaces the app", async ({ sample, server }) => {
  const id = await taskId(server, PASSPORTS);
  const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
  const places = ["/", "/tasks", `/tasks/${id}`, `/tasks/${id}/changes`, "/agents", `/agents/${agent}`, "/settings", "/nowhere"];
  for (const [at, place] of places.entries()) {
    await sample.goto(server.address + place);
    await expect(sample.getByRole("heading", { level: 1, includeHidden: true })).toBeAttached();
    expect(await drop(sample, `${at}.md`, `## Dropped on screen ${at}\n`), place).toEqual({ isOver: true, isDropped: true });
    await expect(sample.getByRole("heading", { level: 1, name: `1 task from ${at}.md` }), place).toBeVisible();
    // Without a yes, it leaves the screen as it was.
    const before = new URL(place, server.address).pathname;
    await sample.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => new URL(sample.url()).pathname, place).toBe(before);
  }
  expect((await titles(server)).filter((title) => title.startsWith("Dropped"))).toEqual([]);
});

test("a file dropped before signing in is not imported, and the browser does not open it either", async ({ page, server }) => {
  await page.goto(server.address);
  await expect(page.getByRole("heading", { level: 1, name: "Sign in to Dormouse" })).toBeVisible();
  expect(await drop(page, "home.md", await readFile(SAMPLE, "utf8"))).toEqual({ isOver: true, isDropped: true });
  await expect(page.getByText("Sign in first, then drop the files again.")).toBeVisible();
  expect(await titles(server)).toEqual([]);
});
