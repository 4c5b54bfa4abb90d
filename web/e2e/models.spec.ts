// Models and budgets: in the settings, and on the page of an agent.

import type { Locator, Page } from "@playwright/test";

import { BUDGET, HOUSE, addProvider, budgets, models } from "./models";
import { expect, type Server, taskId, test } from "./world";
import { SlowModel } from "./slowModel";
import { PASSPORTS } from "./steps";

async function settings(page: Page, server: Server): Promise<void> {
  await page.goto(`${server.address}/settings#models`);
  await expect(models(page).getByText("Built-in rules")).toBeVisible();
}

interface View {
  model: string;
  paidCalls: boolean;
  budgets: Record<"workspaceDay" | "agentDay" | "wake" | "unpricedDay", number>;
  providers: { name: string; baseUrl: string; isOwn: boolean; keyLastFour: string | null }[];
}

const stored = async (server: Server): Promise<View> => (await server.ask("GET", "/api/models")) as View;

/** The line of a budget. */
function line(page: Page, label: string): Locator {
  return budgets(page).getByRole("listitem").filter({ hasText: label });
}

test("the built-in model is in use, because nobody chose another", async ({ app, server }) => {
  await settings(app, server);
  const row = models(app).getByRole("listitem").filter({ hasText: "Built-in rules" });
  await expect(row).toContainText("In use");
  await expect(row).toContainText("In use because no model was chosen.");
  await expect(row.getByRole("button")).toHaveCount(0);
  await expect(budgets(app).getByText("No calls in the last 14 days.")).toBeVisible();
});

test("a budget is saved when its field is left, and nothing else changes", async ({ app, server }) => {
  await settings(app, server);
  const before = (await stored(server)).budgets;
  const field = app.getByLabel(BUDGET.agentDay);
  await expect(field).toHaveValue("0.50");
  await field.fill("$1.2345");
  await field.blur();
  await expect(line(app, BUDGET.agentDay)).toContainText("Saved");
  await expect(field).toHaveValue("1.2345");
  expect((await stored(server)).budgets).toEqual({ ...before, agentDay: 1_234_500 });

  // Two fields in a row: the second one keeps what the first one changed.
  await app.getByLabel(BUDGET.wake).fill("0.2");
  await app.getByLabel(BUDGET.unpricedDay).fill("1.5M");
  await app.getByLabel(BUDGET.unpricedDay).press("Enter");
  await expect(line(app, BUDGET.unpricedDay)).toContainText("Saved");
  await expect(line(app, BUDGET.wake)).toContainText("Saved");
  expect((await stored(server)).budgets).toEqual({ ...before, agentDay: 1_234_500, wake: 200_000, unpricedDay: 1_500_000 });
  await app.reload();
  await expect(app.getByLabel(BUDGET.wake)).toHaveValue("0.20");
});

test("a budget that is no amount is refused at its field, and what was typed stays", async ({ app, server }) => {
  await settings(app, server);
  const before = await stored(server);
  const field = app.getByLabel(BUDGET.workspaceDay);
  for (const [typed, reason] of [
    ["1,000", /four decimals/],
    ["-1", /four decimals/],
    ["0.00001", /four decimals/],
    ["1000001", /million dollars/],
  ] as const) {
    await field.fill(typed);
    await field.blur();
    await expect(line(app, BUDGET.workspaceDay).getByRole("alert")).toHaveText(reason);
    await expect(field).toHaveValue(typed);
    await expect(field).toHaveAttribute("aria-invalid", "true");
  }
  expect(await stored(server)).toEqual(before);
  await field.press("Escape");
  await expect(field).toHaveValue("3.00");
  await expect(line(app, BUDGET.workspaceDay).getByRole("alert")).toHaveCount(0);
});

test("a budget that changes elsewhere arrives, but not in a field with something typed", async ({ app, server }) => {
  await settings(app, server);
  await app.getByLabel(BUDGET.wake).fill("0.3");
  const { budgets: before } = await stored(server);
  await server.ask("PUT", "/api/models/budgets", { ...before, workspaceDay: 7_000_000, wake: 50_000 });
  await expect(app.getByLabel(BUDGET.workspaceDay)).toHaveValue("7.00");
  await expect(app.getByLabel(BUDGET.wake)).toHaveValue("0.3");
  await app.getByLabel(BUDGET.wake).press("Escape");
  await expect(app.getByLabel(BUDGET.wake)).toHaveValue("0.05");
});

test("paid calls are switched off and on at once", async ({ app, server }) => {
  await settings(app, server);
  const off = app.getByRole("switch", { name: "No paid calls" });
  await expect(off).not.toBeChecked();
  await off.click();
  await expect(off).toBeChecked();
  expect((await stored(server)).paidCalls).toBe(false);
  await app.reload();
  await expect(off).toBeChecked();
  await off.focus();
  await app.keyboard.press("Space");
  await expect(off).not.toBeChecked();
  expect((await stored(server)).paidCalls).toBe(true);
});

test("a token without the permission sees the settings and can change none", async ({ page, server }) => {
  const { token } = (await server.ask("POST", "/api/tokens", { name: "reader", scopes: ["read"] })) as { token: string };
  await page.addInitScript((given) => localStorage.setItem("dormouse.token", given), token);
  await settings(page, server);
  await expect(models(page).getByText("This browser can’t change models or budgets")).toBeVisible();
  await expect(page.getByRole("button", { name: "Add a provider" })).toBeDisabled();
  await expect(page.getByRole("switch", { name: "No paid calls" })).toBeDisabled();
  await expect(page.getByLabel(BUDGET.wake)).toBeDisabled();
});

test("a new provider needs a name and an address, said at their fields", async ({ app, server }) => {
  await settings(app, server);
  await app.getByRole("button", { name: "Add a provider" }).click();
  const dialog = app.getByRole("dialog", { name: "Add a provider" });
  await dialog.getByRole("button", { name: "Add a provider" }).click();
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await expect(dialog.getByText("Use only letters, digits, “-” and “.”.")).toBeVisible();
  await dialog.getByLabel("Name").fill("house");
  await dialog.getByLabel("Address").fill("localhost:11434");
  await dialog.getByRole("button", { name: "Add a provider" }).click();
  await expect(dialog.getByLabel("Address")).toBeFocused();
  await expect(dialog.getByText("Enter an address that begins with http:// or https://.")).toBeVisible();
  expect((await stored(server)).providers).toEqual([]);
});

test("a provider is added and removed, and its key is never shown", async ({ app, server }) => {
  await settings(app, server);
  await addProvider(app, "sk-not-a-real-key-9xQz");
  const row = models(app).getByRole("listitem").filter({ hasText: HOUSE.address });
  await expect(row).toContainText("Your own server");
  await expect(row).toContainText("Key kept on this machine, ending in 9xQz");
  expect(await app.content()).not.toContain("not-a-real-key");
  expect((await stored(server)).providers).toMatchObject([{ name: HOUSE.name, baseUrl: HOUSE.address, isOwn: true, keyLastFour: "9xQz" }]);

  await app.getByRole("button", { name: `More actions for ${HOUSE.name}` }).click();
  await app.getByRole("menuitem", { name: "Remove…" }).click();
  await app.getByRole("dialog", { name: `Remove ${HOUSE.name}` }).getByRole("button", { name: "Remove provider" }).click();
  await expect(row).toHaveCount(0);
  expect((await stored(server)).providers).toEqual([]);
});

test("a server that does not answer is said so, and a model can be named by hand", async ({ app, server }) => {
  await settings(app, server);
  await addProvider(app);
  await app.getByRole("button", { name: `Show its models (${HOUSE.name})` }).click();
  const dialog = app.getByRole("dialog", { name: `Models of ${HOUSE.name}` });
  await expect(dialog.getByRole("alert")).toContainText("model-unavailable");
  await expect(dialog.getByRole("alert")).toContainText("127.0.0.1:9");
  await expect(dialog.getByRole("button", { name: "Use it…" })).toBeDisabled();

  await expect(dialog).toContainText("They cost nothing on your own server.");
  await dialog.getByLabel("Model", { exact: true }).fill("qwen3:8b");
  await dialog.getByRole("button", { name: "Use it…" }).click();
  const question = app.getByRole("dialog", { name: "Use qwen3:8b (house)?" });
  await expect(question).toContainText("No agent uses the model of the workspace yet.");
  await expect(question).toContainText(`Sent to your own server at ${HOUSE.address}:`);
  await expect(question).toContainText("What it costs Nothing.");
  await question.getByRole("button", { name: "Keep Built-in rules" }).click();
  expect((await stored(server)).model).toBe("builtin");
});

test("an agent can be given the built-in model, and that of the workspace again", async ({ sample, server }) => {
  const task = await taskId(server, PASSPORTS);
  const { agent } = (await server.ask("GET", `/api/journal/tasks/${task}`)) as { agent: string };
  const { displayName } = (await server.ask("GET", `/api/agents/${agent}`)) as { displayName: string };
  await sample.goto(`${server.address}/agents/${agent}`);
  const picker = sample.getByRole("button", { name: `Model of ${displayName}: Built-in rules` });
  await picker.click();
  await expect(sample.getByRole("menuitem")).toHaveText([/The workspace’s model: Built-in rules/, /Built-in rules: Runs on this machine/]);
  await sample.getByRole("menuitem", { name: /^Built-in rules/ }).click();
  const changed = sample.getByText(`From the next wake on, ${displayName} uses Built-in rules.`);
  await expect(changed).toBeVisible();
  const staying = async (): Promise<number> => ((await server.ask("GET", "/api/models/question?model=builtin")) as { agentsThatStay: number }).agentsThatStay;
  await expect.poll(staying).toBe(1);
  await picker.click();
  await sample.getByRole("menuitem", { name: /^The workspace’s model/ }).click();
  await expect.poll(staying).toBe(0);
});

test("another template or version of one leads to a model of a provider only after the question", async ({ sample: page, server }) => {
  await server.ask("PUT", "/api/models/providers/away", { format: "chatCompletions", baseUrl: "https://away.example/v1", isOwn: false });
  const make = { kind: "taskAgent", generalDirective: "", reportDirective: "" };
  const { template } = (await server.ask("POST", "/api/templates", { ...make, name: "Afar", modelId: "away/big" })) as { template: { id: string } };
  const { agent } = (await server.ask("GET", `/api/journal/tasks/${await taskId(server, PASSPORTS)}`)) as { agent: string };
  const ofAgent = async (): Promise<{ displayName: string; templateId: string | null }> => (await server.ask("GET", `/api/agents/${agent}`)) as { displayName: string; templateId: string | null };
  const { displayName } = await ofAgent();
  await page.goto(`${server.address}/agents/${agent}`);
  const pick = async (): Promise<void> => {
    await page.getByRole("button", { name: /^Template of / }).click();
    await page.getByRole("menuitem", { name: "Afar" }).click();
  };
  const question = page.getByRole("dialog", { name: `Use big (away) for ${displayName}?` });
  await pick();
  await expect(question).toContainText("Sent to https://away.example/v1");
  await question.getByRole("button", { name: "Keep Built-in rules" }).click();
  await expect(question).toBeHidden();
  expect((await ofAgent()).templateId).toBeNull();
  await pick();
  await question.getByRole("button", { name: `Use big (away) for ${displayName}` }).click();
  await expect.poll(async () => (await ofAgent()).templateId).toBe(template.id);

  await server.ask("PATCH", `/api/templates/${template.id}`, { modelId: null });
  await page.goto(`${server.address}/templates/${template.id}/versions`);
  await page.getByRole("button", { name: "Activate version 1" }).click();
  const again = page.getByRole("dialog", { name: "Use big (away) for agents that follow Afar?" });
  await expect(again).toContainText("1 agent");
  await again.getByRole("button", { name: /^Use big/ }).click();
  await expect(page.getByText("Version 1 is active.")).toBeVisible();
});

test("a provider in use gets another address, or is no longer one's own, only after the question", async ({ sample: page, server }) => {
  const { agent } = (await server.ask("GET", `/api/journal/tasks/${await taskId(server, PASSPORTS)}`)) as { agent: string };
  await server.ask("PUT", `/api/models/providers/${HOUSE.name}`, { format: "chatCompletions", baseUrl: HOUSE.address, isOwn: true });
  await settings(page, server);
  const edit = async (change: (dialog: Locator) => Promise<void>): Promise<void> => {
    await page.getByRole("button", { name: `More actions for ${HOUSE.name}` }).click();
    await page.getByRole("menuitem", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Edit ${HOUSE.name}` });
    await change(dialog);
    await dialog.getByRole("button", { name: "Save" }).click();
  };
  const elsewhere = "http://127.0.0.1:10/v1";
  // Nobody uses it yet.
  await edit((dialog) => dialog.getByLabel("Address").fill(elsewhere));
  await expect(page.getByText(`${HOUSE.name} was changed.`)).toBeVisible();
  await server.ask("PATCH", `/api/agents/${agent}`, { model: `${HOUSE.name}/small` });

  const question = page.getByRole("dialog", { name: `${HOUSE.name} is in use` });
  await edit((dialog) => dialog.getByLabel("Address").fill(HOUSE.address));
  await expect(question).toContainText(`From now on sent to ${HOUSE.address} instead of ${elsewhere}:`);
  await expect(question).toContainText("1 agent uses small (house).");
  await expect(question).toContainText("its checklists and notes");
  await question.getByRole("button", { name: "Keep it as it is" }).click();
  await expect(question).toBeHidden();
  expect((await stored(server)).providers).toMatchObject([{ baseUrl: elsewhere, isOwn: true }]);

  await edit((dialog) => dialog.getByRole("switch").click());
  await expect(question).toContainText("It is no longer your own server: its calls cost money");
  await question.getByRole("button", { name: `Change ${HOUSE.name}` }).click();
  await expect(question).toBeHidden();
  expect((await stored(server)).providers).toMatchObject([{ baseUrl: elsewhere, isOwn: false }]);

  await edit((dialog) => dialog.getByRole("switch").click());
  await expect(question).toContainText("As your own server it is also sent private tasks and notes.");
  await page.keyboard.press("Escape");
  expect((await stored(server)).providers).toMatchObject([{ baseUrl: elsewhere, isOwn: false }]);
});

test("a budget that is used up is shown, and lifted for today", async ({ sample, server }) => {
  const task = await taskId(server, PASSPORTS);
  const { agent } = (await server.ask("GET", `/api/journal/tasks/${task}`)) as { agent: string };
  const { displayName } = (await server.ask("GET", `/api/agents/${agent}`)) as { displayName: string };
  const model = new SlowModel();
  await model.start();
  await server.ask("PUT", "/api/models/providers/far", { format: "chatCompletions", baseUrl: model.address, isOwn: false });
  await server.ask("PUT", "/api/models/price", { model: "far/big", price: { input: 1_000_000, cachedInput: 1_000_000, cacheWrite: 1_000_000, output: 1_000_000 } });
  // It is tested, so that the wake has no other call to make than the one that the budget has no room for.
  await server.ask("POST", "/api/models/test", { model: "far/big" });
  await server.ask("PUT", "/api/models/budgets", { ...(await stored(server)).budgets, agentDay: 1 });
  await server.ask("PATCH", `/api/agents/${agent}`, { model: "far/big" });
  await sample.goto(`${server.address}/agents/${agent}`);
  await server.ask("POST", `/api/agents/${agent}/wake`, {});
  await expect(sample.getByText("Today’s budget of this agent has no room for its next call. It wakes again after midnight.")).toBeVisible();

  await sample.goto(`${server.address}/`);
  const entry = sample.getByRole("listitem").filter({ hasText: `${displayName} has no room for the next call in today’s budget` });
  await expect(entry).toContainText("the call may cost");
  await entry.getByRole("button", { name: /^Once more today/ }).click();
  await expect(sample.getByText("For today, less than $0.0001 may be spent.")).toBeVisible();
  expect(model.asked).toBe(0);
  model.stop();
});

test("a price that is set is shown, and the price table can be used again", async ({ app, server }) => {
  await server.ask("PUT", "/api/models/providers/far", { format: "chatCompletions", baseUrl: HOUSE.address, isOwn: false });
  await server.ask("PUT", "/api/models/price", { model: "far/big", price: { input: 1, cachedInput: 1, cacheWrite: 1, output: 1 } });
  await settings(app, server);
  const row = models(app).getByRole("listitem").filter({ hasText: "big (far)" });
  await expect(row).toContainText("Set by you on");
  await row.getByRole("button", { name: /^Set price/ }).click();
  const dialog = app.getByRole("dialog", { name: "Set the price of big (far)" });
  await dialog.getByLabel("Input", { exact: true }).fill("3");
  await dialog.getByLabel("Output").fill("fifteen");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Enter dollars");
  await dialog.getByLabel("Output").fill("15");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("$3.00 in, $15.00 out per million tokens");
  await row.getByRole("button", { name: /^Set price/ }).click();
  await dialog.getByRole("button", { name: "Use the price table" }).click();
  await expect(row).toContainText("no known price");
});

test("servers on this machine are looked for only when asked", async ({ app, server }) => {
  await settings(app, server);
  await app.getByRole("button", { name: "Look for servers here" }).click();
  await expect(app.getByText(/No model server answers at its usual address|, with \d+ model/)).toBeVisible({ timeout: 20_000 });
});

test("a provider that may not be sent the category of a task gets nothing of it, and the wake says why", async ({ sample, server }) => {
  const task = await taskId(server, PASSPORTS);
  const { agent } = (await server.ask("GET", `/api/journal/tasks/${task}`)) as { agent: string };
  const { displayName } = (await server.ask("GET", `/api/agents/${agent}`)) as { displayName: string };
  await server.ask("PUT", "/api/models/providers/far", { format: "chatCompletions", baseUrl: HOUSE.address, isOwn: false });
  await server.ask("PATCH", `/api/agents/${agent}`, { model: "far/big" });
  await settings(sample, server);
  const row = models(sample).getByRole("listitem").filter({ hasText: HOUSE.address });
  await expect(row).toContainText("May be sent tasks of all categories");

  await sample.getByRole("button", { name: "More actions for far" }).click();
  await sample.getByRole("menuitem", { name: "Categories…" }).click();
  const dialog = sample.getByRole("dialog", { name: "What far may be sent" });
  await dialog.getByRole("radio", { name: "Only tasks of these categories" }).check();
  await dialog.getByRole("checkbox", { name: "Without a category" }).uncheck();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toContainText("May be sent no tasks");
  await expect(row).toContainText("Not sent: the task of 1 agent, because of its category.");

  await sample.goto(`${server.address}/agents/${agent}`);
  await sample.getByRole("button", { name: "See a whole request" }).click();
  await expect(sample.getByRole("dialog", { name: `What ${displayName} would send now` })).toContainText("tasks of this category may not be sent to the provider of big (far)");
  await sample.keyboard.press("Escape");
  await server.ask("POST", `/api/agents/${agent}/wake`, {});
  await expect(sample.getByText("tasks of this category may not be sent to far: nothing was sent").first()).toBeVisible();

  await sample.goto(`${server.address}/settings#audit`);
  await sample.getByRole("button", { name: "Show the audit log" }).click();
  const log = sample.getByRole("list", { name: "Audit log" });
  await expect(log.getByRole("listitem").filter({ hasText: "policyDenied" }).first()).toContainText("Nothing was sent to far/big, because of the category of the task.");
});

test("the page shows a whole request of a language model, and sends none", async ({ sample, server }) => {
  const task = await taskId(server, PASSPORTS);
  const { agent, title } = (await server.ask("GET", `/api/journal/tasks/${task}`)) as { agent: string; title: string };
  const { displayName } = (await server.ask("GET", `/api/agents/${agent}`)) as { displayName: string };
  await server.ask("PUT", "/api/models/providers/far", { format: "chatCompletions", baseUrl: HOUSE.address, isOwn: false });
  await server.ask("PATCH", `/api/agents/${agent}`, { model: "far/big" });
  const { request } = (await server.ask("POST", `/api/agents/${agent}/wake/preview`, {})) as { request: { body: string } };
  await sample.goto(`${server.address}/agents/${agent}`);
  await sample.getByRole("button", { name: "See a whole request" }).click();
  const dialog = sample.getByRole("dialog", { name: `What ${displayName} would send now` });
  await expect(dialog).toContainText(`${HOUSE.address}/chat/completions`);
  const body = await dialog.getByLabel("The body of the request").textContent();
  expect(body).toBe(request.body);
  expect(body).toContain(title);
});

test("a whole request to a model is shown before it is chosen", async ({ sample, server }) => {
  const task = await taskId(server, PASSPORTS);
  const { agent, title } = (await server.ask("GET", `/api/journal/tasks/${task}`)) as { agent: string; title: string };
  const { displayName } = (await server.ask("GET", `/api/agents/${agent}`)) as { displayName: string };
  await server.ask("PUT", "/api/models/providers/far", { format: "chatCompletions", baseUrl: HOUSE.address, isOwn: false });
  // Known, and used by nobody.
  await server.ask("PUT", "/api/models/window", { model: "far/big", window: null });
  const asked = { model: "far/big" };
  const { request } = (await server.ask("POST", `/api/agents/${agent}/wake/preview`, asked)) as { request: { body: string } };
  await settings(sample, server);
  await models(sample).getByRole("button", { name: "Use it… (big (far))" }).click();
  const question = sample.getByRole("dialog", { name: /^Use big \(far\) for \d+ agents\?/ });
  await question.getByRole("button", { name: "See a whole request" }).click();
  await question.getByLabel("A request of").selectOption({ label: `${displayName}: ${title}` });
  await expect(question.getByLabel("The body of the request")).toHaveText(request.body);
  await question.getByRole("button", { name: /^Keep/ }).click();

  // On the page of the agent, with the model that it uses as the first choice.
  await sample.goto(`${server.address}/agents/${agent}`);
  await sample.getByRole("button", { name: "See a whole request" }).click();
  const dialog = sample.getByRole("dialog", { name: `What ${displayName} would send now` });
  await expect(dialog).toContainText("Nothing leaves this program");
  await dialog.getByLabel("Model").selectOption({ label: "big (far)" });
  await expect(dialog.getByLabel("The body of the request")).toHaveText(request.body);
  const { model } = (await server.ask("GET", `/api/agents/${agent}`)) as { model: string };
  expect(model).toBe("builtin");
});

test("another model is asked about before it summarises, and a window is set", async ({ app, server }) => {
  await server.ask("PUT", "/api/models/providers/far", { format: "chatCompletions", baseUrl: HOUSE.address, isOwn: false });
  await server.ask("PUT", "/api/models/window", { model: "far/big", window: null });
  await settings(app, server);
  const select = models(app).getByLabel("Older notes are summarised by");
  await select.selectOption({ label: "big (far)" });
  const question = app.getByRole("dialog", { name: /^Let big \(far\) summarise for 0 agents\?/ });
  await expect(question).toContainText("Never sent");
  await expect(question).toContainText("tasks and notes that are private");
  await question.getByRole("button", { name: /^Keep/ }).click();
  await expect(select).toHaveValue("");
  await select.selectOption({ label: "big (far)" });
  await question.getByRole("button", { name: /^Use big/ }).click();
  await expect(select).toHaveValue("far/big");
  await select.selectOption({ label: "The model that thinks" });
  await expect(select).toHaveValue("");

  const row = models(app).getByRole("listitem").filter({ hasText: "big (far)" });
  await row.getByRole("button", { name: /^Set window/ }).click();
  const dialog = app.getByRole("dialog", { name: "Set the window of big (far)" });
  await dialog.getByLabel("Window").fill("many");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Enter tokens");
  await dialog.getByLabel("Window").fill("128k");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("128k tokens at once");
});
