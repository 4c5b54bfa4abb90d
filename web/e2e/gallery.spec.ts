// Agent work from the gallery: no language model, seen before it is switched on, tried without effects.

import { faults, overflow, still } from "./stage";
import { expect, type Server, test } from "./world";

const worksOf = async (server: Server): Promise<{ id: string; schedule: string; nextDueAt: string | null }[]> =>
  ((await server.ask("GET", "/api/tasks")) as { items: never[] }).items;

test("an agenda is chosen, tried without effects, switched on and listed", async ({ app, server }) => {
  const today = new Date().toISOString().slice(0, 10);
  await server.ask("POST", "/api/journal/tasks", { title: "Return the drill", dueOn: today });
  await app.goto(`${server.address}/work/new`);
  await still(app);
  const kinds = app.getByRole("group", { name: "Ready to switch on" });
  await expect(kinds.getByRole("radio")).toHaveCount(5);
  await kinds.getByRole("radio").first().focus();
  await app.keyboard.press("Space");
  const { items } = (await server.ask("GET", "/api/work/gallery?lang=en")) as { items: { name: string; schedule: string }[] };
  const [agenda] = items;
  const chosen = app.getByRole("region", { name: agenda?.name ?? "", exact: true });
  await expect(chosen.getByLabel("Schedule")).toHaveValue(agenda?.schedule ?? "");
  await expect(chosen.locator("ol time")).toHaveCount(5);
  await expect(chosen.getByText("Nothing leaves this machine.")).toBeVisible();

  await chosen.getByRole("button", { name: "Try it now" }).click();
  const tried = chosen.getByRole("region", { name: "Tried just now" });
  await expect(tried).toContainText("Return the drill");
  expect(await worksOf(server)).toEqual([]);
  const folder = process.env["DORMOUSE_PICTURES"];
  for (const colorScheme of ["light", "dark"] as const) {
    await app.emulateMedia({ colorScheme });
    await still(app);
    expect.soft(await faults(app), colorScheme).toEqual([]);
    if (folder !== undefined) await app.screenshot({ path: `${folder}/gallery-${colorScheme}.png`, fullPage: true });
  }
  for (const width of [390, 320]) {
    await app.setViewportSize({ width, height: 760 });
    await still(app);
    expect.soft(await overflow(app), String(width)).toEqual([]);
    if (folder !== undefined) await app.screenshot({ path: `${folder}/gallery-${width}.png`, fullPage: true });
  }
  await app.setViewportSize({ width: 1280, height: 900 });

  await chosen.getByLabel("Schedule").fill("every weekday at 6:45");
  await expect(chosen.locator("ol time").first()).toBeVisible();
  await chosen.getByRole("button", { name: "Switch on" }).click();
  await expect(app.getByRole("heading", { level: 1, name: agenda?.name ?? "" })).toBeVisible();
  await expect(app.getByText("None needed")).toBeVisible();
  const [made] = await worksOf(server);
  expect(made?.schedule).toBe("every weekday at 6:45");
  expect(made?.nextDueAt).not.toBeNull();
});

test("a repetition is said in words, and read back; and a checklist that starts over is switched on", async ({ app, server }) => {
  const task = (await server.ask("POST", "/api/journal/tasks", { title: "Packing list" })) as { id: string };
  await server.ask("POST", `/api/journal/tasks/${task.id}/checklist-items`, { title: "Milk" });
  await app.goto(`${server.address}/work/new`);
  await still(app);
  await app.getByRole("group", { name: "Ready to switch on" }).getByRole("radio").last().check();
  await expect(app.getByRole("button", { name: "Switch on" })).toBeDisabled();
  await app.getByLabel("Say what to repeat, and when").fill("Add a task “Call grandma” every Wednesday at 17:00");
  await app.getByRole("button", { name: "Read it" }).click();
  await expect(app.getByText("Agent work doesn’t create a task from nothing.")).toBeVisible();
  await expect(app.getByRole("button", { name: "Switch on" })).toHaveCount(0);
  await expect(app.getByRole("button", { name: "Try it now" })).toBeEnabled();
  await app.getByLabel("Say what to repeat, and when").fill("Reset the packing list every Sunday at 9");
  await app.getByRole("button", { name: "Read it" }).click();
  await expect(app.getByRole("alert")).toHaveCount(0);
  await expect(app.getByRole("button", { name: "Switch on" })).toBeEnabled();
  await expect(app.getByText(/Packing list/).first()).toBeVisible();
  await app.getByRole("button", { name: "Switch on" }).click();
  await expect(app).toHaveURL(/\/work\/task-/);
  expect((await worksOf(server)).length).toBe(1);
});

test("own words are read back before they are saved", async ({ app, server }) => {
  await app.goto(`${server.address}/work/new`);
  await still(app);
  const own = app.getByRole("region", { name: "In your own words" });
  await own.getByLabel("Title", { exact: true }).fill("Agenda");
  const instructions = own.getByLabel("Instructions", { exact: true });
  await instructions.fill("Every Monday at 9 tell me what is due and delete what is done");
  await expect(own.getByText(/^Read as: Agenda, every week on Monday at 09:00: what is overdue and what is due today/)).toBeVisible();
  await expect(own.getByText("Not understood: delete what is done")).toBeVisible();
  await expect(own.locator("ol time")).toHaveCount(5);
  await expect(own.getByRole("button", { name: "Start it" })).toBeVisible();
  for (const colorScheme of ["light", "dark"] as const) {
    await app.emulateMedia({ colorScheme });
    await still(app);
    expect.soft(await faults(app), colorScheme).toEqual([]);
  }
  await app.setViewportSize({ width: 320, height: 760 });
  await still(app);
  expect.soft(await overflow(app), "320").toEqual([]);
  await app.setViewportSize({ width: 1280, height: 900 });

  await instructions.fill("Tell me what is due");
  await expect(own.getByText("Such work usually runs every weekday at 07:30.")).toBeVisible();
  await expect(own.getByRole("button", { name: "Run it now" })).toBeVisible();
  await own.getByRole("button", { name: "Use that" }).click();
  await expect(own.getByLabel("Schedule")).toHaveValue("every weekday at 07:30");
  expect(await worksOf(server)).toEqual([]);
  await own.getByRole("button", { name: "Start it" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "Agenda" })).toBeVisible();
  expect((await worksOf(server))[0]?.schedule).toBe("every weekday at 07:30");
});

test("what waits is a figure that opens its list, and the result has its title on Home", async ({ app, server }) => {
  const list = (await server.ask("POST", "/api/journal/tasks", { title: "Packing list" })) as { id: string };
  await server.ask("POST", `/api/journal/tasks/${list.id}/checklist-items`, { title: "Milk" });
  await server.ask("POST", "/api/journal/tasks", { title: "Return the drill" });
  const repeat = { title: "Packing", instructions: "Every Monday at 9 reset Packing list", lang: "en" };
  const packing = (await server.ask("POST", "/api/tasks", repeat)) as { id: string };
  await server.ask("DELETE", `/api/journal/tasks/${list.id}`);
  await server.ask("POST", `/api/tasks/${packing.id}/run`);
  const waits = async (): Promise<number> => ((await server.ask("GET", "/api/needs-attention")) as { items: unknown[] }).items.length;
  await expect.poll(waits).toBe(1);
  const agenda = { title: "Waiting", parameters: { kind: "agenda", lists: ["needsYou"] } };
  const work = (await server.ask("POST", "/api/tasks", agenda)) as { id: string };
  await app.goto(`${server.address}/work/${work.id}`);
  const figures = app.getByRole("list", { name: "What the numbers count" });
  await figures.getByText("1 need you").click();
  await expect(figures.getByRole("link", { name: /Packing/ })).toHaveAttribute("href", `/work/${packing.id}`);
  expect(await faults(app)).toEqual([]);
  const { resultTitle } = ((await server.ask("GET", `/api/tasks/${work.id}/runs`)) as { items: { resultTitle: string }[] }).items[0] ?? { resultTitle: "" };
  expect(resultTitle).not.toBe("");
  await app.goto(server.address);
  await expect(app.getByRole("region", { name: "Today" }).getByRole("listitem").filter({ hasText: "Waiting" })).toContainText(resultTitle);
  await still(app);
  expect(await faults(app)).toEqual([]);
});
