// Counts lead to what they count, schedules are visible, and newer values are not overwritten without
// asking.

import type { Page } from "@playwright/test";

import { changes, openItems, openTask, PASSPORTS, property, read } from "./steps";
import { expect, test } from "./world";

const ESTIMATE = "Estimate: 2 h";

const toHome = (page: Page): Promise<void> => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Home/ }).first().click();

test("what was saved for later is listed where it is counted, and can be decided there", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const list = changes(sample);
  await list.getByRole("button", { name: `Later: ${ESTIMATE}` }).click();
  await expect(list.getByRole("heading", { name: /suggests 1 change$/ })).toBeVisible();
  const show = list.getByRole("button", { name: "Show 1 saved for later" });
  await show.click();
  const confirm = list.getByRole("button", { name: `Confirm: ${ESTIMATE}` });
  await expect(confirm).toBeVisible();

  // The list, Home and its badge agree.
  await sample.getByRole("link", { name: "Tasks", exact: true }).first().click();
  await expect(sample.getByRole("link", { name: `${(await read(server, id)).openProposals} to review: ${PASSPORTS}` })).toBeVisible();
  await toHome(sample);
  await expect(sample.getByRole("heading", { level: 1, name: "5 things need you" })).toBeVisible();
  await expect(sample.getByRole("navigation", { name: "Main" }).getByLabel("5 need you").first()).toBeVisible();

  await openTask(sample, server, PASSPORTS);
  await list.getByRole("button", { name: /^Later: Due date/ }).click();
  await expect(list.getByRole("heading", { name: "2 changes saved for later" })).toBeVisible();
  await list.getByRole("button", { name: "Show 2 saved for later" }).click();
  await confirm.click();
  await expect(property(sample, ESTIMATE)).toBeVisible();
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBe(120);
  // Rejected from there, with a reason.
  await list.getByRole("button", { name: /^Reject: Due date/ }).click();
  await sample.keyboard.type("not yet");
  await sample.keyboard.press("Enter");
  await expect.poll(async () => (await openItems(server, id)).length).toBe(0);
  expect((await read(server, id)).dueOn).toBeNull();
});

test("the result of a review leaves out zeros", async ({ sample, server }) => {
  await openTask(sample, server, PASSPORTS);
  await sample.getByRole("link", { name: "Review details" }).click();
  const dialog = sample.getByRole("dialog");
  await dialog.getByRole("radiogroup", { name: ESTIMATE }).getByRole("radio", { name: "Confirm" }).check();
  await expect(dialog.getByText("1 to confirm", { exact: true })).toBeVisible();
  await dialog.getByRole("button", { name: "Save the rest for later" }).click();
  await expect(dialog).toBeHidden();
  const shown = sample.getByRole("status").filter({ hasText: "1 confirmed, 1 saved for later" });
  await expect(shown).toBeVisible();
  await expect(shown).not.toContainText("0");
});

test("a scheduled wake is shown on the task and on the agent, with its time and reason", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
  // A day later is tomorrow in every time zone, whatever the clock shows here.
  const at = new Date(Date.now() + 24 * 60 * 60 * 1000);
  await server.ask("POST", `/api/agents/${agent}/wake`, { at: at.toISOString() });
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "Europe/Bucharest" }).format(at);
  const words = `Wakes tomorrow ${clock}, as you scheduled`;
  await expect(sample.getByRole("link", { name: words })).toBeVisible();
  await sample.getByRole("link", { name: words }).click();
  await expect(sample.getByText(words)).toBeVisible();
  const facts = sample.getByRole("complementary", { name: "Status" });
  await expect(facts.getByText("as you scheduled")).toBeVisible();
  await facts.getByRole("button", { name: "Unschedule" }).click();
  await expect(sample.getByText(words)).toBeHidden();
  expect((await server.ask("GET", `/api/agents/${agent}`)).scheduledWakes).toEqual([]);
});

test("a value the person has set since is shown, and replaced only on request", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const sent: unknown[] = [];
  // As the server answers about a suggestion without evidence: it stays open.
  await sample.route("**/api/change-sets/*/items/*/confirm", async (route) => {
    const { current, digest } = route.request().postDataJSON() as { digest: string; current?: unknown };
    sent.push(current);
    if (current !== undefined) return route.continue({ postData: JSON.stringify({ digest }) });
    const problem = {
      type: "/problems/value-changed",
      title: "The value was set since",
      status: 409,
      now: "45 min",
      current: { type: "minutes", minutes: 45 },
    };
    await route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(problem) });
  });
  const list = changes(sample);
  await list.getByRole("button", { name: `Confirm: ${ESTIMATE}` }).click();
  await expect(list.getByRole("alert")).toHaveText("You changed this to 45 min after it was suggested. Replace it?");
  await list.getByRole("button", { name: `Replace: ${ESTIMATE}` }).click();
  await expect(property(sample, ESTIMATE)).toBeVisible();
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBe(120);
  expect(sent).toEqual([undefined, { type: "minutes", minutes: 45 }]);
});

test("a suggestion overtaken between the look and the click is reported as such", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await sample.route("**/api/change-sets/*/items/*/confirm", async (route) => {
    await server.ask("PATCH", `/api/journal/tasks/${id}`, { estimateMinutes: 45 });
    await route.continue();
  });
  const list = changes(sample);
  await list.getByRole("button", { name: `Confirm: ${ESTIMATE}` }).click();
  await expect(list.getByRole("alert")).toContainText("You changed this to 45 min after it was suggested.");
  await expect(list.getByRole("button", { name: `Confirm: ${ESTIMATE}` })).toHaveCount(0);
  await expect(property(sample, "Estimate: 45 min")).toBeVisible();
  expect((await read(server, id)).estimateMinutes).toBe(45);
});
