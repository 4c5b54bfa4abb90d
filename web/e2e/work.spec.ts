// Agent work: it is scheduled in words, asks, is answered where it is seen, and leaves a log.

import type { Page } from "@playwright/test";

import { ScriptedModel } from "./scriptedModel";
import { faults, overflow, still } from "./stage";
import { expect, type Server, test as base } from "./world";

const test = base.extend<{ model: ScriptedModel }>({
  model: async ({ server }, use) => {
    const model = new ScriptedModel();
    await model.start();
    await model.joins(server);
    await use(model);
    model.stop();
  },
});

const ASK = { calls: [["ask", { question: "Which garden?", options: ["The front one", "The back one"] }]] as [string, object][] };
const PUBLISH = {
  says: "Two letters came.",
  calls: [
    ["publish_result", { title: "News of today", text: "## Letters\n\n- one from **Ana** <img src=x onerror=alert(1)>\n- one bill" }],
    ["finish", { outcome: "done", summary: "Told about two letters." }],
  ] as [string, object][],
};
const FAIL = { calls: [["finish", { outcome: "failed", summary: "The letter box was locked." }]] as [string, object][] };

async function make(server: Server, parts: object = {}): Promise<string> {
  const body = { title: "Letters", instructions: "Say which letters came.", model: "house/script", ...parts };
  return ((await server.ask("POST", "/api/tasks", body)) as { id: string }).id;
}

const read = async (server: Server, id: string): Promise<{ status: string; runState: string; nextDueAt: string | null; title: string }> =>
  ((await server.ask("GET", `/api/tasks/${id}`)) as { task: never }).task;

const to = async (page: Page, server: Server, path: string): Promise<void> => {
  await page.goto(server.address + path);
  await still(page);
};

/** The screen is accessible in both themes, and fits a narrow phone. */
async function looked(page: Page, name: string): Promise<void> {
  const folder = process.env["DORMOUSE_PICTURES"];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await still(page);
    expect.soft(await faults(page), `${name}, ${colorScheme}`).toEqual([]);
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png`, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: "light" });
  const size = page.viewportSize();
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 760 });
    await still(page);
    expect.soft(await overflow(page), `${name}, ${width} wide`).toEqual([]);
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
  }
  if (size !== null) await page.setViewportSize(size);
}

test("without work the list says what it is for, and leads to the form", async ({ app, server }) => {
  await app.keyboard.press("g");
  await app.keyboard.press("w");
  await expect(app.getByRole("heading", { level: 1, name: "Agent work" })).toBeVisible();
  await expect(app.getByText("No agent work yet.")).toBeVisible();
  await looked(app, "empty");
  await app.getByRole("link", { name: "New work" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "Start agent work" })).toBeVisible();
  // Without a language model nothing reads instructions; the page says so, and keeps what was typed.
  await app.getByLabel("Title", { exact: true }).fill("Poem");
  await app.getByLabel("Instructions", { exact: true }).fill("Write a poem.");
  await app.getByRole("button", { name: "Run it now" }).click();
  await expect(app.getByRole("alert")).toContainText("language model");
  await expect(app.getByLabel("Instructions", { exact: true })).toHaveValue("Write a poem.");
  expect(((await server.ask("GET", "/api/tasks")) as { items: unknown[] }).items).toEqual([]);
});

test("a schedule is read before it is saved, and can be changed", async ({ app, server, model }) => {
  const id = await make(server, { schedule: "every weekday at 9" });
  await to(app, server, "/work");
  const row = app.getByRole("listitem").filter({ hasText: "Letters" });
  await expect(row).toContainText("every weekday at 9");
  await row.getByRole("button", { name: "Actions for Letters" }).click();
  await app.getByRole("menuitem", { name: "Pause" }).click();
  await expect(row).toContainText("Paused");
  await app.getByRole("button", { name: "Undo" }).click();
  await expect(row).not.toContainText("Paused");
  await expect.poll(async () => (await read(server, id)).nextDueAt).not.toBeNull();
  await looked(app, "list");

  await row.getByRole("link", { name: "Letters" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "Letters" })).toBeVisible();
  await expect(app.getByText("No runs yet.")).toBeVisible();
  await app.getByRole("button", { name: "Edit" }).click();
  const schedule = app.getByLabel("Schedule", { exact: true });
  await expect(schedule).toHaveValue("every weekday at 9");
  await schedule.fill("now and then");
  await expect(app.getByRole("alert")).toBeVisible();
  await schedule.fill("last Friday of the month at 16:00");
  await expect(app.getByRole("alert")).toHaveCount(0);
  await expect(app.getByRole("listitem").filter({ hasText: /^Fri,? \d+ \w+/ })).toHaveCount(5);
  await app.getByLabel("Instructions", { exact: true }).fill("Say which letters came, and from whom.");
  await looked(app, "edit");
  await app.getByRole("button", { name: "Save" }).click();
  await expect(app.getByText("version 2")).toBeVisible();
  await expect(app.getByText("last Friday of the month at 16:00")).toBeVisible();
  expect(model.asked).toBe(0);
});

test("a run asks, the badge and Home tell, and the answer on Home lets it go on", async ({ app, server, model }) => {
  await server.ask("POST", "/api/journal/tasks", { title: "Water the plants" });
  await to(app, server, "/");
  await expect(app).toHaveTitle(/^Nothing needs you/);
  model.says(ASK);
  const id = await make(server);
  const ask = app.getByRole("listitem").filter({ hasText: "Letters has a question" });
  await expect(ask).toContainText("Which garden?");
  await expect(app.getByRole("heading", { level: 1, name: "One thing needs you" })).toBeVisible();
  await expect(app).toHaveTitle(/^\(1\) One thing needs you/);
  await expect(app.locator("link[rel=icon]")).toHaveAttribute("href", /^data:image\/svg/);
  await expect(app.getByRole("region", { name: "Today" })).toContainText("Waiting for your answer");
  await looked(app, "home");

  await ask.getByRole("button", { name: "The back one" }).click();
  await expect(ask).toHaveCount(0);
  await expect(app).toHaveTitle(/^Nothing needs you/);
  await expect(app.locator("link[rel=icon]")).toHaveAttribute("href", "/mark.svg");
  await expect.poll(() => model.asked).toBe(2);
  expect(model.bodies[1]).toContain("The back one");
  model.says(PUBLISH);
  await expect.poll(async () => (await read(server, id)).runState).toBe("succeeded");

  await app.getByRole("region", { name: "Today" }).getByRole("link", { name: "Letters" }).click();
  const result = app.getByRole("region", { name: "Result of run 1" });
  await expect(result.getByRole("heading", { name: "News of today" })).toBeVisible();
  // It is seen without scrolling: what work says comes before how it is set up.
  await expect(result.getByRole("heading", { name: "News of today" })).toBeInViewport();
  await expect(result.getByText("one bill")).toBeVisible();
  await expect(result.locator("img")).toHaveCount(0);
  await app.getByText("Log", { exact: true }).click();
  const log = app.getByRole("list", { name: "Log of run 1" });
  await expect(log.getByText("Two letters came.")).toBeVisible();
  await log.getByText("publish_result").click();
  await expect(log.getByText(/News of today/).first()).toBeVisible();
  await looked(app, "done");
});

test("each open question stays on Home and in the badge while other runs of the same work are under way", async ({ app, server, model }) => {
  await server.ask("POST", "/api/journal/tasks", { title: "Water the plants" });
  const other = { calls: [["ask", { question: "Which shed?" }]] as [string, object][] };
  model.says(ASK);
  const id = await make(server, { schedule: "every day at 9" });
  const run = (): Promise<unknown> => server.ask("POST", `/api/tasks/${id}/run`);
  await run();
  await expect.poll(async () => (await read(server, id)).runState).toBe("needs_input");
  await to(app, server, "/");
  await expect(app).toHaveTitle(/^\(1\) One thing needs you/);
  await run();
  await expect.poll(async () => (await read(server, id)).runState).toBe("running");
  await expect(app).toHaveTitle(/^\(1\) One thing needs you/);
  model.says(other);
  await expect(app).toHaveTitle(/^\(2\)/);
  const asks = app.getByRole("listitem").filter({ hasText: /Letters(, run \d+,)? has a question/ });
  await expect(asks).toHaveCount(2);
  await run();
  await expect.poll(async () => (await read(server, id)).runState).toBe("running");
  await expect(asks).toHaveCount(2);
  await to(app, server, `/work/${id}`);
  await expect(app.getByRole("region", { name: "A question for you" })).toHaveCount(2);
  await to(app, server, "/");
  await asks.filter({ hasText: "Which garden?" }).getByRole("button", { name: "The back one" }).click();
  await expect(app).toHaveTitle(/^\(1\) One thing needs you/);
  await expect(asks).toContainText("Which shed?");
});

test("the page of a run is live: it works, asks by keyboard, is corrected, and can be cancelled", async ({ app, server, model }) => {
  const id = await make(server);
  await to(app, server, `/work/${id}`);
  await expect(app.getByText("Running", { exact: true }).first()).toBeVisible();
  await expect(app.getByRole("list", { name: "Log of run 1" })).toContainText("Working");
  await app.getByLabel("Tell it what to do differently").fill("Leave out bills.");
  await app.getByRole("button", { name: "Send" }).click();
  await expect(app.getByLabel("Tell it what to do differently")).toHaveValue("");
  // A run reads a correction before it may ask, so that it asks again.
  model.says(ASK, ASK);
  const card = app.getByRole("region", { name: "A question for you" });
  await expect(card).toContainText("Which garden?");
  await looked(app, "asks");
  await app.getByRole("heading", { level: 1 }).click();
  // The key goes to the choice, and Enter answers.
  await app.keyboard.press("1");
  await expect(card.getByRole("button", { name: "The front one" })).toBeFocused();
  expect((await read(server, id)).runState).toBe("needs_input");
  await app.keyboard.press("Enter");
  await expect(card).toHaveCount(0);
  await expect.poll(() => model.bodies.at(-1)).toContain("The front one");
  expect(model.bodies.at(-1)).toContain("Leave out bills.");
  await app.getByRole("button", { name: "Cancel this run" }).click();
  await expect(app.getByText("Cancelled", { exact: true }).first()).toBeVisible();
  expect((await read(server, id)).runState).toBe("cancelled");
});

test("a run without an outcome is judged, one that failed is tried again", async ({ app, server, model }) => {
  // It calls nothing although the last turn forces a call: it is tried again, and that turn is requested once more.
  model.says({ says: "All done?" }, { says: "Well." }, { says: "Well." });
  const unclear = await make(server, { title: "Unclear" });
  await expect.poll(async () => (await read(server, unclear)).runState).toBe("needs_review");
  model.says(FAIL);
  const failed = await make(server, { title: "Locked" });
  await expect.poll(async () => (await read(server, failed)).runState).toBe("failed");
  await to(app, server, "/work");
  const needs = app.getByRole("region", { name: "Needs you" });
  await expect(needs.getByRole("listitem")).toHaveCount(2);

  await needs.getByRole("link", { name: "Unclear" }).click();
  await app.getByRole("button", { name: "Decline: Unclear" }).click();
  await app.getByLabel("Why not? (optional)").fill("It says nothing.");
  await app.keyboard.press("Enter");
  await expect(app.getByText("Failed", { exact: true }).first()).toBeVisible();
  await expect(app.getByRole("button", { name: "Decline: Unclear" })).toHaveCount(0);

  await to(app, server, `/work/${failed}`);
  await expect(app.getByText("The letter box was locked.").first()).toBeVisible();
  await looked(app, "failed");
  model.says(PUBLISH);
  await app.getByRole("button", { name: "Try again: Locked" }).click();
  await expect(app.getByRole("region", { name: "Result of run 1" })).toContainText("one bill");
  await to(app, server, "/work");
  await expect(app.getByRole("region", { name: "Needs you" })).toHaveCount(0);
  await expect(app.getByRole("region", { name: "Done today" }).getByRole("listitem")).toHaveCount(2);
});

test("everything is paused from the command palette, and resumed", async ({ app, server, model }) => {
  const morning = await make(server, { title: "Morning", schedule: "every day at 7" });
  const evening = await make(server, { title: "Evening", schedule: "every day at 19" });
  await app.keyboard.press("Control+k");
  await app.getByRole("combobox").fill("pause all");
  await app.getByRole("option", { name: "Pause all agent work" }).click();
  const dialog = app.getByRole("dialog", { name: "Pause all agent work?" });
  await expect(dialog.getByRole("listitem")).toHaveCount(2);
  await looked(app, "pause-all");
  await dialog.getByRole("button", { name: "Pause 2 schedules" }).click();
  await expect(app.getByText("It will not start until you resume it;")).toBeVisible();
  for (const id of [morning, evening]) await expect.poll(async () => (await read(server, id)).nextDueAt).toBeNull();
  // One is left out: it stays paused when all is resumed.
  await to(app, server, `/work/${evening}`);
  await app.getByRole("button", { name: "Keep paused" }).click();
  await expect(app.getByRole("button", { name: "Keep paused" })).toHaveCount(0);
  await looked(app, "kept paused");
  await to(app, server, "/work");
  await app.getByRole("button", { name: "Resume all" }).click();
  await expect(app.getByText("It will not start until you resume it;")).toHaveCount(0);
  await expect.poll(async () => (await read(server, morning)).nextDueAt).not.toBeNull();
  expect((await read(server, evening)).nextDueAt).toBeNull();
  expect(model.asked).toBe(0);
});

test("work that is deleted elsewhere leaves no controls behind", async ({ app, server, model }) => {
  const id = await make(server, { schedule: "every day at 9" });
  await to(app, server, `/work/${id}`);
  await expect(app.getByRole("button", { name: "Edit" })).toBeVisible();
  await server.ask("DELETE", `/api/tasks/${id}`);
  await expect(app.getByRole("heading", { level: 1, name: "This agent work doesn’t exist." })).toBeVisible();
  await expect(app.getByRole("button", { name: "Edit" })).toHaveCount(0);
  expect(model.asked).toBe(0);
});

test("older runs are loaded below the newest, each once", async ({ app, server }) => {
  const body = { title: "Agenda", parameters: { kind: "agenda" }, schedule: "every day at 9" };
  const { id } = (await server.ask("POST", "/api/tasks", body)) as { id: string };
  for (let n = 0; n < 33; n++) await server.ask("POST", `/api/tasks/${id}/run`);
  await expect.poll(async () => (await read(server, id)).runState, { timeout: 30_000 }).not.toMatch(/queued|running/);
  await to(app, server, `/work/${id}`);
  const runs = app.getByRole("region", { name: "Runs" });
  await expect(runs).toContainText("33 runs");
  const rows = runs.locator("ul.rows > li");
  await expect(rows).toHaveCount(30);
  await runs.getByRole("button", { name: "Load older runs" }).click();
  await expect(rows).toHaveCount(33);
  await expect(runs.getByRole("button", { name: "Load older runs" })).toHaveCount(0);
  await looked(app, "older");
});

test("a run after a correction names the run that it does again, and how late a missed run may be is set", async ({ app, server, model }) => {
  model.says(PUBLISH, PUBLISH);
  const id = await make(server, { schedule: "every day at 9" });
  await server.ask("POST", `/api/tasks/${id}/run`);
  await expect.poll(async () => (await read(server, id)).runState).toBe("succeeded");
  await to(app, server, `/work/${id}`);
  await expect(app.getByText("(up to 24 hours late)")).toBeVisible();
  await app.getByLabel("Tell it what to do differently").fill("Leave out bills.");
  await app.getByRole("button", { name: "Send" }).click();
  await expect(app.getByLabel("Tell it what to do differently")).toHaveValue("");
  // A turn reads a correction only before it is sent.
  await app.getByRole("button", { name: "Run now" }).click();
  await expect(app.getByText("Run 1 again, with your correction.")).toBeVisible();
  await app.getByRole("button", { name: "Edit" }).click();
  await app.getByText("If a run is missed or takes long").click();
  await app.getByLabel("Run late for up to (hours)").fill("48");
  await looked(app, "hours");
  await app.getByRole("button", { name: "Save" }).click();
  await expect(app.getByText("(up to 48 hours late)")).toBeVisible();
});

test("work that runs once is edited without a schedule", async ({ app, server, model }) => {
  model.says(FAIL);
  const id = await make(server);
  await expect.poll(async () => (await read(server, id)).runState).toBe("failed");
  await to(app, server, `/work/${id}`);
  await app.getByRole("button", { name: "Edit" }).click();
  await expect(app.getByText("This work runs once and takes no schedule.")).toBeVisible();
  await expect(app.getByLabel("Schedule", { exact: true })).toHaveCount(0);
  await app.getByLabel("Title", { exact: true }).fill("Post");
  await app.getByRole("button", { name: "Save" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "Post" })).toBeVisible();
});

test("an edit leaves a schedule as it is that could not be read now", async ({ app, server }) => {
  const german = { title: "Übersicht", instructions: "Tagesüberblick", schedule: "werktags um 6 Uhr", lang: "de" };
  const { id } = (await server.ask("POST", "/api/tasks", german)) as { id: string };
  await to(app, server, `/work/${id}`);
  await app.getByRole("button", { name: "Edit" }).click();
  await expect(app.getByText("The schedule stays as it is.")).toBeVisible();
  await app.getByLabel("Title", { exact: true }).fill("Mornings");
  const schedule = app.getByLabel("Schedule", { exact: true });
  await schedule.fill("werktags um 7 Uhr");
  await expect(app.getByRole("alert")).toBeVisible();
  await expect(app.getByRole("button", { name: "Save" })).toBeDisabled();
  await schedule.fill("werktags um 6 Uhr");
  await expect(app.getByRole("alert")).toHaveCount(0);
  await app.getByRole("button", { name: "Save" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "Mornings" })).toBeVisible();
  await expect(app.getByText("werktags um 6 Uhr", { exact: true })).toBeVisible();
});

test("work that is gone, and a question that somebody else answered, are reported", async ({ app, server, model }) => {
  model.says(ASK);
  const id = await make(server);
  await expect.poll(async () => (await read(server, id)).runState).toBe("needs_input");
  await to(app, server, `/work/${id}`);
  const { questions } = (await server.ask("GET", `/api/tasks/${id}`)) as { questions: { id: string }[] };
  await app.route("**/api/questions/*/answer", async (route) => {
    await server.ask("POST", `/api/questions/${questions[0]?.id}/answer`, { answer: "The front one" });
    await route.continue();
  });
  await app.getByRole("button", { name: "The back one" }).click();
  await expect(app.getByRole("region", { name: "A question for you" })).toHaveCount(0);
  // The folded call in the log has the same words.
  await expect(app.getByText(/The front one/).filter({ visible: true }).first()).toBeVisible();
  await app.getByRole("button", { name: "More actions" }).click();
  await app.getByRole("menuitem", { name: "Delete" }).click();
  await app.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(app).toHaveURL(new RegExp("/work$|/$"));
  await to(app, server, `/work/${id}`);
  await expect(app.getByRole("heading", { level: 1, name: "This agent work doesn’t exist." })).toBeVisible();
});

test("the morning agenda is picked, tried, run and read, and its result is said among the scheduled events", async ({ app, server }) => {
  const today = new Date().toISOString().slice(0, 10);
  const drill = (await server.ask("POST", "/api/journal/tasks", { title: "Return the drill", dueOn: today })) as { id: string };
  await app.keyboard.press("g");
  await app.keyboard.press("w");
  await app.getByRole("link", { name: "New work" }).click();
  const kinds = app.getByRole("group", { name: "Ready to switch on" });
  await kinds.getByRole("radio").first().focus();
  await app.keyboard.press("Space");
  const { items } = (await server.ask("GET", "/api/work/gallery?lang=en")) as { items: { name: string }[] };
  const name = items[0]?.name ?? "";
  const chosen = app.getByRole("region", { name, exact: true });
  // The browser of these tests is in another zone than the server: both clocks are named.
  await expect(chosen.locator("ol time")).toHaveCount(5);
  await expect(chosen.getByText(/^Schedules follow .+\. This browser’s clock is Eastern European/)).toBeVisible();
  await chosen.getByRole("button", { name: "Try it now" }).focus();
  await app.keyboard.press("Enter");
  await expect(chosen.getByRole("region", { name: "Tried just now" })).toContainText("Return the drill");
  await chosen.getByRole("button", { name: "Switch on" }).focus();
  await app.keyboard.press("Enter");
  await expect(app.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(app.getByText("No runs yet.")).toBeVisible();

  await app.getByRole("button", { name: "Run now" }).click();
  const result = app.getByRole("region", { name: "Result of run 1" });
  await expect(result).toContainText("Return the drill");
  // A figure opens the list that it counted.
  await result.getByRole("list", { name: "What the numbers count" }).getByText(/^1 due/).click();
  await expect(result.getByRole("link", { name: "Return the drill" }).last()).toHaveAttribute("href", `/tasks/${drill.id}`);
  await app.getByText("Log", { exact: true }).click();
  await expect(app.getByRole("list", { name: "Log of run 1" })).toContainText("Started by request");
  await expect(app.getByRole("list", { name: "Log of run 1" })).toContainText("Done");
  await looked(app, "agenda");

  await app.getByRole("region", { name: "Conversations" }).getByRole("link", { name: "Scheduled Events" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "Scheduled Events" })).toBeVisible();
  const turns = app.getByRole("list", { name: "Turns" });
  await expect(turns.getByRole("article")).toHaveCount(1);
  await expect(turns).toContainText("Return the drill");
  await looked(app, "conversation");
  await turns.getByRole("link", { name }).click();
  await expect(app.getByRole("heading", { level: 1, name })).toBeVisible();
});

test("the list is filtered by status and type, by its address", async ({ app, server, model }) => {
  await make(server, { title: "Weekly letters", schedule: "every monday at 9" });
  model.says(FAIL);
  const id = await make(server);
  await expect.poll(async () => (await read(server, id)).runState).toBe("failed");
  await to(app, server, "/work");
  const rows = app.getByRole("main").getByRole("listitem");
  await expect(rows).toHaveCount(2);
  await app.getByRole("combobox", { name: "Status" }).selectOption("failed");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("Letters");
  await expect(app).toHaveURL(/[?&]status=failed/);
  await app.getByRole("combobox", { name: "Type" }).selectOption("scheduled");
  await expect(app.getByText("No matching agent work.")).toBeVisible();
  await looked(app, "filtered");
  await app.getByRole("link", { name: "Show all" }).click();
  await expect(rows).toHaveCount(2);
});
