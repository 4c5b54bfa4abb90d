// Suggested changes are decided: one by one, in bulk, in the review, from two tabs.

import type { Page } from "@playwright/test";

import { BIRTHDAY, changes, openItems, openTask, PASSPORTS, property, read } from "./steps";
import { expect, type Server, test } from "./world";

/** The resolutions of a task's changes, by tool. */
async function endings(server: Server, task: string): Promise<Record<string, string>> {
  const sets = (await server.ask("GET", `/api/change-sets?task=${task}&all=true`)) as { items: { id: string }[] };
  const all: Record<string, string> = {};
  for (const { id } of sets.items) {
    const set = (await server.ask("GET", `/api/change-sets/${id}`)) as { items: { humanSummary: string; status: string }[] };
    for (const item of set.items) all[item.humanSummary] = item.status;
  }
  return all;
}

const ESTIMATE = "Estimate: 2 h";

async function review(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Review details" }).click();
  await expect(page.getByRole("dialog", { name: /suggests/ })).toBeVisible();
}

test("a change is confirmed, and undone", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const list = changes(sample);
  await expect(list.getByRole("heading", { name: /suggests 2 changes/ })).toBeVisible();
  await expect(property(sample, "Estimate: None")).toBeVisible();

  await list.getByRole("button", { name: `Confirm: ${ESTIMATE}` }).click();
  await expect(list.getByRole("button", { name: `Confirm: ${ESTIMATE}` })).toBeHidden();
  await expect(property(sample, ESTIMATE)).toBeVisible();
  await expect(list.getByRole("heading", { name: /suggests 1 change$/ })).toBeVisible();
  expect((await read(server, id)).estimateMinutes).toBe(120);
  // The focus is on the same button of the next row.
  await expect(list.getByRole("button", { name: /^Confirm: Due date/ })).toBeFocused();

  await sample.getByRole("status").filter({ hasText: `Confirmed: ${ESTIMATE}` }).getByRole("button", { name: "Undo" }).click();
  await expect(property(sample, "Estimate: None")).toBeVisible();
  await expect(list.getByRole("button", { name: `Confirm: ${ESTIMATE}` })).toBeVisible();
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBeNull();
});

test("the answer of a verdict is the list and the task: neither it nor its events load them again", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const list = changes(sample);
  await expect(list.getByRole("heading", { name: /suggests 2 changes/ })).toBeVisible();
  let [loads, ofTask] = [0, 0];
  sample.on("request", (request) => {
    if (request.method() === "GET" && request.url().endsWith(`/tasks/${id}/changes`)) loads += 1;
    if (request.method() === "GET" && request.url().endsWith(`/tasks/${id}`)) ofTask += 1;
  });
  await list.getByRole("button", { name: `Confirm: ${ESTIMATE}` }).click();
  await expect(property(sample, ESTIMATE)).toBeVisible();
  await sample.getByRole("status").filter({ hasText: `Confirmed: ${ESTIMATE}` }).getByRole("button", { name: "Undo" }).click();
  await expect(list.getByRole("heading", { name: /suggests 2 changes/ })).toBeVisible();
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBeNull();
  await list.getByRole("button", { name: `Later: ${ESTIMATE}` }).click();
  await expect(list.getByRole("heading", { name: /suggests 1 change$/ })).toBeVisible();
  await expect.poll(async () => (await openItems(server, id)).map((item) => item.status).sort()).toEqual(["deferred", "pending"]);
  expect([loads, ofTask]).toEqual([0, 0]);
  // Somebody else's change does. Events come in order, so those of the verdicts are past.
  await server.ask("PATCH", `/api/journal/tasks/${id}`, { priority: "P1" });
  await expect.poll(() => loads).toBe(1);
});

test("a change is rejected with a reason that the agent will read", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const list = changes(sample);
  await list.getByRole("button", { name: `Reject: ${ESTIMATE}` }).click();
  const why = list.getByRole("textbox", { name: `Why not “${ESTIMATE}”?` });
  await expect(why).toBeFocused();
  await why.fill("The queue alone takes longer.");
  await list.getByRole("button", { name: "Save" }).click();
  await expect(sample.getByText(/will read your reason/)).toBeVisible();

  const { agent } = (await server.ask("GET", `/api/journal/tasks/${id}`)) as { agent: string };
  await expect
    .poll(async () => JSON.stringify(await server.ask("GET", `/api/agents/${agent}/decisions`)))
    .toContain("The queue alone takes longer.");
  expect(Object.values(await endings(server, id)).sort()).toEqual(["pending", "rejected"]);
  expect((await read(server, id)).estimateMinutes).toBeNull();
});

test("a change saved for later stays in the review and can still be confirmed", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const list = changes(sample);
  await list.getByRole("button", { name: `Reject: ${ESTIMATE}` }).focus();
  await sample.keyboard.press("v");
  await expect(list.getByRole("button", { name: "Show 1 saved for later" })).toBeVisible();
  await expect(list.getByRole("button", { name: `Reject: ${ESTIMATE}` })).toBeHidden();
  await expect.poll(async () => Object.values(await endings(server, id)).sort()).toEqual(["deferred", "pending"]);

  await review(sample);
  const item = sample.getByRole("radiogroup", { name: ESTIMATE });
  await expect(item.getByRole("radio", { name: "Later" })).toBeChecked();
  await item.getByRole("radio", { name: "Confirm" }).check();
  await sample.getByRole("button", { name: "Apply 1 decision" }).click();
  await expect(sample.getByRole("dialog")).toBeHidden();
  await expect(property(sample, ESTIMATE)).toBeVisible();
});

test("“Confirm all” confirms the rows it names, and no others", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const rows = changes(sample);
  const all = rows.getByRole("button", { name: "Confirm all 2" });
  await expect(all).toBeVisible();
  // The text follows the list: what the person sets is no longer suggested.
  await server.ask("PATCH", `/api/journal/tasks/${id}`, { estimateMinutes: 45 });
  await expect(rows.getByRole("heading", { name: /suggests 1 change$/ })).toBeVisible();
  await expect(all).toBeHidden();
  await rows.getByRole("button", { name: /^Confirm: Due date/ }).click();
  await expect.poll(async () => (await read(server, id)).dueOn).not.toBeNull();
  expect((await read(server, id)).estimateMinutes).toBe(45);

  await openTask(sample, server, BIRTHDAY);
  await rows.getByRole("button", { name: "Confirm all 2" }).click();
  await expect(rows.getByRole("heading", { name: "Nothing left to decide." })).toBeVisible();
  await expect(property(sample, "Estimate: 5 h")).toBeVisible();
});

test("the review starts with nothing selected, keeps selections, and applies them together", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await review(sample);
  await expect(sample).toHaveURL(new RegExp(`/tasks/${id}/changes$`));
  const dialog = sample.getByRole("dialog");
  for (const radio of await dialog.getByRole("radio").all()) await expect(radio).not.toBeChecked();
  await expect(dialog.getByText("Nothing selected yet")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Apply", exact: true })).toBeDisabled();

  const due = dialog.getByRole("radiogroup", { name: /^Due date/ });
  const estimate = dialog.getByRole("radiogroup", { name: ESTIMATE });
  await due.getByRole("radio", { name: "Confirm" }).check();
  await estimate.getByRole("radio", { name: "Reject" }).check();
  await dialog.getByRole("textbox", { name: "Reason for rejecting (optional)" }).fill("Too short");
  await expect(dialog.getByText("1 to confirm, 1 to reject")).toBeVisible();

  // Closing applies nothing and forgets nothing, even across a reload. The first Escape leaves the
  // field.
  await sample.keyboard.press("Escape");
  await expect(dialog).toBeVisible();
  await sample.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(sample).toHaveURL(new RegExp(`/tasks/${id}$`));
  expect(Object.values(await endings(server, id))).toEqual(["pending", "pending"]);
  await sample.reload();
  await review(sample);
  await expect(due.getByRole("radio", { name: "Confirm" })).toBeChecked();
  await expect(estimate.getByRole("radio", { name: "Reject" })).toBeChecked();
  await expect(dialog.getByRole("textbox", { name: "Reason for rejecting (optional)" })).toHaveValue("Too short");

  await dialog.getByRole("button", { name: "Apply 2 decisions" }).click();
  await expect(dialog).toBeHidden();
  await expect(sample.getByRole("status").filter({ hasText: /^1 confirmed, 1 rejected\b/ })).toBeVisible();
  expect(Object.values(await endings(server, id)).sort()).toEqual(["confirmed", "rejected"]);
  const { agent } = (await server.ask("GET", `/api/journal/tasks/${id}`)) as { agent: string };
  expect(JSON.stringify(await server.ask("GET", `/api/agents/${agent}/decisions`))).toContain("Too short");
});

test("“Save all for later” saves what is open for later", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await review(sample);
  await sample.getByRole("button", { name: "Save all for later" }).click();
  await expect(sample.getByRole("dialog")).toBeHidden();
  await expect(sample.getByRole("heading", { name: "2 changes saved for later" })).toBeVisible();
  expect(Object.values(await endings(server, id))).toEqual(["deferred", "deferred"]);
});

test("a decision on something other than what was seen is rejected and reported", async ({ sample, server }) => {
  const id = await taskWithOldDigest(sample, server);
  const list = changes(sample);
  await list.getByRole("button", { name: `Confirm: ${ESTIMATE}` }).click();
  await expect(list.getByRole("alert")).toHaveText("This has changed since you saw it. Please review it again.");
  await expect(list.getByRole("button", { name: `Confirm: ${ESTIMATE}` })).toBeVisible();
  await expect(sample.getByText(`Confirmed: ${ESTIMATE}`)).toBeHidden();
  expect((await read(server, id)).estimateMinutes).toBeNull();

  // Together with another: that one is accepted, this one stays in the review with the reason.
  await review(sample);
  const dialog = sample.getByRole("dialog");
  await dialog.getByRole("button", { name: "Select Confirm for all" }).click();
  await expect(dialog.getByText("2 to confirm")).toBeVisible();
  await dialog.getByRole("button", { name: "Apply 2 decisions" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("This has changed since you saw it. Please review it again.");
  await expect(dialog.getByRole("radiogroup", { name: ESTIMATE })).toBeVisible();
  await expect(sample.getByRole("status").filter({ hasText: "1 of 2 couldn’t be saved" })).toBeVisible();
  expect((await read(server, id)).estimateMinutes).toBeNull();
  expect((await read(server, id)).dueOn).not.toBeNull();
});

/** A page that saw another text under the same number than the server has. */
async function taskWithOldDigest(page: Page, server: Server): Promise<string> {
  await page.route("**/api/journal/tasks/*/changes", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { items: { digest: string; toolName: string }[] };
    for (const item of body.items) if (item.toolName === "update_task_estimate") item.digest = "0".repeat(item.digest.length);
    await route.fulfill({ response, json: body });
  });
  return openTask(page, server, PASSPORTS);
}

test("two tabs decide one item: one wins, both show the same", async ({ sample, context, server }) => {
  const other = await context.newPage();
  const id = await openTask(sample, server, PASSPORTS);
  await openTask(other, server, PASSPORTS);

  // The other tab decides first and is heard last.
  let free = (): void => undefined;
  const gate = new Promise<void>((done) => (free = done));
  await other.route("**/api/change-sets/*/items/*/reject", async (route) => {
    await gate;
    await route.continue();
  });
  await changes(other).getByRole("button", { name: `Reject: ${ESTIMATE}` }).click();
  await expect(other.getByText(`Rejected: ${ESTIMATE}`)).toBeVisible();
  await changes(sample).getByRole("button", { name: `Confirm: ${ESTIMATE}` }).click();
  await expect(property(sample, ESTIMATE)).toBeVisible();
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBe(120);
  free();

  await expect(changes(other).getByText("Your decision wasn’t saved. Confirmed elsewhere")).toBeVisible();
  await expect(other.getByText(`Rejected: ${ESTIMATE}`)).toBeHidden();
  for (const page of [sample, other]) {
    await expect(property(page, ESTIMATE)).toBeVisible();
    await expect(changes(page).getByRole("button", { name: `Confirm: ${ESTIMATE}` })).toBeHidden();
    await expect(changes(page).getByRole("heading", { name: /suggests 1 change$/ })).toBeVisible();
  }
  expect(await openItems(server, id)).toHaveLength(1);
  expect(Object.values(await endings(server, id)).sort()).toEqual(["confirmed", "pending"]);
});

test("a row that is decided elsewhere does not jump away under the pointer", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const list = changes(sample);
  await list.getByRole("button", { name: /^Confirm: Due date/ }).focus();
  const item = (await openItems(server, id)).find((one) => one.humanSummary.includes("estimate"));
  await server.ask("POST", `/api/change-sets/${item?.set}/items/${item?.index}/confirm`, { digest: item?.digest });
  await expect(list.getByText("Confirmed elsewhere")).toBeVisible();
  await expect(list.getByRole("button", { name: `Confirm: ${ESTIMATE}` })).toHaveCount(0);
  await expect(list.getByRole("button", { name: /^Confirm: Due date/ })).toBeFocused();
});
