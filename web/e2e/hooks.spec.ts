// Hooks of agent work: made on its page, called by a program without a token, rotated and removed.

import { createHmac } from "node:crypto";

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

/** The section is accessible in both themes, and fits a narrow phone. */
async function looked(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await still(page);
    expect.soft(await faults(page), `${name}, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
  const size = page.viewportSize();
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 760 });
    await still(page);
    expect.soft(await overflow(page), `${name}, ${width} wide`).toEqual([]);
  }
  if (size !== null) await page.setViewportSize(size);
}

async function call(address: string, secret: string, id: string, body: string): Promise<number> {
  const at = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
  const headers = { "content-type": "application/json", "webhook-id": id, "webhook-timestamp": at, "webhook-signature": `v1,${signature}` };
  return (await fetch(address, { method: "POST", headers, body })).status;
}

const make = async (server: Server): Promise<string> => {
  const body = { title: "Letters", instructions: "Say which letters came.", model: "house/script", waitsForCalls: true };
  return ((await server.ask("POST", "/api/tasks", body)) as { id: string }).id;
};

test("a hook is made with a secret that is shown once, and starts a run by a signed call", async ({ app, server, model }) => {
  const id = await make(server);
  await app.goto(`${server.address}/work/${id}`);
  await still(app);
  const hooks = app.getByRole("region", { name: "Hooks" });
  // By keyboard: the button, the name, Enter.
  await hooks.getByRole("button", { name: "Add a hook" }).focus();
  await app.keyboard.press("Enter");
  const dialog = app.getByRole("dialog");
  await dialog.getByLabel("Name of the caller").fill("Mail server");
  await looked(app, "new hook");
  await app.keyboard.press("Enter");
  const secret = await dialog.getByLabel("Secret", { exact: true }).inputValue();
  expect(secret).toMatch(/^whsec_/);
  await looked(app, "secret");
  // Closed by accident, it asks first.
  await app.keyboard.press("Escape");
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(dialog).toHaveCount(0);
  await expect(hooks.getByText("never called")).toBeVisible();
  const address = await hooks.getByLabel("Address of Mail server").inputValue();
  expect(new URL(address).origin).toBe(new URL(server.address).origin);
  await hooks.getByText("Send a test").click();
  await expect(hooks.getByLabel("Commands that call Mail server")).toContainText(address);

  model.says({ calls: [["finish", { outcome: "done", summary: "Two letters came." }]] });
  expect(await call(address, secret, "msg_1", '{"letters":2}')).toBe(200);
  expect(await call(address, secret, "msg_1", '{"letters":2}')).toBe(200);
  expect(await call(address, "whsec_QUJD", "msg_2", "{}")).toBe(403);
  await expect(app.getByText("Two letters came.").first()).toBeVisible();
  expect(model.bodies[0]).toContain("letters");
  await app.reload();
  await still(app);
  await expect(hooks.getByText(/Refused lately:.*wrong signature: 1/)).toBeVisible();
  await hooks.getByText("Last calls").click();
  await expect(hooks.getByRole("list", { name: "Calls of Mail server" })).toContainText("msg_1");
  await looked(app, "hooks");

  await hooks.getByRole("button", { name: "New secret of Mail server" }).click();
  await dialog.getByLabel("Stop accepting the old secret").check();
  await dialog.getByRole("button", { name: "New secret", exact: true }).click();
  const other = await dialog.getByLabel("Secret", { exact: true }).inputValue();
  expect(other).not.toBe(secret);
  await app.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  expect(await call(address, secret, "msg_3", "{}")).toBe(403);
  const remove = hooks.getByRole("button", { name: "Remove the hook Mail server" });
  await remove.click();
  await remove.click();
  await expect(hooks.getByText("Mail server")).toHaveCount(0);
  expect(await call(address, other, "msg_4", "{}")).toBe(404);
});
