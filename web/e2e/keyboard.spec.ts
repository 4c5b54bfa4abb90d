// Working without a pointer.

import { BIRTHDAY, changes, note, openTask, PASSPORTS, property, read, standing } from "./steps";
import { expect, test } from "./world";

test("J, K and Enter walk the list, G T and the palette go anywhere", async ({ sample, server }) => {
  await sample.keyboard.press("g");
  await sample.keyboard.press("t");
  await expect(sample).toHaveURL(`${server.address}/tasks`);
  await expect(sample.getByText("5 tasks", { exact: true })).toBeVisible();
  const titles = await sample.locator("[data-row]").allInnerTexts();
  const at = (n: number) => sample.locator("[data-row]").nth(n);
  await sample.keyboard.press("j");
  await expect(at(0)).toBeFocused();
  await sample.keyboard.press("j");
  await expect(at(1)).toBeFocused();
  await sample.keyboard.press("ArrowDown");
  await expect(at(2)).toBeFocused();
  await sample.keyboard.press("k");
  await expect(at(1)).toBeFocused();
  await sample.keyboard.press("Enter");
  await standing(sample, titles[1]?.split("\n")[0] ?? "");

  await sample.keyboard.press("Control+k");
  await expect(sample.getByRole("combobox", { name: "Search tasks and agents, or run a command" })).toBeFocused();
  await sample.keyboard.type("birthday");
  await expect(sample.getByRole("option", { name: new RegExp(BIRTHDAY) }).first()).toBeVisible();
  await sample.keyboard.press("Enter");
  await standing(sample, BIRTHDAY);
  await sample.keyboard.press("g");
  await sample.keyboard.press("h");
  await expect(sample).toHaveURL(`${server.address}/`);
});

test("Y confirms, Ctrl Z undoes it, and the focus stays in place", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const list = changes(sample);
  await list.getByRole("button", { name: "Confirm: Estimate: 2 h" }).focus();
  await sample.keyboard.press("y");
  await expect(property(sample, "Estimate: 2 h")).toBeVisible();
  await expect(list.getByRole("button", { name: /^Confirm: Due date/ })).toBeFocused();
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBe(120);
  await sample.keyboard.press("Control+z");
  await expect(property(sample, "Estimate: None")).toBeVisible();
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBeNull();
  await sample.keyboard.press("x");
  await expect(list.getByRole("heading", { name: /suggests 1 change$/ })).toBeVisible();
});

test("R opens the review, its keys select, Escape closes it and returns the focus", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const details = sample.getByRole("link", { name: "Review details" });
  await details.focus();
  await sample.keyboard.press("Enter");
  const dialog = sample.getByRole("dialog", { name: /suggests 2 changes/ });
  await expect(dialog.getByRole("heading", { level: 2 })).toBeFocused();
  await sample.keyboard.press("j");
  await sample.keyboard.press("x");
  await sample.keyboard.press("Enter");
  await sample.keyboard.press("v");
  await expect(dialog.getByText("1 to reject, 1 for later")).toBeVisible();
  await sample.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(details).toBeFocused();
  await expect(sample).toHaveURL(`${server.address}/tasks/${id}`);

  await sample.keyboard.press("r");
  await expect(dialog).toBeVisible();
  await sample.keyboard.press("j");
  await sample.keyboard.press("y");
  await expect(dialog.getByText("1 to confirm, 1 for later")).toBeVisible();
  await sample.keyboard.press("Control+Enter");
  await expect(dialog).toBeHidden();
  await expect.poll(async () => (await read(server, id)).dueOn !== null || (await read(server, id)).estimateMinutes !== null).toBe(true);
});

test("single letters are ignored inside a field", async ({ sample, server }) => {
  await openTask(sample, server, PASSPORTS);
  await note(sample).focus();
  await sample.keyboard.type("gt cry? x");
  await expect(note(sample)).toHaveValue("gt cry? x");
  await standing(sample, PASSPORTS);
  await expect(sample.getByRole("dialog")).toHaveCount(0);
  await expect(changes(sample).getByRole("heading", { name: /suggests 2 changes/ })).toBeVisible();
});

test("Escape leaves a menu and a field unchanged, with the focus on what opened them", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await sample.keyboard.press("p");
  await expect(sample.getByRole("menuitem", { name: /^P0/ })).toBeVisible();
  await sample.keyboard.press("Escape");
  await expect(sample.getByRole("menuitem")).toHaveCount(0);
  await expect(property(sample, "Priority: None")).toBeFocused();

  const title = sample.getByRole("button", { name: PASSPORTS, exact: true });
  await title.focus();
  await sample.keyboard.press("Enter");
  await sample.keyboard.type("Something else");
  await sample.keyboard.press("Escape");
  await expect(title).toBeFocused();
  expect((await read(server, id)).title).toBe(PASSPORTS);

  await sample.keyboard.press("?");
  await expect(sample.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await sample.keyboard.press("Escape");
  await expect(title).toBeFocused();
});

test("the slash finds everything where no list has a search, and its letters are no commands", async ({ sample: page, server }) => {
  const id = await openTask(page, server, PASSPORTS);
  const starred = async (): Promise<boolean> => ((await server.ask("GET", `/api/journal/tasks/${id}`)) as { starred: boolean }).starred;
  const before = await starred();
  for (const path of [`/tasks/${id}`, "/settings", "/templates", "/work"]) {
    await page.goto(server.address + path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.keyboard.type("/fr");
    await expect(page.getByRole("combobox", { name: "Search tasks and agents, or run a command" }), path).toHaveValue("fr");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("combobox", { name: "Search tasks and agents" }), path).toHaveCount(0);
    await expect(page, path).toHaveURL(server.address + path);
  }
  expect(await starred()).toBe(before);
});

test("Escape goes back from a page, to its list if there is no page before it", async ({ sample: page, server }) => {
  const id = await openTask(page, server, PASSPORTS);
  const { agent } = (await server.ask("GET", `/api/journal/tasks/${id}`)) as { agent: string };
  const { items } = (await server.ask("GET", "/api/templates")) as { items: { id: string }[] };
  for (const [path, list] of [["/work/new", "/work"], [`/templates/${items[0]?.id}`, "/templates"], [`/tasks/${id}`, "/tasks"], [`/agents/${agent}`, `/tasks/${id}`]] as const) {
    const fresh = await page.context().newPage();
    await fresh.goto(server.address + path);
    await expect(fresh.getByRole("heading", { level: 1 })).toBeVisible();
    await fresh.keyboard.press("Escape");
    await expect(fresh, path).toHaveURL(server.address + list);
    await fresh.close();
  }
  // The second page of a tab goes back to the first, wherever that is.
  await page.goto(`${server.address}/settings`);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("new agent work");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Start agent work" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(`${server.address}/settings`);
});
