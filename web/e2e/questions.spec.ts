// Open questions of a report are answered where they stand.

import { faults, open, overflow, still } from "./stage";
import { note } from "./steps";
import { expect, settled, test } from "./world";

const DAY = "Which day do we leave?";
const CAR = "Unclear whether the car fits on the deck.";

test("a question is answered once, with the keyboard, and its agent reads the answer", async ({ app: page, server }) => {
  const { id } = await server.ask("POST", "/api/journal/tasks", { title: "Book the ferry", note: `We need the ferry to Corsica in June. ${DAY} ${CAR}` });
  await server.ask("POST", `/api/journal/tasks/${id}/agent`, {});
  await expect.poll(async () => (await server.ask("GET", `/api/journal/tasks/${id}`)).agent).not.toBeNull();
  await settled(server);
  await open(page, server, `/tasks/${id}`);
  const questions = page.getByRole("region", { name: "Open questions" });
  await expect(questions.getByRole("listitem")).toHaveCount(2);
  expect(await faults(page)).toEqual([]);

  await questions.getByRole("button", { name: "Answer" }).first().focus();
  await page.keyboard.press("Enter");
  const field = page.getByRole("textbox", { name: `Answer to: ${DAY}` });
  await expect(field).toBeFocused();
  await page.keyboard.type("Not yet");
  await page.keyboard.press("Escape");
  await expect(questions.getByRole("button", { name: "Answer" }).first()).toBeFocused();
  await page.keyboard.press("Enter");
  // What was typed is still there.
  await expect(field).toHaveValue("Not yet");
  await field.fill("We leave on 12 June.");
  await still(page);
  expect(await faults(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 720 });
  expect(await overflow(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.keyboard.press("Control+Enter");
  await expect(field).toHaveCount(0);
  await expect(questions.getByText(/Your answer is a note of the task/)).toBeVisible();
  await expect(page.getByText("We leave on 12 June.").first()).toBeVisible();

  const { entries } = await server.ask("GET", `/api/journal/tasks/${id}`);
  expect(entries.filter((one: { text: string }) => one.text === `We leave on 12 June.\n\n> ${DAY}`)).toHaveLength(1);
  // The note wakes the agent as any note does.
  const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
  await expect.poll(async () => (await server.ask("GET", `/api/agents/${agent}`)).dueAt).not.toBeNull();
  await server.ask("POST", `/api/agents/${agent}/wake`, {});
  await expect.poll(async () => (await server.ask("GET", `/api/agents/${agent}/report`)).tldr).toContain("We leave on 12 June");
  await page.reload();
  await expect(note(page)).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: DAY }).getByRole("button", { name: "Answer" })).toHaveCount(0);
});

test("an answer that is refused comes back with the question", async ({ app: page, server }) => {
  const { id } = await server.ask("POST", "/api/journal/tasks", { title: "Book the ferry", note: `We need the ferry. ${DAY}` });
  await server.ask("POST", `/api/journal/tasks/${id}/agent`, {});
  await settled(server);
  await open(page, server, `/tasks/${id}`);
  const questions = page.getByRole("region", { name: "Open questions" });
  await questions.getByRole("button", { name: "Answer" }).click();
  await page.route(`**/api/journal/tasks/${id}/entries`, (route) =>
    route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify({ type: "/problems/limit-reached", title: "Limit reached", detail: "the task has too many entries", status: 409 }) }),
  );
  const field = page.getByRole("textbox", { name: `Answer to: ${DAY}` });
  await field.fill("On 12 June.");
  await questions.getByRole("button", { name: "Add the answer" }).click();
  await expect(questions.getByRole("alert")).toContainText("the task has too many entries");
  await expect(field).toHaveValue("On 12 June.");
});

test("a question that a note quotes is not asked again, whoever wrote the note", async ({ app: page, server }) => {
  const { id } = await server.ask("POST", "/api/journal/tasks", { title: "Book the ferry", note: `We need the ferry to Corsica in June. ${DAY} ${CAR}` });
  const { id: agent } = await server.ask("POST", `/api/journal/tasks/${id}/agent`, {});
  await settled(server);
  // The report stays as it is.
  await server.ask("PATCH", `/api/agents/${agent}`, { automation: "off" });
  await open(page, server, `/tasks/${id}`);
  const questions = page.getByRole("region", { name: "Open questions" });
  await expect(questions.getByRole("button", { name: "Answer" })).toHaveCount(2);
  await server.command("task", "note", "Book the ferry", "--", `On 12 June.\n\n> ${DAY}`);
  await expect(questions.getByRole("listitem")).toHaveText([new RegExp(CAR)]);
  await page.reload();
  await expect(questions.getByRole("listitem")).toHaveText([new RegExp(CAR)]);
});
