// Improving a template: a session with a model from the first word to an approved version, and with the rules.

import type { Page } from "@playwright/test";

import { ScriptedModel } from "./scriptedModel";
import { faults, open, overflow, still } from "./stage";
import { expect, type Server, test } from "./world";

const OLD = "Be warm. Propose what helps.\n\nAsk when in doubt.";
const NEW = "Be warm. Propose what helps, and no estimates.\n\nAsk when in doubt.";

interface World {
  id: string;
  model: ScriptedModel;
}

async function world(server: Server): Promise<World> {
  const model = new ScriptedModel();
  await model.start();
  await model.joins(server);
  await server.ask("POST", "/api/models/use", { model: "house/script" });
  const { template } = await server.ask("POST", "/api/templates", { name: "Pirate", generalDirective: OLD, reportDirective: "No emojis." });
  return { id: template.id, model };
}

const proposes = (rationale: string, general = NEW): [string, object] => ["propose_directives", { general_directive: general, report_directive: "No emojis.", rationale }];
const log = (page: Page) => page.getByRole("log", { name: "What was said" });

test("a person and a model work on a template until a proposal is approved", async ({ app: page, server }) => {
  const { id, model } = await world(server);
  try {
    await open(page, server, `/templates/${id}`);
    await page.getByRole("tab", { name: "Improve" }).click();
    await expect(page).toHaveURL(new RegExp(`/templates/${id}/evolve$`));
    await still(page);
    expect(await faults(page)).toEqual([]);
    await page.getByRole("textbox", { name: "What should change?" }).fill("She proposes too many estimates.");
    await page.getByRole("button", { name: "Start" }).click();
    await expect(log(page)).toContainText("She proposes too many estimates.");
    const answering = page.getByRole("region", { name: "The model is answering…" });
    await expect(answering).toBeVisible();
    await expect.poll(() => model.asked).toBe(1);

    // A second tab sees the same session, also after a reload.
    const second = await page.context().newPage();
    await open2(second, server, `/templates/${id}/evolve`);
    await expect(log(second)).toContainText("She proposes too many estimates.");

    model.says({ says: "The record agrees.", calls: [proposes("Estimates are turned down.")] }, { says: "Have a look at it." });
    const card = page.getByRole("region", { name: "Proposal 1, for version 1" });
    await expect(card).toContainText("Estimates are turned down.");
    await expect(card.getByRole("insertion")).toHaveText(/, and no estimates/);
    await expect(card.getByRole("article", { name: "Report directive" })).toContainText("Not changed.");
    await expect(answering).toBeHidden();
    await expect(second.getByRole("region", { name: "Proposal 1, for version 1" })).toBeVisible();
    await still(page);
    expect(await faults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });

    // A rejection changes nothing; what is said next reaches the model with it.
    await card.getByRole("button", { name: "Reject" }).click();
    await page.getByRole("textbox", { name: /^Why not\?/ }).fill("Keep small ones.");
    await page.getByRole("button", { name: "Reject" }).click();
    await expect(log(page)).toContainText("“Keep small ones.”");
    await expect(page.getByText("Proposal 1: rejected")).toBeVisible();
    await page.getByRole("textbox", { name: "Your answer" }).fill("Try again.");
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("textbox", { name: "Your answer" })).toHaveValue("");
    await expect.poll(() => model.bodies.some((body) => body.includes("Keep small ones.") && body.includes("Try again."))).toBe(true);
    model.says({ calls: [proposes("Small ones stay.", `${NEW} Small ones are welcome.`)] }, { says: "Better?" });
    await expect(page.getByRole("region", { name: "Proposal 2, for version 1" })).toContainText("Small ones stay.");
    expect((await server.ask("GET", `/api/templates/${id}`)).version.version).toBe(1);

    await page.getByRole("button", { name: "Approve and activate" }).click();
    await expect(page.getByText("Version 2 is active. Agents follow it from their next wake on.")).toBeVisible();
    await expect(page.getByRole("heading", { name: "Improve it together with a model" })).toBeVisible();
    const { version } = await server.ask("GET", `/api/templates/${id}`);
    expect([version.version, version.generalDirective, version.authoredBy]).toEqual([2, `${NEW} Small ones are welcome.`, "evolution"]);
    // The second tab has moved on by itself, and leads to what was said.
    await second.getByRole("button", { name: /Saved as version 2/ }).click();
    await expect(log(second)).toContainText("Try again.");
    await expect(second.getByText("Proposal 2: approved")).toBeVisible();
    await second.close();

    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await server.ask("GET", `/api/templates/${id}`)).version.version).toBe(1);
  } finally {
    model.stop();
  }
});

test("an answer is stopped, a proposal for another version is not approved, and a session is ended", async ({ app: page, server }) => {
  const { id, model } = await world(server);
  try {
    await open(page, server, `/templates/${id}/evolve`);
    await page.getByRole("button", { name: "See what it finds" }).click();
    await expect.poll(() => model.asked).toBe(1);
    await page.getByRole("button", { name: "Stop the answer" }).click();
    await expect(page.getByRole("region", { name: "The model is answering…" })).toBeHidden();
    await expect(log(page)).toContainText("No answer");

    await page.getByRole("textbox", { name: "Your answer" }).fill("Once more.");
    await page.getByRole("button", { name: "Send" }).click();
    // The connection of the answer that was stopped is closed, and gets no part of the script.
    await expect.poll(() => [model.asked, model.waiting]).toEqual([2, 1]);
    model.says({ calls: [proposes("Fewer.")] }, { says: "There." });
    await expect(page.getByRole("region", { name: "Proposal 1, for version 1" })).toBeVisible();
    const { template } = await server.ask("GET", `/api/templates/${id}`);
    expect(template.activeVersion).toBe(1);
    await server.command("template", "edit", "Pirate", "--general", "Be terse.");
    await expect(page.getByText("Version 1 is no longer the active one, so this cannot be approved. Ask for another proposal.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Approve and activate" })).toBeDisabled();

    await page.getByRole("button", { name: "End session" }).click();
    const dialog = page.getByRole("dialog", { name: "End this session?" });
    await still(page);
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "End session" }).click();
    await expect(page.getByRole("heading", { name: "Improve it together with a model" })).toBeVisible();
    await page.getByRole("button", { name: /Ended without a version/ }).click();
    await expect(log(page)).toContainText("Once more.");
    await page.goBack();
    expect((await server.ask("GET", `/api/templates/${id}`)).version.generalDirective).toBe("Be terse.");
  } finally {
    model.stop();
  }
});

test("without a language model the rules answer", async ({ sample: page, server }) => {
  const { items } = await server.ask("GET", "/api/templates");
  const calm = (items as { id: string; displayName: string }[]).find((one) => one.displayName === "Calm");
  await open(page, server, `/templates/${calm?.id ?? ""}/evolve`);
  await page.getByRole("button", { name: "See what it finds" }).click();
  await expect(log(page).getByRole("listitem")).toHaveCount(1);
  await expect(log(page)).toContainText("Model");
  await expect(page.getByRole("region", { name: "The model is answering…" })).toBeHidden();
});

/** Opens a screen in another tab, which is signed in by the first. */
async function open2(page: Page, server: Server, path: string): Promise<void> {
  await page.goto(server.address + path);
  await expect(page.getByRole("heading", { level: 1, includeHidden: true })).toBeAttached();
}
