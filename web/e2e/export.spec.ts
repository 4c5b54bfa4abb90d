// Tasks as a file: what it leaves out is said before it is written.

import { readFile } from "node:fs/promises";

import type { Download, Page } from "@playwright/test";

import { GARDEN, openTask } from "./steps";
import { expect, test } from "./world";

async function download(page: Page): Promise<Download> {
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  return coming;
}

const textOf = async (file: Download): Promise<string> => readFile(await file.path(), "utf8");

test("the settings lead to an export that names what a format leaves out before it is written", async ({ sample, server }) => {
  await sample.goto(`${server.address}/settings`);
  await sample.getByRole("link", { name: "Export tasks" }).click();
  await expect(sample.getByRole("heading", { level: 1, name: "Export your tasks" })).toBeVisible();
  await sample.getByRole("radio", { name: "todo.txt" }).check();
  await expect(sample).toHaveURL(/format=todoTxt/);
  const losses = sample.getByRole("region", { name: "What the file leaves out" });
  await expect(losses.getByRole("listitem").filter({ hasText: "The checklist" })).toContainText("such as “");
  const { tasks } = (await server.ask("GET", "/api/export/losses?format=todoTxt")) as { tasks: number };
  await expect(losses).toContainText(`The file holds ${tasks} tasks.`);
  const file = await download(sample);
  expect(file.suggestedFilename()).toBe("tasks.txt");
  expect(await textOf(file)).toBe(await server.command("export", "--format", "todoTxt"));
  await expect(sample.getByText("tasks.txt was downloaded.")).toBeVisible();

  await sample.getByRole("radio", { name: "JSON" }).check();
  await expect(losses).toContainText("JSON keeps everything.");
  await sample.getByRole("radio", { name: "Everything" }).check();
  const whole = await download(sample);
  expect(whole.suggestedFilename()).toBe("dormouse.json");
  expect(JSON.parse(await textOf(whole))).toMatchObject({ format: "dormouse-export" });
});

test("the menu of a task exports it as a page with its report, by the keyboard alone", async ({ sample, server }) => {
  const id = await openTask(sample, server, GARDEN);
  await sample.getByRole("button", { name: "More actions for this task" }).focus();
  await sample.keyboard.press("Enter");
  await sample.getByRole("menuitem", { name: "Export this task" }).press("Enter");
  await expect(sample.getByRole("heading", { level: 1, name: `Export “${GARDEN}` })).toBeVisible();
  await expect(sample.getByRole("radio", { name: "Page to read" })).toBeChecked();
  const page = await download(sample);
  expect(page.suggestedFilename()).toMatch(/^Prepare the garden for spring.*\.md$/);
  expect(await textOf(page)).toBe(await server.command("export", id, "--format", "page"));
  await sample.getByRole("radio", { name: "Page to read" }).focus();
  await sample.keyboard.press("ArrowDown");
  await expect(sample.getByRole("radio", { name: "Markdown" })).toBeChecked();
  await expect(sample.getByRole("region", { name: "What the file leaves out" })).toContainText("The report");
  await sample.getByRole("button", { name: "Download" }).focus();
  const coming = sample.waitForEvent("download");
  await sample.keyboard.press("Enter");
  expect(await textOf(await coming)).toBe(await server.command("export", id, "--format", "markdown"));
  await sample.goBack();
  await expect(sample).toHaveURL(new RegExp(`/tasks/${id}$`));
});

test("the palette finds the export; without tasks there is nothing to download", async ({ app }) => {
  await app.keyboard.press("Control+k");
  await app.getByRole("combobox").fill("export");
  await app.getByRole("option", { name: "Export tasks" }).click();
  await expect(app.getByText("There are no tasks to export.")).toBeVisible();
  await expect(app.getByRole("button", { name: "Download" })).toBeDisabled();
});

test("a file that breaks off is not saved, and the page says so", async ({ sample, server }) => {
  await sample.goto(`${server.address}/export?format=csv`);
  await expect(sample.getByText("The file holds 5 tasks.")).toBeVisible();
  const problem = { type: "https://dormouse.example/problems/internal", title: "Something failed", status: 500, detail: "The disk is on fire." };
  await sample.route("**/api/export?*", (route) => route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(problem) }));
  await sample.getByRole("button", { name: "Download" }).click();
  await expect(sample.getByRole("alert").filter({ hasText: "The disk is on fire." })).toBeVisible();
  await sample.unroute("**/api/export?*");
  const coming = sample.waitForEvent("download");
  await sample.getByRole("alert").getByRole("button", { name: "Try again" }).click();
  expect((await coming).suggestedFilename()).toBe("tasks.csv");
  await expect(sample.getByRole("alert")).toBeHidden();
});
