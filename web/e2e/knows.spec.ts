// What an agent knows is listed with its source; a line is removed for good, and its wakes say so.

import AxeBuilder from "@axe-core/playwright";

import { QuickModel, SUMMARY } from "./quickModel";
import { openTask, PASSPORTS } from "./steps";
import { expect, faults, open, overflow, still } from "./stage";
import { test } from "./world";

const SECRET = "The locker opens with 4711 and a kick";

test("a line is seen, removed with its entry, and its wakes say so", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
  await server.ask("POST", `/api/journal/tasks/${id}/entries`, { text: `${SECRET}. Bring a coin.` });
  await server.ask("POST", `/api/agents/${agent}/wake`, {});
  await expect
    .poll(async () => JSON.stringify(await server.ask("GET", `/api/agents/${agent}/knowledge`)), { timeout: 20_000 })
    .toContain(SECRET);

  await open(sample, server, `/agents/${agent}/knows`);
  const panel = sample.getByRole("tabpanel", { name: "What it knows" });
  const row = panel.getByRole("listitem").filter({ hasText: SECRET }).first();
  await expect(row).toBeVisible();
  await expect(row.getByRole("link", { name: /your entry/ })).toHaveAttribute("href", `/tasks/${id}`);
  await row.getByRole("button", { name: /^Remove: / }).click();
  const dialog = sample.getByRole("dialog", { name: "Remove this line for good?" });
  await expect(dialog.getByText("Your entry stays in the task.")).toBeVisible();
  await expect(dialog.getByText(/can then no longer be shown word for word/)).toBeVisible();
  const { violations } = await new AxeBuilder({ page: sample }).include("[role=dialog]").analyze();
  expect(violations).toEqual([]);
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await expect(row).toBeVisible();

  await row.getByRole("button", { name: /^Remove: / }).focus();
  await sample.keyboard.press("Enter");
  await dialog.getByRole("checkbox", { name: "Remove the entry from the task, too" }).check();
  await expect(dialog.getByText("It cannot be restored.")).toBeVisible();
  await dialog.getByRole("button", { name: "Remove this line" }).click();
  await expect(dialog).toBeHidden();
  await expect(panel.getByText(SECRET)).toHaveCount(0);
  await sample.reload();
  await still(sample);
  await expect(panel.getByRole("listitem").first()).toBeVisible();
  await expect(sample.getByText(SECRET)).toHaveCount(0);
  expect(JSON.stringify(await server.ask("GET", `/api/journal/tasks/${id}`))).not.toContain("4711");

  const { items } = await server.ask("GET", `/api/agents/${agent}/wakes`);
  expect(items.some((wake: { purgedAt: string | null }) => wake.purgedAt !== null)).toBe(true);
  await open(sample, server, `/agents/${agent}/wakes`);
  // Removing the entry is a change, so the newest wake may be one that came after it.
  const { runKey } = items.find((wake: { purgedAt: string | null }) => wake.purgedAt !== null);
  const wake = sample.getByRole("row", { name: new RegExp(runKey) });
  await wake.getByRole("button", { name: /^Messages of this wake/ }).click();
  await expect(sample.getByText("Part of this request was removed").first()).toBeVisible();
});

test("what a person wrote to an agent is removed where it is read", async ({ sample: page, server }) => {
  const id = await openTask(page, server, PASSPORTS);
  const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
  await server.ask("POST", `/api/agents/${agent}/wake`, { message: SECRET });
  await expect
    .poll(async () => (await server.ask("GET", `/api/agents/${agent}`)).activity, { timeout: 20_000 })
    .toBe("asleep");
  await open(page, server, `/agents/${agent}/activity?kind=user`);
  const panel = page.getByRole("tabpanel", { name: "Activity" });
  await expect(panel.getByText(SECRET)).toBeVisible();
  await panel.getByRole("button", { name: `Remove: ${SECRET}` }).click();
  const dialog = page.getByRole("dialog", { name: "Remove this line for good?" });
  await expect(dialog.getByText(SECRET)).toBeVisible();
  await dialog.getByRole("button", { name: "Remove this line" }).click();
  await expect(dialog).toBeHidden();
  await expect(panel.getByText(SECRET)).toHaveCount(0);
  await still(page);
  expect(await faults(page)).toEqual([]);
  expect(JSON.stringify(await server.ask("GET", `/api/agents/${agent}/messages`))).not.toContain("4711");
});

test("a line is found by its words with the keyboard, removed, and listed as removed", async ({ sample: page, server }) => {
  const id = await openTask(page, server, PASSPORTS);
  const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
  for (const text of ["The photo booth is behind the Café Ölmühle.", "Bring the old passport."]) {
    await server.ask("POST", `/api/journal/tasks/${id}/entries`, { text });
  }
  await server.ask("POST", `/api/agents/${agent}/wake`, {});
  await expect
    .poll(async () => JSON.stringify(await server.ask("GET", `/api/agents/${agent}/knowledge`)), { timeout: 20_000 })
    .toContain("photo booth");

  await open(page, server, `/agents/${agent}/knows`);
  const panel = page.getByRole("tabpanel", { name: "What it knows" });
  await expect(panel.getByText("Bring the old passport.")).toBeVisible();
  await expect(panel.getByRole("group", { name: "Show" })).toHaveCount(0);
  await page.keyboard.press("/");
  const field = panel.getByRole("searchbox", { name: "Search what it knows" });
  await expect(field).toBeFocused();
  await page.keyboard.type("olm pho");
  await expect(panel.getByText("1 line has all of these words.")).toBeVisible();
  await expect(panel.getByText("Bring the old passport.")).toHaveCount(0);
  expect(await faults(page)).toEqual([]);
  await field.fill("zeppelin");
  await expect(panel.getByText("Nothing that it remembers has all of these words.")).toBeVisible();
  await field.press("Escape");
  await expect(field).toHaveValue("");
  await expect(panel.getByText("Bring the old passport.")).toBeVisible();

  await field.fill("booth");
  await expect(panel.getByText("1 line has all of these words.")).toBeVisible();
  await panel.getByRole("button", { name: /^Remove: / }).click();
  const dialog = page.getByRole("dialog", { name: "Remove this line for good?" });
  await dialog.getByRole("button", { name: "Remove this line" }).click();
  await expect(dialog).toBeHidden();
  await expect(panel.getByText("Nothing that it remembers has all of these words.")).toBeVisible();
  await panel.getByRole("group", { name: "Show" }).getByRole("button", { name: "Removed 1" }).click();
  await expect(panel.getByText("A line; its entry stayed in the task")).toBeVisible();
  await expect(panel.getByText(/cut out of \d+ stored texts/)).toBeVisible();
  await expect(panel.getByText("photo booth")).toHaveCount(0);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await still(page);
    expect(await faults(page), colorScheme).toEqual([]);
  }
  await page.setViewportSize({ width: 320, height: 720 });
  await still(page);
  expect(await overflow(page)).toEqual([]);
});

test("what a newer line replaced is apart from what holds", async ({ sample: page, server }) => {
  const id = await openTask(page, server, PASSPORTS);
  const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
  const knows = (words: string): Promise<void> =>
    expect.poll(async () => JSON.stringify(await server.ask("GET", `/api/agents/${agent}/knowledge`)), { timeout: 20_000 }).toContain(words);
  const { entries } = await server.ask("POST", `/api/journal/tasks/${id}/entries`, { text: "The office takes it by phone." });
  const entry = entries.find((one: { text: string }) => one.text === "The office takes it by phone.").id;
  await server.ask("POST", `/api/agents/${agent}/wake`, {});
  await knows("takes it by phone");
  await server.ask("PATCH", `/api/journal/tasks/${id}/entries/${entry}`, { text: "The office wants it in writing." });
  await server.ask("POST", `/api/agents/${agent}/wake`, {});
  await knows("wants it in writing");

  await open(page, server, `/agents/${agent}/knows`);
  const panel = page.getByRole("tabpanel", { name: "What it knows" });
  const row = panel.getByRole("listitem").filter({ hasText: "wants it in writing" });
  await expect(row).toContainText(/before: .*takes it by phone/);
  await expect(panel.getByRole("listitem").filter({ hasText: "takes it by phone" })).toHaveCount(1);
  await panel.getByRole("group", { name: "Show" }).getByRole("button", { name: /^Replaced \d+$/ }).click();
  await expect(panel.getByRole("heading", { name: "Replaced by a newer line" })).toBeVisible();
  await expect(panel.getByRole("listitem").filter({ hasText: "takes it by phone" })).toHaveCount(1);
  await expect(panel.getByText("wants it in writing")).toHaveCount(0);
  expect(await faults(page)).toEqual([]);
});

test("a language model has a window, a share from its cache, and folded lines", async ({ sample: page, server }) => {
  const model = new QuickModel();
  await model.start();
  await server.ask("PUT", "/api/models/providers/house", { format: "chatCompletions", baseUrl: model.address, isOwn: true });
  await server.ask("POST", "/api/models/test", { model: "house/quick" });
  const id = await openTask(page, server, PASSPORTS);
  const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
  await server.ask("PATCH", `/api/agents/${agent}`, { model: "house/quick" });
  const lines = async (): Promise<number> => (await server.ask("GET", `/api/agents/${agent}/knowledge?limit=100`)).items.length;
  for (let n = 1; n <= 6; n += 1) {
    const before = await lines();
    await server.ask("POST", `/api/journal/tasks/${id}/entries`, { text: `Letter ${n}. ${"The office asks for another paper. ".repeat(80)}` });
    await server.ask("POST", `/api/agents/${agent}/wake`, {});
    await expect.poll(lines, { timeout: 20_000 }).toBeGreaterThan(before);
  }
  await open(page, server, `/agents/${agent}/knows`);
  const panel = page.getByRole("tabpanel", { name: "What it knows" });
  await expect(panel.getByText(SUMMARY)).toBeVisible();
  await expect(panel.getByText(/^Made by house\/quick\. Its (lines were folded once|oldest lines were folded \d+ times)\.$/)).toBeVisible();
  await expect(panel.getByText(/lines 1 to \d+/)).toBeVisible();
  await expect(panel.getByText("8,192 tokens at once")).toBeVisible();
  await expect(panel.getByText(/^Of this, its last request took about: rules and tools [\d,]+, memory [\d,]+, the task [\d,]+, what is new [\d,]+, free [\d,]+\.$/)).toBeVisible();
  await expect(panel.getByText("Older lines are folded once its log has more than 3,276 tokens, or sooner where the window or the budget of a wake is small; at most the newest 1,228 stay.")).toBeVisible();
  await expect(panel.getByText("The server does not say how much it reads, so this is assumed.")).toBeVisible();
  await expect(panel.getByText(/^Read again from a cache, last \d+ wakes$/)).toBeVisible();
  await expect(panel.getByText(/^[1-9]\d% of what was sent$/)).toBeVisible();
  expect(await faults(page)).toEqual([]);
  await panel.getByRole("button", { name: /loaded so far$/ }).click();
  await expect(panel.getByRole("heading", { name: "Replaced by a summary" })).toBeVisible();
  await expect(panel.getByText(/Letter 1\./)).toBeVisible();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await still(page);
    expect(await faults(page), colorScheme).toEqual([]);
  }
  await panel.getByRole("group", { name: "Show" }).getByRole("button", { name: "Knows" }).click();
  await page.setViewportSize({ width: 320, height: 720 });
  await still(page);
  expect(await overflow(page)).toEqual([]);
  model.stop();
});
