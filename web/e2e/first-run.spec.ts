// From nothing to a first report.

import { readFile } from "node:fs/promises";

import { drop } from "./lists";
import { expect, SAMPLE, test } from "./world";

test("a dropped list is imported, and its first report arrives", async ({ app }) => {
  await expect(app.getByRole("heading", { level: 1, name: "Nothing here yet" })).toBeVisible();
  await drop(app, [{ name: "home.md", text: await readFile(SAMPLE, "utf8") }]);
  await app.getByRole("button", { name: "All 5" }).click();
  await app.getByRole("button", { name: "Add 5 tasks" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "5 tasks were added" })).toBeVisible();
  await app.getByRole("link", { name: /^Home/ }).click();

  const reports = app.getByRole("region", { name: "Recent reports" });
  await expect(reports.getByText("Water drips into the attic when it rains.")).toBeVisible();
  await expect(app.getByRole("heading", { level: 1, name: "5 things need you" })).toBeVisible();

  await reports.getByRole("link", { name: "Get the roof repaired" }).click();
  await expect(app.getByRole("heading", { level: 1 })).toContainText("Get the roof repaired");
  const card = app.getByRole("region", { name: /^Summary by/ });
  await expect(card.getByText("Water drips into the attic when it rains.").first()).toBeVisible();
  await expect(card.getByRole("heading", { name: /suggests 1 change/ })).toBeVisible();
});

test("the sample is imported with one click", async ({ app, server }) => {
  await app.getByRole("button", { name: "Try the sample list" }).click();
  await expect(app.getByText("5 tasks were added.")).toBeVisible();
  const agents = (await server.ask("GET", "/api/agents")) as { items: unknown[] };
  expect(agents.items).toHaveLength(5);

  // The file again: nothing is new, and only a plan guesses that a sentence says when a task is due.
  await drop(app, [{ name: "household.md", text: await readFile(SAMPLE, "utf8") }]);
  await expect(app.getByText("2 changed, 3 unchanged")).toBeVisible();
});

test("a first task can be written by hand", async ({ app, server }) => {
  await app.getByRole("button", { name: "New task" }).click();
  const dialog = app.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "What needs to be done?" }).fill("Mend the fence");
  await dialog.getByRole("textbox", { name: "Note" }).fill("It will take 4 hours.");
  await dialog.getByRole("button", { name: "Create task" }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(async () => ((await server.ask("GET", "/api/reports")) as { items: unknown[] }).items.length).toBe(1);
  await app.goto(`${server.address}/tasks`);
  await app.getByRole("link", { name: /^Mend the fence/ }).click();
  await expect(app.getByRole("heading", { name: /suggests 1 change/ })).toBeVisible();
});
