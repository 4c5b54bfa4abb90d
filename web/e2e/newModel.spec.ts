// A model on the pages alone: its server is added, it is tested, priced and chosen for one agent, which writes,
// is cancelled, meets a budget and goes on when that is lifted.

import type { Locator, Page } from "@playwright/test";

import { addServer, BUDGET, budgets, models } from "./models";
import { type SlowModel, test } from "./slowModel";
import { PASSPORTS } from "./steps";
import { expect, type Server, taskId } from "./world";

interface Agent {
  id: string;
  displayName: string;
  ownModel: string | null;
}

async function settings(page: Page, server: Server): Promise<void> {
  await page.goto(`${server.address}/settings#models`);
  await expect(models(page).getByText("Built-in rules")).toBeVisible();
}

/** Picks a model that the server lists, and tries it there. */
async function tested(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Show its models (house)" }).click();
  const dialog = page.getByRole("dialog", { name: "Models of house" });
  const listed = dialog.getByRole("list", { name: "Listed models" });
  await expect(listed.getByRole("button")).toHaveCount(2);
  await dialog.getByLabel("Model", { exact: true }).fill("sl");
  await expect(listed.getByRole("button")).toHaveText([/^slow/]);
  await listed.getByRole("button").click();
  await dialog.getByRole("button", { name: "Test", exact: true }).click();
  const shown = dialog.getByRole("status").filter({ hasText: "What the test of slow (house) showed" });
  await expect(shown).toContainText("How it works");
  await expect(shown).toContainText(/First word\s*\d+(\.\d)? s/);
  await expect(shown).toContainText(/The test cost\s*unknown/);
  await expect(shown).toContainText(/Window\s*32,768 tokens/);
  await expect(shown).toContainText(/The server counted \d+ tokens in and 9 out\./);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
}

/** A dollar per million tokens. */
async function priced(page: Page): Promise<void> {
  const row = models(page).getByRole("listitem").filter({ hasText: "slow (house)" }).first();
  await row.getByRole("button", { name: /^Set price/ }).click();
  const dialog = page.getByRole("dialog", { name: "Set the price of slow (house)" });
  await dialog.getByLabel("Input", { exact: true }).fill("1");
  await dialog.getByLabel("Output").fill("1");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("$1.00 in, $1.00 out per million tokens");
  await row.getByRole("button", { name: /^Test/ }).click();
  await expect(row.getByRole("status")).toContainText(/The test cost\s*\$0\.000\d/);
}

async function budget(page: Page, server: Server, dollars: string): Promise<void> {
  await settings(page, server);
  await page.getByLabel(BUDGET.agentDay).fill(dollars);
  await page.getByLabel(BUDGET.agentDay).blur();
  await expect(budgets(page).getByRole("listitem").filter({ hasText: BUDGET.agentDay })).toContainText("Saved");
}

/** The question before the agent gets the model, and its two answers. */
async function chosen(page: Page, server: Server, agent: Agent, model: SlowModel): Promise<void> {
  const picker = page.getByRole("button", { name: new RegExp(`^Model of ${agent.displayName}`) });
  const open = async (): Promise<Locator> => {
    await picker.click();
    await page.getByRole("menuitem", { name: /^slow \(house\)/ }).click();
    const question = page.getByRole("dialog", { name: `Use slow (house) for ${agent.displayName}?` });
    await expect(question).toContainText(`Sent to ${model.address}:`);
    await expect(question).toContainText("1 agent uses it from its next wake on.");
    await expect(question).toContainText(/What it costs\s*An estimate: about \$/);
    await expect(question).toContainText("What gets turned off");
    return question;
  };
  const own = async (): Promise<string | null> => ((await server.ask("GET", `/api/agents/${agent.id}`)) as Agent).ownModel;
  await (await open()).getByRole("button", { name: "Keep Built-in rules" }).click();
  expect(await own()).toBeNull();
  expect(model.asked).toBe(0);
  await (await open()).getByRole("button", { name: `Use slow (house) for ${agent.displayName}` }).click();
  await expect(page.getByText(`From the next wake on, ${agent.displayName} uses slow (house).`)).toBeVisible();
  expect(await own()).toBe("house/slow");
  // It is agreed to: the same choice asks nothing again.
  await picker.click();
  await page.getByRole("menuitem", { name: /^slow \(house\)/ }).click();
  await expect(page.getByRole("dialog", { name: `Use slow (house) for ${agent.displayName}?` })).toHaveCount(0);
}

// The calendar of the browser is at least a day ahead of that of the workspace, which costs are booked by.
test.use({ timezoneId: "Pacific/Kiritimati" });

test("a model is added, tested, chosen for an agent, watched, cancelled, held by a budget and freed, on the pages", async ({ sample, server, model }) => {
  const task = await taskId(server, PASSPORTS);
  const { agent: id } = (await server.ask("GET", `/api/journal/tasks/${task}`)) as { agent: string };
  const agent = (await server.ask("GET", `/api/agents/${id}`)) as Agent;
  await server.ask("PATCH", "/api/settings", { timeZone: "Etc/GMT+12" });
  await settings(sample, server);
  await addServer(sample, "house", model.address);
  await tested(sample);
  await priced(sample);
  await sample.goto(`${server.address}/agents/${id}`);
  await chosen(sample, server, agent, model);

  const draft = sample.getByRole("region", { name: `Draft of a report by ${agent.displayName}` });
  const wake = (): Promise<unknown> => server.ask("POST", `/api/agents/${id}/wake`, {});
  await wake();
  await expect.poll(() => model.asked).toBe(1);
  model.write('{"tldr":"The forms are ');
  await expect(draft).toContainText("The forms are");
  await draft.getByRole("button", { name: "Cancel this run" }).click();
  await expect.poll(() => model.dropped).toBe(1);
  await expect(draft).toHaveCount(0);

  await budget(sample, server, "0.001");
  await sample.goto(`${server.address}/agents/${id}`);
  await wake();
  await expect(sample.getByText("Today’s budget of this agent has no room for its next call. It wakes again after midnight.")).toBeVisible();
  expect(model.asked).toBe(1);
  await budget(sample, server, "0.50");
  await expect.poll(() => model.asked).toBe(2);
  await sample.goto(`${server.address}/agents/${id}`);
  model.write('{"tldr":"The forms are on the desk.","content":"Photos are missing."}');
  model.end();
  await expect.poll(() => model.asked).toBe(3);
  model.end();
  await expect(draft).toHaveCount(0);
  await expect(sample.getByText("The forms are on the desk.").first()).toBeVisible();

  // What that cost, wherever it is said.
  const spent = /\$0\.0\d+ of \$0\.50/;
  await expect(sample.getByRole("definition").filter({ hasText: spent })).toBeVisible();
  await sample.goto(`${server.address}/`);
  await expect(sample.getByText(/Models today:\s*\$0\.0\d+ of \$3\.00/)).toBeVisible();
  await settings(sample, server);
  await expect(budgets(sample).getByRole("img", { name: /^Cost a day for 14 days: \$0\.0\d+ in all/ })).toBeVisible();
  await budgets(sample).getByText("Show as a table").click();
  const rows = budgets(sample).getByRole("row");
  await expect(rows).toHaveCount(15);
  await expect(rows.nth(1)).toContainText(/\$0\.0\d+\s*5/);
});
