// Access: one-time links, tokens, and addresses that reveal nothing secret.

import type { Page } from "@playwright/test";

import { changes, LAPTOP, openTask, PASSPORTS, property, standing } from "./steps";
import { expect, taskId, test, watch } from "./world";

const kept = (page: Page): Promise<string | null> => page.evaluate(() => localStorage.getItem("dormouse.token"));

function signInPage(page: Page): ReturnType<Page["getByRole"]> {
  return page.getByRole("heading", { level: 1, name: "Sign in to Dormouse" });
}

test("the code of a link disappears from the address and the history, and the link works once", async ({ page, browser, server }) => {
  const link = await server.link();
  const code = new URL(link).hash.slice("#code=".length);
  expect(code).not.toBe("");
  await page.goto(link);
  await expect(page.getByRole("heading", { level: 1, name: "Nothing here yet" })).toBeVisible();
  expect(page.url()).toBe(`${server.address}/`);
  const cdp = await page.context().newCDPSession(page);
  const { entries } = await cdp.send("Page.getNavigationHistory");
  expect(entries.filter((entry) => entry.url.includes(code))).toEqual([]);
  expect(await kept(page)).toMatch(/^dm_[\w-]{43}$/);

  // Anyone who finds it later gets in with nothing.
  const stranger = await browser.newContext();
  await watch(stranger, () => server.address);
  const theirs = await stranger.newPage();
  await theirs.goto(link);
  await expect(signInPage(theirs)).toBeVisible();
  await expect(theirs.getByRole("alert")).toBeVisible();
  await expect(theirs.getByText("A code works once, within ten minutes.")).toBeVisible();
  expect(theirs.url()).toBe(`${server.address}/`);
  expect(await kept(theirs)).toBeNull();

  // A new link, pasted, opens the page that was requested.
  await theirs.goto(`${server.address}/tasks?status=any`);
  await theirs.getByRole("textbox").fill(await server.link());
  await theirs.getByRole("button", { name: "Sign in" }).click();
  await expect(theirs.getByRole("heading", { level: 1, name: "Tasks" })).toBeVisible();
  expect(theirs.url()).toBe(`${server.address}/tasks?status=any`);
  await stranger.close();
});

test("a token can be pasted; a wrong one is not kept", async ({ page, server }) => {
  await page.goto(server.address);
  await page.getByRole("textbox").fill(`dm_${"A".repeat(43)}`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  expect(await kept(page)).toBeNull();
  const { token } = (await server.ask("POST", "/api/tokens", { name: "pasted", scopes: ["read"] })) as { token: string };
  await page.getByRole("textbox").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Nothing here yet" })).toBeVisible();
});

test("signing out forgets the token, in every tab", async ({ sample, context, server }) => {
  const other = await context.newPage();
  await openTask(other, server, LAPTOP);
  await sample.keyboard.press("Control+k");
  await sample.getByRole("combobox").fill("sign out");
  await sample.keyboard.press("Enter");
  await expect(signInPage(sample)).toBeVisible();
  await expect(signInPage(other)).toBeVisible();
  expect(await kept(sample)).toBeNull();
  await expect(other.getByText(LAPTOP)).toHaveCount(0);
  // Nothing that was loaded remains.
  expect(await sample.evaluate(() => JSON.stringify(Object.entries(localStorage)))).not.toContain("passports");
});

test("a token that is revoked elsewhere signs the page out", async ({ page, server }) => {
  const made = (await server.ask("POST", "/api/tokens", { name: "a browser", scopes: ["read", "decide"] })) as {
    details: { id: string };
    token: string;
  };
  await page.goto(server.address);
  await page.getByRole("textbox").fill(made.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Nothing here yet" })).toBeVisible();
  await server.ask("DELETE", `/api/tokens/${made.details.id}`);
  await expect(signInPage(page)).toBeVisible();
  expect(await kept(page)).toBeNull();
});

test("a token in an address is refused, by the page and by the API", async ({ page, server }) => {
  const { token } = (await server.ask("POST", "/api/tokens", { name: "shown", scopes: ["read"] })) as { token: string };
  for (const path of [`/api/overview?token=${token}`, `/api/overview?access_token=${token}`, `/api/overview?q=${token}`]) {
    const answer = await fetch(server.address + path);
    expect(answer.status, path.slice(0, 30)).toBe(400);
    expect(((await answer.json()) as { type: string }).type).toMatch(/token-in-url$/);
    const withHeader = await fetch(server.address + path, { headers: { Authorization: `Bearer ${token}` } });
    expect(withHeader.status, path.slice(0, 30)).toBe(400);
  }
  for (const path of [`/?token=${token}`, `/#token=${token}`]) {
    await page.goto("about:blank");
    await page.goto(server.address + path);
    expect(await page.evaluate(() => localStorage.getItem("dormouse.token")).catch(() => null)).toBeNull();
    await expect(page.getByRole("navigation", { name: "Main" })).toHaveCount(0);
  }
});

test("addresses are stable: a deep link survives a reload, and Back goes back", async ({ sample, server }) => {
  const id = await taskId(server, PASSPORTS);
  await sample.goto(`${server.address}/tasks?status=any&group=due&q=passport`);
  await expect(sample.getByText("1 found")).toBeVisible();
  await sample.reload();
  await expect(sample.getByText("1 found")).toBeVisible();
  expect(new URL(sample.url()).search).toContain("q=passport");

  await sample.getByRole("link", { name: new RegExp(`^${PASSPORTS}`) }).click();
  await standing(sample, PASSPORTS);
  await sample.getByRole("link", { name: "Review details" }).click();
  await expect(sample.getByRole("dialog")).toBeVisible();
  await sample.reload();
  await expect(sample.getByRole("dialog", { name: /suggests 2 changes/ })).toBeVisible();
  await expect(sample).toHaveURL(`${server.address}/tasks/${id}/changes`);

  await sample.goBack();
  await expect(sample.getByRole("dialog")).toBeHidden();
  await standing(sample, PASSPORTS);
  await sample.goBack();
  await expect(sample.getByText("1 found")).toBeVisible();
  await sample.goForward();
  await standing(sample, PASSPORTS);
  await expect(property(sample, "Priority: None")).toBeVisible();
});

test("a review of one set has a link, and opens the other sets on request", async ({ sample, server }) => {
  const id = await taskId(server, PASSPORTS);
  const { items } = (await server.ask("GET", `/api/change-sets?task=${id}`)) as { items: { id: string }[] };
  const set = items[0]?.id ?? "";
  await sample.goto(`${server.address}/tasks/${id}/changes?set=${set}`);
  await expect(sample.getByRole("dialog", { name: /suggests 2 changes/ })).toBeVisible();
  await sample.reload();
  await expect(sample.getByRole("dialog", { name: /suggests 2 changes/ })).toBeVisible();
  await sample.getByRole("button", { name: "Show all" }).click();
  await expect(sample).toHaveURL(`${server.address}/tasks/${id}/changes`);
  await sample.keyboard.press("Escape");
  await expect(changes(sample)).toBeVisible();
});

test("an unknown address says so and leads home", async ({ app, server }) => {
  await app.goto(`${server.address}/nowhere/at/all`);
  await expect(app.getByText("There is nothing at this address.")).toBeVisible();
  await app.goto(`${server.address}/tasks/jt-00000000000000000000000000`);
  await expect(app.getByText("This task doesn’t exist.")).toBeVisible();
  await app.getByRole("link", { name: "Go to Tasks" }).last().click();
  await expect(app.getByRole("heading", { level: 1, name: "Tasks" })).toBeVisible();
});
