// A result is shown once, in the page that is in front, and read when its work is opened.

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

test("a result is shown once, and is read when the work is opened", async ({ app, server, model }) => {
  const states = async (): Promise<string[]> =>
    ((await server.ask("GET", "/api/deliveries")) as { items: { kind: string; state: string }[] }).items.map((one) => `${one.kind} ${one.state}`);
  model.says({ calls: [["publish_result", { title: "Letters", text: "Two letters came." }], ["finish", { outcome: "done", summary: "Looked." }]] });
  const body = { title: "Post", instructions: "Say which letters came.", model: "house/script" };
  await server.ask("POST", "/api/tasks", body);
  const notice = app.getByRole("status").filter({ hasText: "“Post” has a result." });
  await expect(notice).toBeVisible();
  await expect.poll(states).toEqual(["result delivered"]);
  for (const colorScheme of ["light", "dark"] as const) {
    await app.emulateMedia({ colorScheme });
    expect.soft(await faults(app), colorScheme).toEqual([]);
  }
  const size = app.viewportSize();
  await app.setViewportSize({ width: 320, height: 760 });
  expect.soft(await overflow(app), "320 wide").toEqual([]);
  if (size !== null) await app.setViewportSize(size);

  await app.reload();
  await still(app);
  await expect(notice).toHaveCount(0);
  await expect.poll(states).toEqual(["result delivered"]);

  model.says({ calls: [["publish_result", { title: "Letters", text: "None came." }], ["finish", { outcome: "done", summary: "Looked." }]] });
  const work = ((await server.ask("GET", "/api/tasks")) as { items: { id: string }[] }).items[0]?.id ?? "";
  await server.ask("POST", `/api/tasks/${work}/run`);
  await expect(notice).toBeVisible();
  await notice.getByRole("button", { name: "Details" }).click();
  await expect(app.getByRole("heading", { name: "Post", level: 1 })).toBeVisible();
  await expect.poll(states).toEqual(["result read", "result read"]);
});

test("a result that comes while the page is hidden is read when the page is in front again", async ({ app, server, model }) => {
  const states = async (): Promise<string[]> => ((await server.ask("GET", "/api/deliveries")) as { items: { state: string }[] }).items.map((one) => one.state);
  const isSeen = (now: "visible" | "hidden"): Promise<void> =>
    app.evaluate((state) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
      document.dispatchEvent(new Event("visibilitychange"));
    }, now);
  model.says({ calls: [["publish_result", { title: "Letters", text: "Two letters came." }], ["finish", { outcome: "done", summary: "Looked." }]] });
  const body = { title: "Post", instructions: "Say which letters came.", model: "house/script" };
  const work = ((await server.ask("POST", "/api/tasks", body)) as { id: string }).id;
  await app.goto(`${server.address}/work/${work}`);
  await expect.poll(states).toEqual(["read"]);

  await isSeen("hidden");
  model.says({ calls: [["publish_result", { title: "Letters", text: "None came." }], ["finish", { outcome: "done", summary: "Looked again." }]] });
  const read = app.waitForRequest((request) => request.url().endsWith("/deliveries/read"));
  await server.ask("POST", `/api/tasks/${work}/run`);
  await expect.poll(async () => (await states()).length).toBe(2);
  // The page has drawn what it would count as seen.
  await expect(app.getByText("Looked again.").first()).toBeVisible();
  expect(await states()).toEqual(["pending", "read"]);

  await isSeen("visible");
  await read;
  await expect.poll(states).toEqual(["read", "read"]);
});
