// Steps in the settings of models.

import type { Locator, Page } from "@playwright/test";

import { expect } from "./world";

/** A server of one's own at which nothing listens. */
export const HOUSE = { name: "house", address: "http://127.0.0.1:9/v1" };

/** The labels of the budgets. */
export const BUDGET = {
  workspaceDay: "Everything, a day",
  agentDay: "One agent, a day",
  wake: "One wake",
  unpricedDay: "Models without a price, a day",
} as const;

export function models(page: Page): Locator {
  return page.getByRole("region", { name: "Models", exact: true });
}

export function budgets(page: Page): Locator {
  return page.getByRole("region", { name: "Budgets", exact: true });
}

/** Adds a server that the person does not call their own. */
export async function addServer(page: Page, name: string, address: string): Promise<void> {
  await page.getByRole("button", { name: "Add a provider" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a provider" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Address").fill(address);
  await dialog.getByRole("button", { name: "Add a provider" }).click();
  await expect(dialog).toBeHidden();
  await expect(models(page).getByText(address)).toBeVisible();
}

/** Adds the server of one's own, with a key if one is given. */
export async function addProvider(page: Page, key?: string): Promise<void> {
  await page.getByRole("button", { name: "Add a provider" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a provider" });
  await dialog.getByLabel("Name").fill(HOUSE.name);
  await dialog.getByLabel("Address").fill(HOUSE.address);
  await dialog.getByRole("switch", { name: "I run this server: data sent to it stays with me" }).click();
  if (key !== undefined) await dialog.getByLabel("Key").fill(key);
  await dialog.getByRole("button", { name: "Add a provider" }).click();
  await expect(dialog).toBeHidden();
  await expect(models(page).getByText(HOUSE.address)).toBeVisible();
}
