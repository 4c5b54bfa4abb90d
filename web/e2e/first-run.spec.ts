// From nothing to a first report.

import { readFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { expect, SAMPLE, test } from "./world";

interface Dropped {
  name: string;
  type: string;
  text: string;
}

/** Drags files over the page and drops them. */
async function drop(page: Page, files: Dropped[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle((given) => {
    const data = new DataTransfer();
    for (const { name, type, text } of given) data.items.add(new File([text], name, { type }));
    return data;
  }, files);
  await page.dispatchEvent("main", "dragenter", { dataTransfer });
  await expect(page.getByText("Drop to import tasks from these files")).toBeVisible();
  await page.dispatchEvent("main", "dragover", { dataTransfer });
  await page.dispatchEvent("main", "drop", { dataTransfer });
  await expect(page.getByText("Drop to import tasks from these files")).toBeHidden();
}

test("a dropped list is imported, and its first report arrives", async ({ app }) => {
  await expect(app.getByRole("heading", { level: 1, name: "Nothing here yet" })).toBeVisible();
  await drop(app, [{ name: "home.md", type: "text/markdown", text: await readFile(SAMPLE, "utf8") }]);
  await expect(app.getByRole("heading", { name: "5 tasks were imported" })).toBeVisible();

  const reports = app.getByRole("region", { name: "Recent reports" });
  await expect(reports.getByText("Water drips into the attic when it rains.")).toBeVisible();
  await expect(app.getByRole("heading", { level: 1, name: "5 things need you" })).toBeVisible();

  await reports.getByRole("link", { name: "Get the roof repaired" }).click();
  await expect(app.getByRole("heading", { level: 1 })).toContainText("Get the roof repaired");
  const card = app.getByRole("region", { name: /^Summary by/ });
  await expect(card.getByText("Water drips into the attic when it rains.").first()).toBeVisible();
  await expect(card.getByRole("heading", { name: /suggests 1 change/ })).toBeVisible();
});

test("the sample is imported with one click, with or without agents", async ({ app, server }) => {
  await app.getByRole("checkbox", { name: "Add an agent to each task" }).uncheck();
  await app.getByRole("button", { name: "Try the sample" }).click();
  await expect(app.getByRole("heading", { name: "5 tasks were imported" })).toBeVisible();
  await expect(app.getByText("No reports yet.")).toBeVisible();
  const agents = (await server.ask("GET", "/api/agents")) as { items: unknown[] };
  expect(agents.items).toEqual([]);

  // Importing the file again creates nothing.
  await app.getByRole("link", { name: "Tasks", exact: true }).click();
  await expect(app.getByText("5 tasks", { exact: true })).toBeVisible();
  await drop(app, [{ name: "household.md", type: "text/markdown", text: await readFile(SAMPLE, "utf8") }]);
  await expect(app.getByText("0 new, 0 updated, 5 unchanged")).toBeVisible();
  await expect(app.getByText("5 tasks", { exact: true })).toBeVisible();
});

test("a file that is not a list is reported, and the others are imported", async ({ app }) => {
  await drop(app, [
    { name: "photo.png", type: "image/png", text: "no text" },
    { name: "one.md", type: "", text: "## Water the plants\n\n- [ ] The fern\n" },
  ]);
  await expect(app.getByRole("heading", { name: "1 task was imported" })).toBeVisible();
  await expect(app.getByRole("alert")).toContainText("This isn’t a Markdown file.");
  await app.getByRole("button", { name: "Close" }).click();
  await expect(app.getByRole("alert")).toBeHidden();
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
