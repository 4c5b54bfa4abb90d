// Agent work that is held to its steps, and that proposes changes of a task.

import { ScriptedModel, type Turn } from "./scriptedModel";
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

const FINISH: Turn = { calls: [["finish", { outcome: "done", summary: "Told." }]] };

async function make(server: Server, parts: object): Promise<string> {
  const body = { title: "Digest", instructions: "Say what is new.", model: "house/script", ...parts };
  return ((await server.ask("POST", "/api/tasks", body)) as { id: string }).id;
}

test("steps are set on the page, and a run shows how far it got", async ({ app, server, model }) => {
  const id = await make(server, { schedule: "every weekday at 9" });
  await app.goto(`${server.address}/work/${id}`);
  await still(app);
  await app.getByRole("button", { name: "Edit" }).click();
  await app.locator("summary").filter({ hasText: "Steps" }).click();
  await app.getByRole("button", { name: "Add a step" }).click();
  await app.getByLabel("Step 1", { exact: true }).fill("Sum it up");
  await app.getByLabel("What is checked in step 1").selectOption({ label: "Maximum number of words" });
  await app.getByLabel("Most words in step 1").fill("0");
  await app.getByRole("button", { name: "Save" }).click();
  await expect(app.getByRole("alert")).toContainText("allows no word");
  await app.getByLabel("Most words in step 1").fill("3");
  await app.setViewportSize({ width: 390, height: 760 });
  await still(app);
  expect.soft(await overflow(app), "the form, 390 wide").toEqual([]);
  await app.setViewportSize({ width: 1280, height: 800 });
  expect.soft(await faults(app), "the form").toEqual([]);
  await app.getByRole("button", { name: "Save" }).click();
  await expect(app.getByRole("button", { name: "Edit" })).toBeVisible();
  const { task } = (await server.ask("GET", `/api/tasks/${id}`)) as { task: { steps: unknown } };
  expect(task.steps).toEqual([{ text: "Sum it up", mandatory: true, check: { type: "words", most: 3 } }]);

  model.says(
    { calls: [["publish_result", { title: "News", text: "Far too many words" }], ["finish_step", { step: 1 }]] },
    { calls: [["publish_result", { title: "News", text: "One two three" }], ["finish_step", { step: 1, note: "It is short now." }]] },
    FINISH,
  );
  await server.ask("POST", `/api/tasks/${id}/run`);
  await expect.poll(async () => ((await server.ask("GET", `/api/tasks/${id}`)) as { task: { runState: string } }).task.runState).toBe("succeeded");
  await app.reload();
  await still(app);
  const steps = app.getByRole("region", { name: "Steps" });
  await expect(steps).toContainText("Sum it up");
  await expect(steps).toContainText("Done");
  await expect(steps).toContainText("It is short now.");
  expect.soft(await faults(app), "the run").toEqual([]);
});

test("what a run proposes is reviewed with the task, and leads back to the work", async ({ app, server, model }) => {
  const task = ((await server.ask("POST", "/api/journal/tasks", { title: "Paint the fence" })) as { id: string }).id;
  model.says({ calls: [["set_task_status", { taskId: task, status: "ON HOLD", reason: "it rains" }]] }, FINISH);
  const id = await make(server, {});
  await expect.poll(async () => ((await server.ask("GET", `/api/tasks/${id}`)) as { task: { runState: string } }).task.runState).toBe("succeeded");
  await app.goto(`${server.address}/`);
  await still(app);
  await app.getByRole("link", { name: /^Digest suggests/ }).click();
  await expect(app.getByRole("dialog").getByRole("link", { name: /^Source of the suggestion/ })).toHaveAttribute("href", `/work/${id}`);
  expect.soft(await faults(app), "the review").toEqual([]);
  await expect(app.getByText(/it rains/).first()).toBeVisible();
});
