// What an agent knows is listed with its source; a line is removed for good, and its wakes say so.

import AxeBuilder from "@axe-core/playwright";

import { openTask, PASSPORTS } from "./steps";
import { expect, open, still } from "./stage";
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
