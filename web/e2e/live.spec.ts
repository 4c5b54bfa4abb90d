// What happens in one tab appears in the other without a reload.

import type { Page } from "@playwright/test";

import { changes, GARDEN, LAPTOP, note, openTask, PASSPORTS, property, read, standing, writeNote } from "./steps";
import { expect, test } from "./world";

/** Marks a page, so that a reload would be noticed. */
async function mark(page: Page): Promise<void> {
  await page.evaluate(() => document.body.setAttribute("data-first", ""));
}

async function isFirst(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.body.hasAttribute("data-first"))).toBe(true);
}

test("a note in one tab changes the report in another", async ({ sample, context, server }) => {
  const other = await context.newPage();
  await openTask(sample, server, GARDEN);
  await openTask(other, server, GARDEN);
  await mark(other);
  const card = other.getByRole("region", { name: /^Summary by/ });
  await expect(card).toContainText("Low priority, whenever there is time.");
  await expect(card.getByRole("heading", { name: /suggests 1 change$/ })).toBeVisible();

  await writeNote(sample, "The seeds are ordered. It is blocked: the shop has no compost.");
  await expect(note(sample)).toHaveValue("");
  await expect(other.getByRole("listitem").filter({ hasText: "the shop has no compost" }).first()).toBeVisible();
  for (const page of [sample, other]) {
    const shown = page.getByRole("region", { name: /^Summary by/ });
    await expect(shown).toContainText("New: The seeds are ordered.");
    await expect(shown.getByRole("heading", { name: /suggests 3 changes$/ })).toBeVisible();
  }
  await isFirst(other);
});

test("an edit in one tab appears in the other, on the task and in the list", async ({ sample, context, server }) => {
  const [onTask, onList] = [await context.newPage(), await context.newPage()];
  const id = await openTask(sample, server, LAPTOP);
  await openTask(onTask, server, LAPTOP);
  await onList.goto(`${server.address}/tasks`);
  await expect(onList.getByRole("main").getByRole("link", { name: new RegExp(`^${LAPTOP}`) })).toBeVisible();
  for (const page of [onTask, onList]) await mark(page);

  await property(sample, "Priority: None").click();
  await sample.getByRole("menuitem", { name: /^P1/ }).click();
  await expect(property(onTask, "Priority: P1")).toBeVisible();
  await expect(onList.getByTitle(/^P1/)).toBeVisible();

  await sample.getByRole("checkbox", { name: "Copy the photos" }).check();
  await expect(onTask.getByRole("checkbox", { name: "Copy the photos" })).toBeChecked();

  await sample.getByRole("button", { name: LAPTOP, exact: true }).click();
  await sample.getByRole("textbox", { name: "Title" }).fill("Set up the old laptop");
  await sample.keyboard.press("Enter");
  await standing(onTask, "Set up the old laptop");
  await expect(onList.getByRole("main").getByRole("link", { name: /^Set up the old laptop/ })).toBeVisible();
  expect((await read(server, id)).title).toBe("Set up the old laptop");
  for (const page of [onTask, onList]) await isFirst(page);
});

/** Counts how often a page loads this address from now on. */
async function countLoads(page: Page, path: string): Promise<() => number> {
  await page.waitForLoadState("networkidle");
  let loads = 0;
  page.on("request", (request) => {
    if (request.method() === "GET" && new URL(request.url()).pathname === path) loads += 1;
  });
  return () => loads;
}

test("an edit is shown from its answer; only the edit of another client loads the task again", async ({ sample, server }) => {
  const title = "Sharpen the knives";
  const { id } = (await server.ask("POST", "/api/journal/tasks", { title, items: ["Bread knife"] })) as { id: string };
  await openTask(sample, server, title);
  const loads = await countLoads(sample, `/api/journal/tasks/${id}`);
  await sample.getByRole("checkbox", { name: "Bread knife" }).check();
  await writeNote(sample, "They are blunt.");
  await expect(note(sample)).toHaveValue("");
  await property(sample, "Priority: None").click();
  await sample.getByRole("menuitem", { name: /^P1/ }).click();
  await expect.poll(async () => (await read(server, id)).priority).toBe("P1");
  // Events come in order: once this one is shown, those of the page's own edits have been received.
  await server.ask("PATCH", `/api/journal/tasks/${id}`, { title: "Sharpen all knives" });
  await standing(sample, "Sharpen all knives");
  expect(loads()).toBe(1);
});

test("a confirm brings the task and its open changes; only the edit of another client loads them again", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const list = changes(sample);
  const confirm = list.getByRole("button", { name: "Confirm: Estimate: 2 h" });
  await expect(confirm).toBeVisible();
  const [ofChanges, ofTask] = [await countLoads(sample, `/api/journal/tasks/${id}/changes`), await countLoads(sample, `/api/journal/tasks/${id}`)];
  await confirm.click();
  await expect(property(sample, "Estimate: 2 h")).toBeVisible();
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBe(120);
  await server.ask("PATCH", `/api/journal/tasks/${id}`, { title: "Renew both passports" });
  await standing(sample, "Renew both passports");
  expect([ofChanges(), ofTask()]).toEqual([1, 1]);
});

test("a rejection brings the task and its open changes", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const reject = changes(sample).getByRole("button", { name: "Reject: Estimate: 2 h" });
  await expect(reject).toBeVisible();
  const [ofChanges, ofTask] = [await countLoads(sample, `/api/journal/tasks/${id}/changes`), await countLoads(sample, `/api/journal/tasks/${id}`)];
  const open = Number((await read(server, id)).openProposals);
  await reject.click();
  await expect(reject).toBeHidden();
  await expect.poll(async () => (await read(server, id)).openProposals).toBe(open - 1);
  await server.ask("PATCH", `/api/journal/tasks/${id}`, { title: "Renew both passports" });
  await standing(sample, "Renew both passports");
  expect([ofChanges(), ofTask()]).toEqual([1, 1]);
});

test("a field being edited keeps what was typed and offers the other text", async ({ sample, context, server }) => {
  const other = await context.newPage();
  const id = await openTask(sample, server, LAPTOP);
  await openTask(other, server, LAPTOP);
  await other.getByRole("button", { name: LAPTOP, exact: true }).click();
  const field = other.getByRole("textbox", { name: "Title" });
  await field.fill("My own words");

  await sample.getByRole("button", { name: LAPTOP, exact: true }).click();
  await sample.getByRole("textbox", { name: "Title" }).fill("Their words");
  await sample.keyboard.press("Enter");
  await expect(other.getByRole("alert")).toContainText("Changed elsewhere to “Their words”.");
  await expect(field).toHaveValue("My own words");

  await other.getByRole("button", { name: "Use the other version" }).click();
  await standing(other, "Their words");
  await expect(field).toBeHidden();
  expect((await read(server, id)).title).toBe("Their words");

  // Once the other text was seen, saving chooses one's own.
  await other.getByRole("button", { name: "Their words", exact: true }).click();
  await field.fill("My own words after all");
  await server.ask("PATCH", `/api/journal/tasks/${id}`, { title: "Theirs again" });
  await expect(other.getByRole("alert")).toContainText("Theirs again");
  await field.press("Enter");
  await standing(sample, "My own words after all");
});

test("a half-typed note stays while the page fills with news", async ({ sample, context, server }) => {
  const other = await context.newPage();
  await openTask(sample, server, PASSPORTS);
  await openTask(other, server, PASSPORTS);
  await note(other).pressSequentially("The clerk said ");
  await writeNote(sample, "The passport photos are taken.");
  await expect(other.getByRole("region", { name: /^Summary by/ })).toContainText("New: The passport photos are taken.");
  await expect(note(other)).toBeFocused();
  await note(other).pressSequentially("to come back");
  await expect(note(other)).toHaveValue("The clerk said to come back");
});

test("a link is created, appears on both tasks, and is removed", async ({ sample, context, server }) => {
  const other = await context.newPage();
  const id = await openTask(sample, server, LAPTOP);
  const far = await openTask(other, server, GARDEN);
  await sample.getByRole("button", { name: "Link a task" }).click();
  const form = sample.getByRole("dialog", { name: "Link a task" });
  await form.getByRole("combobox", { name: "This task" }).selectOption({ label: "is blocked by" });
  await form.getByRole("combobox", { name: "Search tasks" }).fill("garden");
  await form.getByRole("option", { name: new RegExp(GARDEN) }).click();
  await expect(form).toBeHidden();

  const here = sample.getByRole("region", { name: "Linked tasks" }).getByRole("listitem");
  const there = other.getByRole("region", { name: "Linked tasks" }).getByRole("listitem");
  await expect(here).toContainText([GARDEN]);
  await expect(here).toContainText(["blocks this"]);
  await expect(there).toContainText([LAPTOP]);
  await expect(there).toContainText(["blocked by this"]);
  expect((await read(server, id)).links).toHaveLength(1);
  expect((await read(server, far)).links).toHaveLength(1);

  // It leads there, and the link back leads here.
  await here.getByRole("link", { name: GARDEN }).click();
  await standing(sample, GARDEN);
  await sample.goBack();
  await standing(sample, LAPTOP);

  await there.getByRole("button", { name: `Remove link to ${LAPTOP}` }).click();
  await expect(there).toHaveCount(0);
  await expect(here).toHaveCount(0);
  await expect.poll(async () => (await read(server, id)).links.length).toBe(0);

  await other.getByRole("button", { name: "Undo" }).click();
  await expect(here).toContainText([GARDEN]);
});
