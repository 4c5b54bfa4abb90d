// Conversations: listed, read from the newest turn back, left for the work and come back to, deleted.

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

test("without conversations the page says where one comes from", async ({ app }) => {
  await app.keyboard.press("g");
  await app.keyboard.press("c");
  await expect(app.getByRole("heading", { level: 1, name: "Conversations" })).toBeVisible();
  await expect(app.getByText("No conversations yet.")).toBeVisible();
  expect(await faults(app)).toEqual([]);
});

test("a result comes into the conversation in which it was asked for, and is resumed when that is deleted", async ({ app, server, model }) => {
  const begun = (await server.ask("POST", "/api/conversations", { title: "Tiles for the bathroom" })) as { id: string };
  for (let n = 1; n <= 31; n += 1) await server.ask("POST", `/api/conversations/${begun.id}/turns`, { content: `Quote number ${n}` });
  await app.goto(`${server.address}/conversations`);
  await still(app);
  await app.keyboard.press("j");
  await app.keyboard.press("Enter");
  await expect(app.getByRole("heading", { level: 1, name: "Tiles for the bathroom" })).toBeVisible();
  const turns = app.getByRole("list", { name: "Turns" }).getByRole("article");
  await expect(turns).toHaveCount(30);
  await expect(turns.last()).toContainText("Quote number 31");

  // The result arrives while the page is open.
  model.says({
    calls: [
      ["publish_result", { title: "Per square metre", text: "Leroy is **cheaper**. <img src=x onerror=alert(1)>" }],
      ["finish", { outcome: "done", summary: "Compared them." }],
    ],
  });
  const body = { title: "Tile quotes", instructions: "Compare the quotes.", model: "house/script", conversationId: begun.id };
  const work = (await server.ask("POST", "/api/tasks", body)) as { id: string };
  await expect(turns.last()).toContainText("Leroy is cheaper.");
  await expect(turns.last().locator("img")).toHaveCount(0);
  await expect(turns.nth(-2)).toContainText("Compare the quotes.");
  await app.getByRole("button", { name: "Load earlier turns" }).click();
  await expect(turns).toHaveCount(33);
  await expect(turns.first()).toContainText("Quote number 1");
  const folder = process.env["DORMOUSE_PICTURES"];
  for (const colorScheme of ["light", "dark"] as const) {
    await app.emulateMedia({ colorScheme });
    await still(app);
    expect.soft(await faults(app), colorScheme).toEqual([]);
    if (folder !== undefined) await app.screenshot({ path: `${folder}/tiles-${colorScheme}.png` });
  }
  for (const width of [390, 320]) {
    await app.setViewportSize({ width, height: 760 });
    await still(app);
    expect.soft(await overflow(app), String(width)).toEqual([]);
    if (folder !== undefined) await app.screenshot({ path: `${folder}/tiles-${width}.png` });
  }
  await app.setViewportSize({ width: 1280, height: 900 });

  await turns.last().getByRole("link", { name: "Tile quotes" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "Tile quotes" })).toBeVisible();
  await app.getByRole("button", { name: "Resume conversation" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "Tiles for the bathroom" })).toBeVisible();

  await app.getByRole("button", { name: "Delete" }).click();
  await app.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(app.getByText("“Tiles for the bathroom” was deleted.")).toBeVisible();
  await app.goto(`${server.address}/work/${work.id}`);
  await app.getByRole("button", { name: "Resume conversation" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "Tile quotes" })).toBeVisible();
  await expect(app.getByText("Nothing was said yet.")).toBeVisible();
  await app.getByRole("link", { name: "To the work" }).click();
  await expect(app).toHaveURL(new RegExp(`/work/${work.id}$`));
});

test("a conversation opens at its newest turn, and Back comes to where it was read", async ({ app, server }) => {
  const begun = (await server.ask("POST", "/api/conversations", { title: "Tiles" })) as { id: string };
  for (let n = 1; n <= 29; n += 1) await server.ask("POST", `/api/conversations/${begun.id}/turns`, { content: `Quote number ${n}` });
  await app.goto(`${server.address}/conversations`);
  await still(app);
  await app.getByRole("link", { name: "Tiles" }).click();
  const turns = app.getByRole("list", { name: "Turns" }).getByRole("article");
  await expect(turns.last()).toBeInViewport();
  await expect(turns.first()).not.toBeInViewport();

  await turns.nth(9).scrollIntoViewIfNeeded();
  const place = await app.evaluate(() => scrollY);
  await app.keyboard.press("g");
  await app.keyboard.press("w");
  await expect(app.getByRole("heading", { level: 1, name: "Agent work" })).toBeVisible();
  await app.goBack();
  await expect.poll(() => app.evaluate(() => scrollY)).toBe(place);
  await still(app);
  await expect(turns.last()).not.toBeInViewport();
});
