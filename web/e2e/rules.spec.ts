// Rules: what a tool may do, a rule that rejections speak for, made, seen at work and removed; a checklist by rule.

import type { Locator, Page } from "@playwright/test";

import { faults, open, overflow, still } from "./stage";
import { expect, type Server, settled, test } from "./world";

const DUE = "The deadline is 15 May 2027.";

async function calm(server: Server): Promise<string> {
  const { items } = (await server.ask("GET", "/api/templates")) as { items: { id: string; displayName: string }[] };
  const found = items.find((one) => one.displayName === "Calm");
  if (found === undefined) throw new Error("there is no template Calm");
  return found.id;
}

/** A task whose agent has read its note. */
async function task(server: Server, title: string): Promise<string> {
  const made = await server.ask("POST", "/api/journal/tasks", { title, note: DUE });
  await server.ask("POST", `/api/journal/tasks/${made.id}/agent`, {});
  await settled(server);
  return made.id;
}

interface Item {
  set: string;
  index: number;
  digest: string;
}

async function proposals(server: Server, id: string): Promise<Item[]> {
  const sets = (await server.ask("GET", `/api/change-sets?task=${id}`)) as { items: { items: Item[] }[] };
  return sets.items.flatMap((set) => set.items);
}

async function rejected(server: Server, title: string): Promise<void> {
  const id = await task(server, title);
  await expect.poll(async () => (await proposals(server, id)).length).toBe(1);
  const [item] = await proposals(server, id);
  if (item === undefined) throw new Error("nothing is proposed");
  await server.ask("POST", `/api/change-sets/${item.set}/items/${item.index}/reject`, { digest: item.digest, reason: "not a deadline" });
}

const policy = (page: Page, tool: string): Locator => page.getByRole("group", { name: tool });

test("rejections speak for a rule; it is made, holds back the next proposal, and is removed", async ({ app: page, server }) => {
  const template = await calm(server);
  for (const title of ["Paint the fence", "Mow the lawn", "Oil the gate"]) await rejected(server, title);
  await open(page, server, `/templates/${template}`);
  await page.getByRole("tab", { name: "Rules" }).click();
  await expect(page).toHaveURL(new RegExp(`/templates/${template}/rules$`));
  const asked = page.getByRole("article", { name: "Due date: where there is none" });
  await expect(asked).toContainText("You rejected this 3 times in 30 days.");
  await asked.getByText("What you rejected").click();
  await expect(asked).toContainText("not a deadline");
  await still(page);
  expect(await faults(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });

  await asked.getByRole("button", { name: "Make it a rule" }).click();
  const rules = page.getByRole("region", { name: "Rules from your decisions" });
  await expect(rules.getByText("No suggestions for Due date: where there is none", { exact: true })).toBeVisible();
  await expect(asked).toHaveCount(0);
  await expect(rules).toContainText("Held back nothing yet.");

  const id = await task(server, "Plant the hedge");
  await rules.getByText("Held back 1 suggestion").click();
  await expect(rules.getByRole("link", { name: /Due date/ })).toHaveAttribute("href", `/tasks/${id}`);
  expect(await proposals(server, id)).toEqual([]);
  await still(page);
  expect(await faults(page)).toEqual([]);

  await rules.getByRole("button", { name: /^Remove the rule/ }).click();
  await expect(page.getByText("The rule is removed: Due date: where there is none")).toBeVisible();
  await expect(rules.getByRole("button", { name: /^Remove the rule/ })).toHaveCount(0);
});

test("a tool applies by itself for a version, and its decision says so and is undone", async ({ app: page, server }) => {
  const template = await calm(server);
  await open(page, server, `/templates/${template}/rules`);
  await expect(policy(page, "Due date").getByRole("button", { name: "Ask" })).toHaveAttribute("aria-pressed", "true");
  await policy(page, "Due date").getByRole("button", { name: "Do it" }).click();
  await expect(policy(page, "Due date").getByRole("button", { name: "Do it" })).toHaveAttribute("aria-pressed", "true");
  await expect(policy(page, "Agent work").getByRole("button", { name: "Do it" })).toHaveCount(0);

  const id = await task(server, "Paint the fence");
  const dueOn = async (): Promise<unknown> => (await server.ask("GET", `/api/journal/tasks/${id}`)).dueOn;
  await expect.poll(dueOn).toBe("2027-05-15");
  const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
  await open(page, server, `/agents/${agent}/decisions`);
  await expect(page.getByText(/by your rule/)).toBeVisible();
  await open(page, server, `/agents/${agent}/rules`);
  await expect(page.getByText("There are no rules.", { exact: false })).toBeVisible();

  await server.ask("PATCH", `/api/templates/${template}`, { generalDirective: "Be brief." });
  await open(page, server, `/templates/${template}/rules`);
  await expect(policy(page, "Due date").getByRole("button", { name: "Ask" })).toHaveAttribute("aria-pressed", "true");
});

test("a checklist starts over without asking once that is switched on", async ({ app: page, server }) => {
  const made = await server.ask("POST", "/api/journal/tasks", { title: "Packing list" });
  await server.ask("POST", `/api/journal/tasks/${made.id}/checklist-items`, { title: "Fold the shirts" });
  const items = async (): Promise<{ id: string; isChecked: boolean }[]> => (await server.ask("GET", `/api/journal/tasks/${made.id}`)).items;
  const [item] = await items();
  await server.ask("PATCH", `/api/journal/tasks/${made.id}/checklist-items/${item?.id}`, { isChecked: true });
  await open(page, server, "/work/new");
  const kinds = page.getByRole("group", { name: "Ready to switch on" });
  await kinds.getByRole("radio").last().focus();
  await page.keyboard.press("Space");
  await page.getByRole("textbox", { name: "Say what to repeat, and when" }).fill("Reset the packing list every Sunday at 9");
  await page.getByRole("button", { name: "Read it" }).click();
  await page.getByRole("checkbox", { name: "Apply it without asking" }).check();
  await still(page);
  expect(await faults(page)).toEqual([]);
  await page.getByRole("button", { name: "Switch on" }).click();
  await expect(page).toHaveURL(/\/work\/task-/);
  const id = page.url().split("/").at(-1) ?? "";
  await server.ask("POST", `/api/tasks/${id}/run`, {});
  await expect.poll(async () => (await items()).filter((one) => one.isChecked).length).toBe(0);
});
