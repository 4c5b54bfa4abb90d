// Dates in words, and a task in one line.

import { openTask, PASSPORTS, property, read } from "./steps";
import { expect, test } from "./world";

test("a due date is typed in words, and what was understood is said before it is saved", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await property(sample, /^Due:/).click();
  const field = sample.getByRole("dialog", { name: /^Due/ }).getByRole("textbox", { name: "Due", exact: true });
  await expect(field).toBeFocused();
  await field.fill("10 December 2031 at 3pm");
  await expect(sample.getByText("Wed, 10 Dec 2031, 15:00. A due date is a whole day.")).toBeVisible();
  await field.press("Enter");
  await expect(property(sample, "Due: Wed, 10 Dec 2031")).toBeVisible();
  await expect.poll(async () => (await read(server, id)).dueOn).toBe("2031-12-10");

  // What is not understood stays to be changed, and changes nothing.
  await property(sample, /^Due:/).click();
  await field.fill("whenever it suits");
  await field.press("Enter");
  await expect(field).toHaveValue("whenever it suits");
  await sample.keyboard.press("Escape");
  await expect(field).toBeHidden();
  expect((await read(server, id)).dueOn).toBe("2031-12-10");

  // A day is picked from the month.
  await property(sample, /^Due:/).click();
  await sample.getByRole("button", { name: "Wednesday 17 December 2031" }).or(sample.getByRole("button", { name: "Wednesday, 17 December 2031" })).click();
  await expect.poll(async () => (await read(server, id)).dueOn).toBe("2031-12-17");
  await property(sample, /^Due:/).click();
  await sample.getByRole("button", { name: "No date" }).click();
  await expect.poll(async () => (await read(server, id)).dueOn).toBeNull();
});

test("a date on another weekday than the one written is not taken without a word", async ({ sample, server }) => {
  await openTask(sample, server, PASSPORTS);
  await property(sample, /^Due:/).click();
  const field = sample.getByRole("dialog", { name: /^Due/ }).getByRole("textbox", { name: "Due", exact: true });
  await field.fill("Monday 11 December 2031");
  await expect(sample.getByText("Thu, 11 Dec 2031 (not the weekday you wrote)")).toBeVisible();
});

test("an order of day and month that is chosen in another place is that of the next date", async ({ sample, server }) => {
  await openTask(sample, server, PASSPORTS);
  await property(sample, /^Due:/).click();
  const field = sample.getByRole("dialog", { name: /^Due/ }).getByRole("textbox", { name: "Due", exact: true });
  await field.fill("3/4/2031");
  await expect(sample.getByText("Thu, 3 Apr 2031")).toBeVisible();
  await server.ask("PATCH", "/api/settings", { dateOrder: "monthFirst" });
  await expect(async () => {
    await field.fill("");
    await field.fill("3/4/2031");
    await expect(sample.getByText("Tue, 4 Mar 2031")).toBeVisible({ timeout: 1000 });
  }).toPass();
});

test("a new task in one line has its date, priority, labels and category", async ({ sample, server }) => {
  await sample.keyboard.press("c");
  const dialog = sample.getByRole("dialog");
  const title = dialog.getByRole("textbox", { name: "What needs to be done?" });
  await title.fill("Call the bank by 10 December 2031 !p1 #finance @Home");
  await expect(dialog.getByText("Wed, 10 Dec 2031")).toBeVisible();
  await expect(dialog.getByText("P1, high")).toBeVisible();
  await dialog.getByRole("button", { name: "Create task" }).click();
  await expect(sample.getByRole("heading", { level: 1 })).toContainText("Call the bank");
  const id = new URL(sample.url()).pathname.split("/")[2] ?? "";
  expect(await server.ask("GET", `/api/journal/tasks/${id}`)).toMatchObject({
    title: "Call the bank", dueOn: "2031-12-10", priority: "P1", labels: [{ name: "finance" }], category: { name: "Home" },
  });
});

test("a line can be kept as the title", async ({ sample, server }) => {
  await sample.keyboard.press("c");
  const dialog = sample.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "What needs to be done?" }).fill("Review the 2031 budget by 10 December 2031");
  await dialog.getByRole("button", { name: "Keep it all as the title" }).click();
  await dialog.getByRole("button", { name: "Create task" }).click();
  await expect(sample.getByRole("heading", { level: 1 })).toContainText("Review the 2031 budget by 10 December 2031");
  const id = new URL(sample.url()).pathname.split("/")[2] ?? "";
  expect((await read(server, id)).dueOn).toBeNull();
});
