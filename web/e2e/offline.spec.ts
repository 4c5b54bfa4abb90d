// The server becomes unreachable under an open page, and returns.

import type { Page } from "@playwright/test";

import { changes, GARDEN, LAPTOP, note, openItems, openTask, PASSPORTS, property, read, standing, writeNote } from "./steps";
import { expect, test } from "./world";

const AWAY = /Dormouse hasn’t responded since \d\d:\d\d\./;

async function isAway(page: Page): Promise<void> {
  await expect(page.getByText(AWAY)).toBeVisible();
}

async function isBack(page: Page): Promise<void> {
  await expect(page.getByText(AWAY)).toBeHidden({ timeout: 25_000 });
}

test("the connection is cut and resumed: reading works, edits wait, nothing typed is lost, everything arrives once", async ({ sample, context, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await openTask(sample, server, LAPTOP);
  await openTask(sample, server, PASSPORTS);
  const other = await context.newPage();
  await openTask(other, server, LAPTOP);
  await sample.evaluate(() => document.body.setAttribute("data-first", ""));
  // Visit them once, so that they can be read offline.
  await sample.getByRole("link", { name: "Tasks", exact: true }).first().click();
  await sample.getByRole("link", { name: new RegExp(`^${LAPTOP}`) }).click();
  await standing(sample, LAPTOP);
  await sample.goBack();
  await sample.getByRole("link", { name: new RegExp(`^${PASSPORTS}`) }).click();
  await standing(sample, PASSPORTS);
  await note(sample).fill("The clerk said to");

  await server.stop();
  await isAway(sample);
  await isAway(other);

  // Edits, a decision and a note are queued and counted.
  await property(sample, "Priority: None").click();
  await sample.getByRole("menuitem", { name: /^P1/ }).click();
  await expect(property(sample, "Priority: P1")).toBeVisible();
  await expect(sample.getByText("1 change is waiting to be sent.")).toBeVisible();
  await sample.getByRole("checkbox", { name: "Fill in the forms" }).check();
  await changes(sample).getByRole("button", { name: "Confirm: Estimate: 2 h" }).click();
  await expect(sample.getByText("Will be confirmed when Dormouse is back: Estimate: 2 h")).toBeVisible();
  await expect(changes(sample).getByRole("heading", { name: /suggests 1 change$/ })).toBeVisible();
  await expect(sample.getByText("3 changes are waiting to be sent.")).toBeVisible();
  await expect(note(sample)).toHaveValue("The clerk said to");
  await writeNote(sample, "Written while nobody listened.");
  await expect(sample.getByText("4 changes are waiting to be sent.")).toBeVisible();
  await note(sample).fill("Half a sen");

  // Reading still works.
  await sample.getByRole("link", { name: "Tasks", exact: true }).first().click();
  await expect(sample.getByRole("link", { name: new RegExp(`^${PASSPORTS}`) })).toBeVisible();
  await sample.getByRole("link", { name: new RegExp(`^${LAPTOP}`) }).click();
  await standing(sample, LAPTOP);
  await expect(sample.getByRole("checkbox", { name: "Copy the photos" })).toBeVisible();
  await isAway(sample);
  await sample.goBack();
  await sample.getByRole("link", { name: new RegExp(`^${PASSPORTS}`) }).click();
  await standing(sample, PASSPORTS);
  await expect(note(sample)).toHaveValue("Half a sen");
  await expect(property(sample, "Priority: P1")).toBeVisible();

  // Meanwhile someone changes another task.
  await server.command("task", "edit", LAPTOP, "--priority", "P2");
  await server.start();
  await isBack(sample);
  await isBack(other);
  await expect(property(other, "Priority: P2")).toBeVisible();
  await expect.poll(async () => (await read(server, id)).entries.filter((entry) => entry.text.startsWith("Written while")).length).toBe(1);
  const now = await read(server, id);
  expect(now.priority).toBe("P1");
  expect(now.estimateMinutes).toBe(120);
  expect(now.items.find((item) => item.title === "Fill in the forms")?.isChecked).toBe(true);
  expect((await openItems(server, id)).length).toBe(1);

  await expect(sample.getByText("Written while nobody listened.", { exact: true })).toHaveCount(1);
  await expect(note(sample)).toHaveValue("Half a sen");
  await expect(property(sample, "Estimate: 2 h")).toBeVisible();
  await expect(sample.getByText(/waiting to be sent/)).toBeHidden();
  expect(await sample.evaluate(() => document.body.hasAttribute("data-first"))).toBe(true);

  // The connection is back: what happens now appears.
  await server.ask("PATCH", `/api/journal/tasks/${id}`, { title: "Renew both passports" });
  await standing(sample, "Renew both passports");
});

test("the server is killed under a half-typed note", async ({ sample, server }) => {
  const id = await openTask(sample, server, GARDEN);
  await note(sample).pressSequentially("The seeds are");
  await server.stop("SIGKILL");
  await isAway(sample);
  await note(sample).pressSequentially(" ordered.");
  await sample.getByRole("button", { name: "Add note" }).click();
  await expect(sample.getByText("waiting to be sent", { exact: false }).first()).toBeVisible();
  await note(sample).pressSequentially("And then");

  await server.start();
  await isBack(sample);
  await expect(note(sample)).toHaveValue("And then");
  await expect(note(sample)).toBeFocused();
  await expect.poll(async () => (await read(server, id)).entries.filter((entry) => entry.text === "The seeds are ordered.").length).toBe(1);
  await expect(sample.getByRole("region", { name: /^Summary by/ })).toContainText("New: The seeds are ordered.");

  // What was typed survives a reload too.
  await sample.reload();
  await standing(sample, GARDEN);
  await expect(note(sample)).toHaveValue("And then");
});

test("a response lost on the way: the request takes effect once", async ({ sample, server }) => {
  const id = await openTask(sample, server, GARDEN);
  let lost = 0;
  await sample.route("**/api/journal/tasks/*/entries", async (route) => {
    if (lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    await route.abort("connectionreset");
  });
  await writeNote(sample, "Said once.");
  await expect.poll(() => lost).toBe(1);
  // It is sent again by itself, under the same key.
  await sample.waitForResponse((response) => response.url().endsWith("/entries") && response.ok());
  await expect(sample.getByText("waiting to be sent")).toBeHidden();
  await expect(sample.getByText("Said once.", { exact: true })).toHaveCount(1);
  expect((await read(server, id)).entries.filter((entry) => entry.text === "Said once.")).toHaveLength(1);
});

test("a verdict that waited and is refused comes back as a row with the reason", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const item = (await openItems(server, id)).find((one) => one.humanSummary.includes("estimate"));
  if (item === undefined) throw new Error("no estimate is suggested");
  await server.stop();
  await isAway(sample);
  await changes(sample).getByRole("button", { name: "Confirm: Estimate: 2 h" }).click();
  await expect(sample.getByText("1 change is waiting to be sent.")).toBeVisible();
  await server.command("change", "reject", `${item.set}:${item.index}`);
  await server.start();
  await isBack(sample);

  const shown = changes(sample).getByRole("alert");
  await expect(shown).toContainText("Your decision wasn’t saved.");
  await expect(shown).toContainText("Rejected elsewhere");
  await expect(property(sample, "Estimate: None")).toBeVisible();
  expect((await read(server, id)).estimateMinutes).toBeNull();
  await changes(sample).getByRole("button", { name: "Close" }).click();
  await expect(shown).toBeHidden();
});

test("an edit that waited and is refused is reported, and its text comes back", async ({ sample, server }) => {
  const id = await openTask(sample, server, GARDEN);
  await server.stop();
  await isAway(sample);
  await sample.getByRole("button", { name: GARDEN, exact: true }).click();
  await sample.getByRole("textbox", { name: "Title" }).fill("Prepare the garden for summer");
  await sample.keyboard.press("Enter");
  await standing(sample, "Prepare the garden for summer");
  await server.command("task", "edit", GARDEN, "--title", "Prepare the garden for autumn");
  await server.start();
  await isBack(sample);
  await expect(sample.getByRole("textbox", { name: "Title" })).toHaveValue("Prepare the garden for summer");
  await expect(sample.getByRole("alert").first()).toBeVisible();
  expect((await read(server, id)).title).toBe("Prepare the garden for autumn");
});

test("what waited when the page was closed is sent by the next one, and a refusal is shown there", async ({ sample, context, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const item = (await openItems(server, id)).find((one) => one.humanSummary.includes("estimate"));
  if (item === undefined) throw new Error("no estimate is suggested");
  await server.stop();
  await isAway(sample);
  await property(sample, "Priority: None").click();
  await sample.getByRole("menuitem", { name: /^P0/ }).click();
  await changes(sample).getByRole("button", { name: "Confirm: Estimate: 2 h" }).click();
  await expect(sample.getByText("2 changes are waiting to be sent.")).toBeVisible();
  await sample.close();
  await server.command("change", "reject", `${item.set}:${item.index}`);
  await server.start();

  const next = await context.newPage();
  await next.goto(`${server.address}/tasks/${id}`);
  await expect(property(next, "Priority: P0")).toBeVisible();
  const shown = next.getByText("Confirming “Estimate: 2 h” failed.");
  await expect(shown).toBeVisible();
  await next.getByRole("button", { name: "Dismiss" }).click();
  await expect(shown).toBeHidden();
  expect((await read(server, id)).priority).toBe("P0");
  expect((await read(server, id)).estimateMinutes).toBeNull();
});

test("two tabs wait with edits and are closed: the next one sends those of both", async ({ sample, context, server }) => {
  const other = await context.newPage();
  const [here, there] = [await openTask(sample, server, PASSPORTS), await openTask(other, server, LAPTOP)];
  await server.stop();
  await isAway(sample);
  await isAway(other);
  for (const page of [sample, other]) {
    await property(page, "Priority: None").click();
    await page.getByRole("menuitem", { name: /^P1/ }).click();
    await expect(page.getByText("1 change is waiting to be sent.")).toBeVisible();
  }
  await sample.close();
  await other.close();
  await server.start();
  const next = await context.newPage();
  await next.goto(`${server.address}/tasks`);
  for (const id of [here, there]) await expect.poll(async () => (await read(server, id)).priority).toBe("P1");
});

test("the browser goes offline: the page shows it, edits wait, and arrive when it is back", async ({ sample, context, server }) => {
  const id = await openTask(sample, server, GARDEN);
  await context.setOffline(true);
  await sample.getByRole("checkbox", { name: "Order seeds" }).check();
  await isAway(sample);
  await expect(sample.getByText("1 change is waiting to be sent.")).toBeVisible();
  await server.ask("PATCH", `/api/journal/tasks/${id}`, { status: "IN PROGRESS" });
  await context.setOffline(false);
  await isBack(sample);
  await expect(property(sample, "Status: In progress")).toBeVisible();
  await expect.poll(async () => (await read(server, id)).items.find((item) => item.title === "Order seeds")?.isChecked).toBe(true);
});

/** Waits until what the person may need later was loaded, and the app is kept. */
async function isKept(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
}

test("once one screen was opened, all of them open offline", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await expect.poll(() => sample.evaluate(() => performance.getEntriesByType("resource").filter((one) => /\/(Settings|Agents|Home|Tasks|Agent)-[^/]*\.js$/.test(one.name)).length), { timeout: 30_000 }).toBe(5);
  const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
  await note(sample).fill("Half a sen");
  await server.stop();
  await isAway(sample);
  for (const [link, heading] of [[/^Home/, /./], ["Tasks", "Tasks"], ["Agents", "Agents"], ["Settings", "Settings"]] as const) {
    await sample.getByRole("link", { name: link, exact: true }).first().click();
    await expect(sample.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await expect(sample.getByText("This screen couldn’t be loaded.")).toBeHidden();
    await expect(sample.getByText("This screen hadn’t been loaded before")).toBeHidden();
    await expect(sample.getByRole("button", { name: "Reload" })).toHaveCount(0);
  }
  await sample.keyboard.press("Control+k");
  await expect(sample.getByRole("combobox")).toBeFocused();
  await sample.keyboard.press("Escape");
  await sample.getByRole("link", { name: "Tasks", exact: true }).first().click();
  await server.start();
  await isBack(sample);
  await sample.goto(`${server.address}/agents/${agent}`);
  await expect(sample.getByRole("heading", { level: 1 })).toBeVisible();
});

test("a screen that failed to load offers no reload, and opens when the server is back", async ({ sample, server }) => {
  let isCut = true;
  await sample.route(/\/assets\/Settings-.*\.js$/, (route) => (isCut ? route.abort("connectionrefused") : route.continue()));
  await openTask(sample, server, PASSPORTS);
  await note(sample).fill("Half a sen");
  await server.stop();
  await isAway(sample);
  await sample.getByRole("link", { name: "Settings", exact: true }).first().click();
  await expect(sample.getByText("This screen hadn’t been loaded before the connection was lost.")).toBeVisible();
  await expect(sample.getByRole("button", { name: "Reload" })).toHaveCount(0);
  await sample.goBack();
  await expect(note(sample)).toHaveValue("Half a sen");
  await sample.goForward();
  isCut = false;
  await server.start();
  await isBack(sample);
  // On its own, or with the button that is safe now.
  const reload = sample.getByRole("button", { name: "Reload" });
  const settings = sample.getByRole("heading", { level: 1, name: "Settings" });
  await expect(reload.or(settings)).toBeVisible();
  if (await reload.isVisible()) await reload.click();
  await expect(settings).toBeVisible();
});

test("an offline reload keeps the app, its pending edits, and what was typed", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await isKept(sample);
  await note(sample).fill("Half a sen");
  await server.stop();
  await isAway(sample);
  await property(sample, "Priority: None").click();
  await sample.getByRole("menuitem", { name: /^P1/ }).click();
  await expect(sample.getByText("1 change is waiting to be sent.")).toBeVisible();

  await sample.reload();
  await isAway(sample);
  await expect(sample.getByText("1 change is waiting to be sent.")).toBeVisible();
  await server.start();
  await isBack(sample);
  await standing(sample, PASSPORTS);
  await expect(note(sample)).toHaveValue("Half a sen");
  await expect.poll(async () => (await read(server, id)).priority).toBe("P1");
});

test("a rejection and its reason, given while the server is away, outlive a reload", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await isKept(sample);
  await server.stop();
  await isAway(sample);
  const list = changes(sample);
  await list.getByRole("button", { name: "Reject: Estimate: 2 h" }).click();
  await sample.keyboard.type("no, yes, x: the queue alone takes longer");
  await sample.keyboard.press("Enter");
  await expect(sample.getByText("2 changes are waiting to be sent.")).toBeVisible();

  await sample.reload();
  await isAway(sample);
  await server.start();
  await isBack(sample);
  const { agent } = (await read(server, id)) as unknown as { agent: string };
  await expect
    .poll(async () => JSON.stringify(await server.ask("GET", `/api/agents/${agent}/decisions`)))
    .toContain("the queue alone takes longer");
  const decisions = JSON.stringify(await server.ask("GET", `/api/agents/${agent}/decisions`));
  expect(decisions).not.toMatch(/"undoneAt":"/);
});

test("the cached app gives way to the server's as soon as it responds", async ({ sample, server }) => {
  await openTask(sample, server, PASSPORTS);
  await isKept(sample);
  // Cache a page of another build in its place.
  await sample.evaluate(async () => {
    for (const name of await caches.keys()) {
      await (await caches.open(name)).put("/", new Response("<!doctype html><title>old</title><h1>old</h1>", { headers: { "Content-Type": "text/html" } }));
    }
  });
  await sample.reload();
  await standing(sample, PASSPORTS);
  await server.stop();
  await sample.reload();
  await expect(sample.getByRole("heading", { name: "old" })).toBeVisible();
  await server.start();
  await sample.reload();
  await standing(sample, PASSPORTS);
});
