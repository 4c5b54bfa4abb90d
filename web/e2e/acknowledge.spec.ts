// What needs the person leaves the list and the badge when they have taken note of it, until something new
// happens.

import { ScriptedModel } from "./scriptedModel";
import { faults, overflow, still } from "./stage";
import { expect, test as base } from "./world";

const test = base.extend<{ model: ScriptedModel }>({
  model: async ({ server }, use) => {
    const model = new ScriptedModel();
    await model.start();
    await model.joins(server);
    await use(model);
    model.stop();
  },
});

const FAIL = { calls: [["finish", { outcome: "failed", summary: "The letter box was locked." }]] as [string, object][] };

test("what was taken note of leaves the list and the badge, and comes back with a new failure", async ({ app, server, model }) => {
  await server.ask("POST", "/api/journal/tasks", { title: "Water the plants" });
  model.says(FAIL);
  const body = { title: "Letters", instructions: "Say which letters came.", model: "house/script" };
  const id = ((await server.ask("POST", "/api/tasks", body)) as { id: string }).id;
  const row = app.getByRole("listitem").filter({ hasText: "Letters failed" }).filter({ has: app.getByRole("button") });
  await expect(row).toBeVisible();
  await expect(app).toHaveTitle(/^\(1\) One thing needs you/);
  for (const colorScheme of ["light", "dark"] as const) {
    await app.emulateMedia({ colorScheme });
    await still(app);
    expect.soft(await faults(app), colorScheme).toEqual([]);
  }
  const size = app.viewportSize();
  for (const width of [390, 320]) {
    await app.setViewportSize({ width, height: 760 });
    await still(app);
    expect.soft(await overflow(app), `${width} wide`).toEqual([]);
  }
  if (size !== null) await app.setViewportSize(size);

  const gotIt = row.getByRole("button", { name: /^Got it/ });
  await gotIt.focus();
  await app.keyboard.press("Enter");
  await expect(row).toHaveCount(0);
  await expect(app).toHaveTitle(/^Nothing needs you/);
  await app.getByRole("button", { name: "Undo" }).click();
  await expect(row).toBeVisible();
  await gotIt.click();
  await expect(row).toHaveCount(0);
  await app.reload();
  await still(app);
  await expect(app).toHaveTitle(/^Nothing needs you/);
  const listed = (await server.ask("GET", "/api/needs-attention?acknowledged=true")) as { items: { kind: string }[] };
  expect(listed.items.map((one) => one.kind)).toEqual(["workFailed"]);

  model.says(FAIL);
  await server.ask("POST", `/api/tasks/${id}/run`);
  await expect(row).toBeVisible();
  await expect(app).toHaveTitle(/^\(1\) One thing needs you/);
});
