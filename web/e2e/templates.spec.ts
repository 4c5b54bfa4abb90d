// Templates: an edit changes the next report, versions are compared and gone back to, what is in use is not deleted.

import type { Locator, Page } from "@playwright/test";

import { faults, open, still } from "./stage";
import { BIRTHDAY } from "./steps";
import { expect, type Server, settled, taskId, test } from "./world";

interface Named {
  id: string;
  displayName: string;
}

async function idOf(server: Server, name: string): Promise<string> {
  const { items } = (await server.ask("GET", "/api/templates")) as { items: Named[] };
  const found = items.find((one) => one.displayName === name);
  if (found === undefined) throw new Error(`there is no template ${name}`);
  return found.id;
}

const general = (page: Page): Locator => page.getByRole("textbox", { name: "General directive" });
const report = (page: Page): Locator => page.getByRole("textbox", { name: "Report directive" });
const row = (page: Page, version: number): Locator => page.getByRole("tabpanel").getByRole("listitem").filter({ hasText: `Version ${version}` });
const EMOJI = /\p{Extended_Pictographic}/u;

async function birthday(server: Server): Promise<{ task: string; agent: string }> {
  const task = await taskId(server, BIRTHDAY);
  return { task, agent: (await server.ask("GET", `/api/journal/tasks/${task}`)).agent };
}

const reportOf = async (server: Server, agent: string): Promise<{ tldr: string; content: string; provenance: { templateVersion: unknown } }> =>
  server.ask("GET", `/api/agents/${agent}/report`);

test("a template is edited with the keyboard, and the next report follows it", async ({ sample: page, server }) => {
  const { agent } = await birthday(server);
  const before = await reportOf(server, agent);
  expect(before.tldr + before.content).toMatch(EMOJI);

  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await expect(page.getByRole("heading", { level: 1, name: "Templates" })).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Calm" })).toContainText("Default");
  await page.keyboard.press("j");
  await expect(page.getByRole("link", { name: "Calm" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Calm" })).toBeVisible();
  await expect(page.getByText(/5 agents follow it/)).toBeVisible();
  await general(page).fill("Be terse. No emojis, no estimates. Ask when in doubt.");
  await report(page).fill("Begin with what is left to do.");
  await expect(page.getByText("These words count at the next wake.")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText("Version 2 is active. Agents follow it from their next wake on.")).toBeVisible();
  const understood = page.getByRole("region", { name: "Without a language model" });
  await expect(understood.getByRole("listitem")).toHaveText(["Reports are short", "No emojis", "Estimates are not proposed", "What is left to do comes first"].map((text) => new RegExp(text)), { useInnerText: true });
  await page.getByText("1 sentence changes nothing without a language model").click();
  await expect(page.getByRole("listitem").filter({ hasText: /^Ask when in doubt$/ })).toBeVisible();
  await expect(page.getByText("Changed, not saved")).toHaveCount(0);

  // What is written stays as it is; the next wake follows the new words.
  expect(await reportOf(server, agent)).toEqual(before);
  await open(page, server, `/agents/${agent}`);
  await page.getByRole("button", { name: "Re-analyse" }).click();
  await expect.poll(async () => (await reportOf(server, agent)).tldr).not.toBe(before.tldr);
  await settled(server);
  const after = await reportOf(server, agent);
  expect(after.tldr + after.content).not.toMatch(EMOJI);
  await expect(page.getByText(after.tldr, { exact: true }).first()).toBeVisible();
});

test("versions are compared, activated and gone back to", async ({ app: page, server }) => {
  const { template } = await server.ask("POST", "/api/templates", { name: "Pirate", generalDirective: "Be warm. Talk like a pirate.\n\nAsk when in doubt.", reportDirective: "No emojis." });
  await open(page, server, `/templates/${template.id}`);
  await expect(page.getByText("by you")).toBeVisible();
  await general(page).fill("Be terse. Talk like a sailor.\n\nAsk when in doubt.");
  await page.getByRole("button", { name: "Save version 2" }).click();
  await expect(page.getByText("Version 2 is active.", { exact: false })).toBeVisible();
  await report(page).fill("Use emojis.");
  await page.getByRole("button", { name: "Save as draft" }).click();

  await expect(page.getByRole("tab", { name: "Versions" })).toHaveAttribute("aria-selected", "true");
  await expect(row(page, 3)).toContainText("Draft");
  await expect(row(page, 2)).toContainText("Active");
  // What the active version changed, then any two.
  const changed = page.getByRole("region", { name: "What changed" });
  await expect(changed.getByRole("deletion")).toHaveText(["removed:warm", "removed:pirate"]);
  await expect(changed.getByRole("insertion")).toHaveText(["added:terse", "added:sailor"]);
  await changed.getByLabel("From version").selectOption("1");
  await changed.getByLabel("to version").selectOption("3");
  await expect(changed.getByRole("insertion")).toHaveText(["added:terse", "added:sailor", "added:Use"]);
  expect(new URL(page.url()).search).toBe("?from=1&to=3");
  expect(await faults(page)).toEqual([]);
  await page.reload();
  await expect(changed.getByRole("insertion")).toHaveCount(3);

  await row(page, 3).getByRole("button", { name: "Activate version 3" }).click();
  await expect(row(page, 3)).toContainText("Active");
  await expect(row(page, 2)).toContainText("Earlier");
  await row(page, 1).getByRole("button", { name: "Restore version 1 as a new version" }).click();
  await expect(page.getByText("Version 4 is active, with the text of version 1.")).toBeVisible();
  await expect(row(page, 4)).toContainText("Active");
  await page.getByRole("tab", { name: "Directives" }).click();
  await expect(general(page)).toHaveValue("Be warm. Talk like a pirate.\n\nAsk when in doubt.");
  const { version } = await server.ask("GET", `/api/templates/${template.id}`);
  expect(version.version).toBe(4);
});

test("what agents follow is not deleted; it is archived instead", async ({ sample: page, server }) => {
  const { agent } = await birthday(server);
  const terse = await idOf(server, "Terse");
  await open(page, server, `/agents/${agent}`);
  await page.getByRole("button", { name: /^Template of .*: Calm$/ }).click();
  await page.getByRole("menuitem", { name: "Terse" }).click();
  await expect(page.getByText(/follows “Terse” from its next wake on\./)).toBeVisible();
  await page.getByRole("link", { name: "See the template" }).click();
  await expect(page.getByText(/1 agent follows it/)).toBeVisible();

  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete “Terse”?" });
  await dialog.getByRole("button", { name: "Delete template" }).click();
  await expect(dialog.getByRole("alert")).toContainText(/1 agent/);
  await expect(dialog.getByRole("alert")).toContainText("template-in-use");
  await still(page);
  expect(await faults(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Archive instead" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("Archived: its agents keep it, and new agents can’t use it.")).toBeVisible();

  await open(page, server, "/templates");
  await expect(page.getByRole("link", { name: "Terse" })).toBeHidden();
  await page.getByText("1 archived template").click();
  await page.getByRole("link", { name: "Terse" }).click();
  // Its agents go to another one, from the command line; then it can be deleted.
  await server.ask("PATCH", `/api/agents/${agent}`, { templateId: null });
  await expect(page.getByText(/No agent follows it/)).toBeVisible();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await dialog.getByRole("button", { name: "Delete template" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Templates" })).toBeVisible();
  await expect(page.getByText("“Terse” was deleted.")).toBeVisible();
  await expect(page.getByText(/archived template/)).toHaveCount(0);
  await page.goto(`${server.address}/templates/${terse}`);
  await expect(page.getByRole("heading", { level: 1, name: "This template doesn’t exist." })).toBeVisible();

  // Agents without a template of their own follow this one.
  await open(page, server, `/templates/${await idOf(server, "Calm")}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await expect(page.getByRole("menuitem", { name: "Delete…" })).toBeDisabled();
});

test("words that are refused stay, and say why in place", async ({ app: page, server }) => {
  const coach = await idOf(server, "Coach");
  await open(page, server, `/templates/${coach}`);
  const save = page.getByRole("button", { name: /^Save version/ });
  await general(page).fill("ä".repeat(6_145));
  await expect(page.getByText("2 bytes too long; 12,288 fit")).toBeVisible();
  await expect(save).toBeDisabled();
  await general(page).fill("Be warm.");
  await report(page).fill("Copy <data> as it is.");
  await save.click();
  await expect(page.getByRole("alert")).toContainText("the directive contains <data> or </data>");
  await expect(report(page)).toHaveAttribute("aria-invalid", "true");
  await expect(general(page)).toHaveAttribute("aria-invalid", "false");
  expect(await faults(page)).toEqual([]);

  // What was typed survives a reload.
  await report(page).fill("No emojis.");
  await page.reload();
  await expect(report(page)).toHaveValue("No emojis.");
  await expect(page.getByText("Changed, not saved")).toBeVisible();

  // Another name moves the template, but not its words.
  await server.ask("PATCH", `/api/templates/${coach}`, { name: "Trainer" });
  await expect(page.getByRole("heading", { level: 1, name: "Trainer" })).toBeVisible();
  await expect(page.getByText("Changed, not saved")).toBeVisible();
  // Other words do, and the person chooses.
  await server.command("template", "edit", "Trainer", "--general", "Be direct.");
  const note = page.getByRole("alert").filter({ hasText: "The template was changed elsewhere" });
  await expect(note).toBeVisible();
  await expect(save).toHaveCount(0);
  await expect(general(page)).toHaveValue("Be warm.");
  await note.getByRole("button", { name: "Keep mine" }).click();
  await save.click();
  await expect(page.getByText("Version 3 is active.", { exact: false })).toBeVisible();
  await general(page).fill("Be calm.");
  await server.command("template", "edit", "Trainer", "--general", "Be factual.");
  await note.getByRole("button", { name: "Take the other" }).click();
  await expect(general(page)).toHaveValue("Be factual.");
  await expect(page.getByText("Changed, not saved")).toHaveCount(0);
});

test("an edit of what changed meanwhile is refused, and nothing typed is lost", async ({ app: page, server }) => {
  const coach = await idOf(server, "Coach");
  await open(page, server, `/templates/${coach}`);
  await general(page).fill("Be calm.");
  // Another edit arrives just before this one.
  await page.route(`**/api/templates/${coach}`, async (route) => {
    if (route.request().method() === "PATCH") await server.ask("PATCH", `/api/templates/${coach}`, { generalDirective: "Be direct." });
    await route.continue();
  });
  await page.getByRole("button", { name: "Save version 2" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "The template was changed elsewhere" })).toBeVisible();
  await expect(general(page)).toHaveValue("Be calm.");
  expect((await server.ask("GET", `/api/templates/${coach}`)).version.generalDirective).toBe("Be direct.");
});

test("a template is made, copied, renamed and given to the new agents of a category", async ({ app: page, server }) => {
  await server.ask("POST", "/api/journal/tasks", { title: "Water the plants", category: "Home" });
  await open(page, server, "/templates");
  await page.getByRole("button", { name: "New template" }).click();
  const dialog = page.getByRole("dialog", { name: "New template" });
  await dialog.getByLabel("Name").fill("Gardener");
  await dialog.getByLabel("Start from").selectOption({ label: "A copy of Terse" });
  await dialog.getByLabel("Name").press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Gardener" })).toBeVisible();
  await expect(general(page)).toHaveValue(/Be terse and direct/);
  await page.getByRole("button", { name: "Duplicate" }).click();
  await expect(page.getByText(/is a copy of “Gardener”\./)).toBeVisible();
  await page.getByRole("button", { name: /^Gardener copy|^Copy of Gardener|Gardener/ }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("Florist");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Florist" })).toBeVisible();

  await page.getByRole("checkbox", { name: /^Home/ }).check();
  await expect.poll(async () => (await server.ask("GET", `/api/templates/${await idOf(server, "Florist")}`)).template.categoryIds.length).toBe(1);
  const made = await server.ask("POST", "/api/journal/tasks", { title: "Repot the lemon", category: "Home" });
  const agent = await server.ask("POST", `/api/journal/tasks/${made.id}/agent`, {});
  expect(agent.templateId).toBe(await idOf(server, "Florist"));
  await expect(page.getByText(/1 agent follows it/)).toBeVisible();

  // A category has one template: choosing another one moves it.
  await open(page, server, `/templates/${await idOf(server, "Gardener")}`);
  await expect(page.getByRole("checkbox", { name: /^Home/ })).not.toBeChecked();
  await expect(page.getByText("now Florist")).toBeVisible();
  await page.getByRole("checkbox", { name: /^Home/ }).check();
  await expect(page.getByText("now Florist")).toHaveCount(0);
  await open(page, server, "/templates");
  await expect(page.getByRole("listitem").filter({ hasText: "Gardener" })).toContainText("Default for Home");
  await expect(page.getByRole("listitem").filter({ hasText: "Florist" })).not.toContainText("Default for Home");
});
