// Stars and private marks: on the task, on entries, in the list, by keyboard, at any width.

import type { Locator, Page } from "@playwright/test";

import { faults, open, overflow, still } from "./stage";
import { LAPTOP, openTask, PASSPORTS, standing } from "./steps";
import { expect, type Server, test } from "./world";

const SENTENCE = "Models that are not yours never see it.";

interface Flagged {
  starred: boolean;
  private: boolean;
}
type TaskFlags = Flagged & { entries: (Flagged & { id: string; kind: string })[] };

const taskOf = (server: Server, id: string): Promise<TaskFlags> => server.ask("GET", `/api/journal/tasks/${id}`) as Promise<TaskFlags>;

/** The switches of the task, in its head. */
const head = (page: Page, name: string): Locator => page.locator(".head").getByRole("button", { name, exact: true });
const entry = (page: Page, text: string): Locator => page.getByRole("listitem").filter({ hasText: text }).first();

test("a task is starred and private, and the page says what that means", async ({ sample: page, server }) => {
  const id = await openTask(page, server, PASSPORTS);
  await expect(head(page, "Private")).toHaveAttribute("aria-pressed", "false");
  await head(page, "Private").click();
  await expect(head(page, "Private")).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByText(SENTENCE)).toBeVisible();
  await page.locator("main").click({ position: { x: 4, y: 4 } });
  await page.keyboard.press("f");
  await expect(head(page, "Starred")).toHaveAttribute("aria-pressed", "true");
  await expect.poll(async () => taskOf(server, id)).toMatchObject({ starred: true, private: true });
  await page.reload();
  await standing(page, PASSPORTS);
  await expect(head(page, "Private")).toHaveAttribute("aria-pressed", "true");
  await head(page, "Private").click();
  await expect(page.getByText(SENTENCE)).toBeHidden();
  await expect.poll(async () => taskOf(server, id)).toMatchObject({ starred: true, private: false });
  await page.getByRole("heading", { name: "History" }).click();
  await expect(page.getByText("Private: No → Yes")).toBeVisible();
});

test("an entry has its own marks, and an image analysis its own name", async ({ sample: page, server }) => {
  const id = await openTask(page, server, LAPTOP);
  const made = { kind: "imageAnalysis", text: "A receipt of 42 euro.", on: "2026-01-02" };
  await server.ask("POST", `/api/journal/tasks/${id}/entries`, made);
  const row = entry(page, made.text);
  await expect(row).toContainText("Image analysis");
  await row.getByRole("button", { name: "Private" }).focus();
  await page.keyboard.press("Space");
  await expect(row.getByRole("button", { name: "Private" })).toHaveAttribute("aria-pressed", "true");
  await row.getByRole("button", { name: "Starred" }).click();
  await expect.poll(async () => (await taskOf(server, id)).entries.find((one) => one.kind === "imageAnalysis")).toMatchObject({ starred: true, private: true });
  // In a private task an entry is private anyway: there is nothing to switch.
  await row.getByRole("button", { name: "Private" }).click();
  await head(page, "Private").click();
  await expect(row.getByRole("button", { name: "Private" })).toHaveCount(0);
});

test("the list shows the signs and filters by them", async ({ sample: page, server }) => {
  const made = (await server.ask("POST", "/api/journal/tasks", { title: "Surprise party", starred: true, private: true })) as { id: string };
  await open(page, server, "/tasks");
  const row = page.locator(`#row-${made.id}`);
  await expect(row.getByRole("link").first()).toHaveAccessibleName(/Surprise party.*Starred.*Private/);
  await page.getByRole("button", { name: "Starred", exact: true }).click();
  await expect(page).toHaveURL(/starred=true/);
  await expect(row).toBeVisible();
  await expect(page.locator("[data-row]", { hasText: "Prepare the garden" })).toHaveCount(0);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.locator("[data-row]", { hasText: "Prepare the garden" })).toHaveCount(1);
});

for (const scheme of ["light", "dark"] as const) {
  test(`the marks are readable and fit a phone, in ${scheme}`, async ({ sample: page, server }) => {
    await page.emulateMedia({ colorScheme: scheme });
    const note = { title: "Costumes", starred: true, private: true, note: "Ask Ana." };
    const made = (await server.ask("POST", "/api/journal/tasks", note)) as { id: string };
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      for (const path of [`/tasks/${made.id}`, "/tasks"]) {
        await open(page, server, path);
        await still(page);
        expect(await overflow(page), `${path} at ${width}`).toEqual([]);
        expect(await faults(page), `${path} at ${width}`).toEqual([]);
      }
    }
  });
}
