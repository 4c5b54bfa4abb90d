// When agent work happens: the time zone of the workspace, and single occurrences.

import { expect, type Server, test } from "./world";

async function daily(server: Server): Promise<string> {
  const body = { title: "Agenda", parameters: { kind: "agenda" }, schedule: "every day at 12" };
  return ((await server.ask("POST", "/api/tasks", body)) as { id: string }).id;
}

const next = async (server: Server, id: string): Promise<string> =>
  ((await server.ask("GET", `/api/tasks/${id}`)) as { task: { nextDueAt: string } }).task.nextDueAt;

test("the time zone is set on the page of settings, says where it comes from, and schedules follow", async ({ app, server }) => {
  const id = await daily(server);
  await app.goto(`${server.address}/settings#dates`);
  const dates = app.getByRole("region", { name: "Dates" });
  await expect(dates.getByText("Taken from the system of the server")).toBeVisible();
  const field = dates.getByLabel("Time zone", { exact: true });
  await field.fill("Mars/Olympus");
  await field.press("Enter");
  await expect(dates.getByRole("alert")).toContainText("there is no time zone `Mars/Olympus`");
  await field.fill("Asia/Tokyo");
  await dates.getByRole("button", { name: "Set time zone" }).click();
  await expect(dates.getByText("Chosen for this workspace.")).toBeVisible();
  await expect(dates.getByRole("alert")).toHaveCount(0);
  await expect.poll(() => next(server, id)).toMatch(/T03:00:00Z$/);
  await dates.getByLabel("Days start at").fill("06:30");
  await dates.getByRole("button", { name: "Set", exact: true }).click();
  const dayStarts = async (): Promise<unknown> => ((await server.ask("GET", "/api/settings")) as { dayStarts: string }).dayStarts;
  await expect.poll(dayStarts).toBe("06:30");
  await app.goto(`${server.address}/work/${id}`);
  await expect(app.getByRole("link", { name: "Change the time zone" }).or(app.getByText(/Times are in/)).first()).toBeVisible();
  // Another node, or another page, changes it: the field follows.
  await app.goto(`${server.address}/settings#dates`);
  await expect(field).toHaveValue("Asia/Tokyo");
  await server.ask("PATCH", "/api/settings", { timeZone: "Europe/Berlin" });
  await expect(field).toHaveValue("Europe/Berlin");
  await dates.getByRole("button", { name: /^Use the system’s/ }).click();
  await expect(dates.getByText("nobody has chosen one")).toBeVisible();
});

test("one occurrence is skipped, moved and restored, and all of it suspended until a day", async ({ app, server }) => {
  const id = await daily(server);
  await app.goto(`${server.address}/work/${id}`);
  const coming = app.getByRole("region", { name: "Next" });
  await expect(coming.getByRole("listitem")).toHaveCount(5);
  await coming.getByRole("button", { name: /^Skip / }).first().click();
  await expect(coming.getByRole("listitem").first()).toContainText("skipped");
  await expect(coming.getByRole("listitem")).toHaveCount(6);
  await coming.getByRole("button", { name: /^Restore / }).click();
  await expect(coming.getByRole("listitem")).toHaveCount(5);

  await coming.getByRole("button", { name: /^Move / }).nth(1).click();
  const to = coming.getByLabel("When instead");
  await to.fill("whenever");
  await to.press("Enter");
  await expect(coming.getByRole("alert")).toContainText(/not understood/);
  await expect(to).toHaveAttribute("aria-invalid", "true");
  await to.fill("in three days at 13:45");
  await to.press("Enter");
  await expect(coming.getByRole("listitem").filter({ hasText: "moved" })).toContainText("13:45");

  await coming.getByRole("button", { name: "Suspend" }).click();
  await coming.getByLabel("Until").fill("in ten days");
  await coming.getByLabel("Until").press("Enter");
  await expect(coming.getByText(/^Suspended until/)).toBeVisible();
  await expect(app.getByRole("banner").or(app.locator("header")).getByText(/^Suspended until/).first()).toBeVisible();
  const { suspendedUntil } = (await server.ask("GET", `/api/tasks/${id}/occurrences`)) as { suspendedUntil: string };
  expect((await next(server, id)) > suspendedUntil).toBe(true);
  await coming.getByRole("button", { name: "Resume now" }).click();
  await expect(coming.getByText(/^Suspended until/)).toHaveCount(0);
});

test("a change of a task starts work once it is added on its page, and no more once it is removed", async ({ app, server }) => {
  const id = await daily(server);
  await app.goto(`${server.address}/work/${id}`);
  const changes = app.getByRole("region", { name: "Started by changes" });
  await changes.getByLabel("Change of a task").selectOption({ label: "A task is done" });
  await changes.getByRole("button", { name: "Add" }).click();
  await expect(changes.getByRole("listitem")).toHaveText("A task is done");
  await expect(changes.getByRole("button", { name: "Add" })).toBeDisabled();
  const task = (await server.ask("POST", "/api/journal/tasks", { title: "Water the plants" })) as { id: string };
  await server.ask("PATCH", `/api/journal/tasks/${task.id}`, { status: "DONE" });
  const runs = async (): Promise<number> => ((await server.ask("GET", `/api/tasks/${id}/runs`)) as { items: unknown[] }).items.length;
  await expect.poll(runs).toBe(1);
  await changes.getByRole("button", { name: "Remove “A task is done”" }).click();
  await expect(changes.getByRole("listitem")).toHaveCount(0);
  expect(((await server.ask("GET", `/api/tasks/${id}`)) as { task: { events: unknown[] } }).task.events).toEqual([]);
});
