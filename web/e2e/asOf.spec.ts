// A task is shown as it was at a wake of its agent, and nothing can be changed there.

import AxeBuilder from "@axe-core/playwright";

import { openTask, PASSPORTS, property } from "./steps";
import { expect, faults, open, overflow, still } from "./stage";
import { test } from "./world";

test("an earlier report leads to the task as it was, and back to now", async ({ sample: page, server }) => {
  const id = await openTask(page, server, PASSPORTS);
  const task = await server.ask("GET", `/api/journal/tasks/${id}`);
  await server.ask("PATCH", `/api/journal/tasks/${id}`, { title: "Renew both passports", priority: "P0" });
  await server.ask("PATCH", `/api/journal/tasks/${id}/checklist-items/${task.items[0].id}`, { isChecked: !task.items[0].isChecked });
  await server.ask("POST", `/api/journal/tasks/${id}/checklist-items`, { title: "Ask for the express fee" });
  await server.ask("POST", `/api/agents/${task.agent}/wake`, {});
  await expect.poll(async () => (await server.ask("GET", `/api/agents/${task.agent}/wakes`)).items.filter((wake: { status: string }) => wake.status === "completed").length, { timeout: 20_000 }).toBeGreaterThan(1);

  await page.reload();
  await page.getByRole("button", { name: "Earlier reports" }).click();
  const dialog = page.getByRole("dialog", { name: /^Reports of / });
  await dialog.getByRole("link", { name: "The task as it was" }).last().click();
  await expect(page.getByRole("heading", { level: 1, name: new RegExp(`^${PASSPORTS}`) })).toContainText("changed since");
  await expect(page.getByText(/^As it was on .* woke\. Nothing can be changed here\.$/)).toBeVisible();
  const facts = page.getByRole("complementary", { name: "Properties then" });
  await expect(facts.getByText("Urgent")).toHaveCount(0);
  await expect(page.getByText(/^(un)?ticked since, /).first()).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Ask for the express fee" }).first()).toContainText("added since");
  await expect(page.getByRole("button", { name: /Save|Edit|Add/ })).toHaveCount(0);
  await expect(page.getByRole("checkbox").first()).toBeDisabled();
  expect(await faults(page)).toEqual([]);
  expect(await overflow(page)).toEqual([]);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);

  await page.getByRole("link", { name: "Wake after" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Renew both passports");
  await expect(facts.getByText("Urgent")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(PASSPORTS);

  await page.getByRole("link", { name: "Show", exact: true }).click();
  await expect(page.getByText(/^What .* knew on .*, after that wake\.$/)).toBeVisible();
  await expect(page.getByRole("tabpanel").getByRole("listitem").first()).toBeVisible();
  await expect(page.getByRole("tabpanel").getByText("Renew both passports")).toHaveCount(0);
  await page.goBack();
  await page.getByRole("link", { name: "Back to now" }).click();
  await expect(property(page, /Priority/)).toContainText("P0");
});

test("a wake that does not exist is said, with a way back", async ({ sample: page, server }) => {
  const id = await openTask(page, server, PASSPORTS);
  await open(page, server, `/tasks/${id}?at=${"f".repeat(64)}`);
  await still(page);
  await expect(page.getByText(/has no such wake/)).toBeVisible();
  await page.getByRole("link", { name: "Back to now" }).click();
  await expect(page).toHaveURL(new RegExp(`/tasks/${id}$`));
});
