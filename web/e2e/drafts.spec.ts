// A report while its agent writes it, and a run that a person cancels.

import type { Locator, Page } from "@playwright/test";

import { type SlowModel, test } from "./slowModel";
import { PASSPORTS } from "./steps";
import { expect, type Server, taskId } from "./world";

interface Agent {
  id: string;
  displayName: string;
  activity: string;
  consecutiveFailureCount: number;
}

/** Has the agent of a task ask the slow model; returns the task and its agent. */
async function asking(server: Server, model: SlowModel): Promise<{ task: string; agent: Agent }> {
  await server.ask("PUT", "/api/models/providers/house", { format: "chatCompletions", baseUrl: model.address, isOwn: true });
  const { toolMode } = (await server.ask("POST", "/api/models/test", { model: "house/slow" })) as { toolMode: string };
  expect(toolMode).toBe("native");
  const task = await taskId(server, PASSPORTS);
  const { agent } = (await server.ask("GET", `/api/journal/tasks/${task}`)) as { agent: string };
  await server.ask("PATCH", `/api/agents/${agent}`, { model: "house/slow" });
  return { task, agent: (await server.ask("GET", `/api/agents/${agent}`)) as Agent };
}

const read = (server: Server, agent: Agent): Promise<Agent> => server.ask("GET", `/api/agents/${agent.id}`) as Promise<Agent>;

function draft(page: Page, agent: Agent): Locator {
  return page.getByRole("region", { name: `Draft of a report by ${agent.displayName}` });
}

test("a report is shown while it is written, and the real one takes its place", async ({ sample, server, model }) => {
  const { task, agent } = await asking(server, model);
  await sample.goto(`${server.address}/tasks/${task}`);
  await expect(sample.getByRole("heading", { name: `Summary by ${agent.displayName}` })).toBeAttached();
  await server.ask("POST", `/api/agents/${agent.id}/wake`, {});
  await expect.poll(() => model.asked).toBe(1);
  await expect(draft(sample, agent)).toHaveCount(0);

  model.write('{"tldr":"The forms are ');
  await expect(draft(sample, agent)).toContainText("The forms are");
  await expect(draft(sample, agent)).toContainText("Being written");
  await expect(draft(sample, agent)).toHaveAttribute("aria-busy", "true");
  await expect(sample.getByRole("status").filter({ hasText: `${agent.displayName} is writing a report.` })).toBeAttached();

  // It grows, whatever it is cut in, and it is as harmless as a report.
  model.write('on the desk.","content":"## Left\\n\\n- photos \\ud83d');
  await expect(draft(sample, agent)).toContainText("on the desk.");
  model.write('\\ude80 <img src=x onerror=alert(1)> [a](javascript:alert(1))');
  await expect(draft(sample, agent)).toContainText("photos 🚀");
  await expect(draft(sample, agent).locator("img, a[href^='javascript']")).toHaveCount(0);

  // A page that opens late shows all of it.
  const late = await sample.context().newPage();
  await late.goto(`${server.address}/agents/${agent.id}`);
  await expect(draft(late, agent)).toContainText("The forms are on the desk.");
  await expect(draft(late, agent)).toContainText("photos 🚀");
  await late.close();

  model.write('"}');
  model.end();
  // It is asked whether it has more to add, and what it wrote stays a draft until it has not.
  await expect.poll(() => model.asked).toBe(2);
  await expect(draft(sample, agent)).toContainText("photos 🚀");
  model.end();
  await expect(draft(sample, agent)).toHaveCount(0);
  await expect(sample.getByText("The forms are on the desk.")).toBeVisible();
});

test("a run is cancelled from its draft: the connection closes, and nothing counts", async ({ sample, server, model }) => {
  const { task, agent } = await asking(server, model);
  await sample.goto(`${server.address}/tasks/${task}`);
  await server.ask("POST", `/api/agents/${agent.id}/wake`, {});
  await expect.poll(() => model.asked).toBe(1);
  model.write('{"tldr":"Half a sen');
  await expect(draft(sample, agent)).toContainText("Half a sen");
  await draft(sample, agent).getByRole("button", { name: "Cancel this run" }).click();
  await expect.poll(() => model.dropped).toBe(1);
  await expect(draft(sample, agent)).toHaveCount(0);
  await expect(sample.getByText(`${agent.displayName} was stopped.`)).toBeVisible();
  expect(await read(server, agent)).toMatchObject({ activity: "asleep", consecutiveFailureCount: 0 });

  await sample.goto(`${server.address}/agents/${agent.id}/wakes`);
  const newest = sample.getByRole("row").filter({ hasText: "Cancelled" });
  await expect(newest).toHaveCount(1);
  await expect(sample.getByText("Half a sen")).toHaveCount(0);
});

test("a run is cancelled on the page of its agent", async ({ sample, server, model }) => {
  const { agent } = await asking(server, model);
  await sample.goto(`${server.address}/agents/${agent.id}`);
  await expect(sample.getByRole("button", { name: "Cancel this run" })).toHaveCount(0);
  await server.ask("POST", `/api/agents/${agent.id}/wake`, { message: "Look again." });
  await expect.poll(() => model.asked).toBe(1);
  await sample.getByRole("button", { name: "Cancel this run" }).click();
  await expect.poll(() => model.dropped).toBe(1);
  await expect(sample.getByRole("button", { name: "Cancel this run" })).toHaveCount(0);
  expect(await read(server, agent)).toMatchObject({ activity: "asleep", consecutiveFailureCount: 0 });
});

test("new work, an edit of work and a pasted list are still there after other pages", async ({ app, server }) => {
  const away = async (): Promise<void> => {
    await app.getByRole("link", { name: "Settings", exact: true }).first().click();
    await expect(app.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  };
  await app.goto(`${server.address}/work/new`);
  await app.getByLabel("Title", { exact: true }).fill("Poem");
  await app.getByLabel("Instructions", { exact: true }).fill("Write a poem.");
  await app.getByLabel("Schedule", { exact: true }).fill("every blue moon");
  await expect(app.getByRole("alert")).toContainText("every weekday at 9");
  await expect(app.getByRole("button", { name: "Start it" })).toBeDisabled();
  await away();
  await app.goBack();
  await expect(app.getByLabel("Instructions", { exact: true })).toHaveValue("Write a poem.");
  await expect(app.getByLabel("Title", { exact: true })).toHaveValue("Poem");

  const { items } = (await server.ask("GET", "/api/work/gallery")) as { items: { parameters: object | null; schedule: string; name: string }[] };
  const agenda = items.find((one) => one.parameters !== null);
  const { id } = (await server.ask("POST", "/api/tasks", { title: "Agenda", parameters: agenda?.parameters, schedule: agenda?.schedule })) as { id: string };
  await app.goto(`${server.address}/work/${id}`);
  // Rules read no corrections.
  await expect(app.getByText("Rules do this work, and they read no further wishes.")).toBeVisible();
  await expect(app.getByLabel("Tell it what to do differently")).toHaveCount(0);
  await app.getByRole("button", { name: "Edit" }).click();
  await app.getByLabel("Title", { exact: true }).fill("My agenda");
  await away();
  await app.goBack();
  await expect(app.getByLabel("Title", { exact: true })).toHaveValue("My agenda");
  await app.getByRole("button", { name: "Cancel" }).click();
  await app.reload();
  await expect(app.getByRole("heading", { level: 1, name: "Agenda", exact: true })).toBeVisible();
  await expect(app.getByLabel("Title", { exact: true })).toHaveCount(0);

  await app.goto(`${server.address}/import`);
  const list = app.getByRole("textbox", { name: "Paste a list here" });
  await list.fill("call Ana\nbuy milk");
  await away();
  await app.goBack();
  await expect(list).toHaveValue("call Ana\nbuy milk");
});
