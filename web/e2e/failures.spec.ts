// What a server can do wrong, and what the screen shows then. The rest of it keeps working.

import { readFileSync } from "node:fs";

import type { Page, Route } from "@playwright/test";

import { expect, open, signIn, still, test } from "./stage";
import { test as alone, type Server } from "./world";

const PROBLEM = { type: "https://dormouse.example/problems/internal", title: "Something failed", status: 500, detail: "The disk is on fire." };

/** The paths of the document as regular expressions, the longest first. */
const paths = Object.keys((JSON.parse(readFileSync("openapi.json", "utf8")) as { paths: Record<string, unknown> }).paths)
  .sort((a, b) => b.split("/").length - a.split("/").length || Number(a.includes("{")) - Number(b.includes("{")))
  .map((path) => ({ path, fits: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }));

function pathOf(url: string): string | undefined {
  const { pathname } = new URL(url);
  return paths.find((one) => one.fits.test(pathname))?.path;
}

/** Optional parts: without them the screen is complete, and the frame does not report them either. */
const EXTRA: Record<string, string[]> = {
  // The badge of Home and the awake agents are in the frame of every screen. A result that could not be loaded
  // stays pending, and is shown after the next load. Without the order of day and month it is the browser's.
  "*": ["/api/needs-attention", "/api/agents", "/api/deliveries", "/api/settings"],
  // Where the zone of the server cannot be loaded, times are those of the browser. Steps are offered once it is
  // known that a language model is there. Which built-in work is on is a remark in the gallery.
  home: ["/api/access"],
  work: ["/api/access"],
  "work/new": ["/api/access", "/api/models", "/api/tasks"],
  // The filter menus report their failures when they are opened, which has its own test.
  tasks: ["/api/journal/labels", "/api/journal/categories"],
  // The wake of a suggestion is only a link.
  task: ["/api/change-sets"],
  // The review is a dialog over its task, which reports its own failures.
  review: ["/api/change-sets", "/api/agents/{agent}", "/api/agents/{agent}/report"],
  // Only the language of the task's texts is needed; what was spent is an extra figure.
  "agent: activity": ["/api/journal/tasks/{task}", "/api/agents/{agent}/spending"],
  "agent: tool calls": ["/api/journal/tasks/{task}", "/api/agents/{agent}/spending"],
  "agent: wakes": ["/api/journal/tasks/{task}", "/api/agents/{agent}/spending"],
  "agent: what it knows": ["/api/journal/tasks/{task}", "/api/agents/{agent}/spending"],
  "agent: decisions": ["/api/journal/tasks/{task}", "/api/agents/{agent}/spending"],
  // The banner of a budget that is used up; the budgets themselves report their failures.
  settings: ["/api/overview"],
};
/** Where they are the subject of the screen. */
const MEANT: Record<string, string[]> = {
  home: ["/api/needs-attention", "/api/agents"],
  agents: ["/api/agents"],
  settings: ["/api/settings"],
};

function isTold(screen: string, path: string): boolean {
  if (MEANT[screen]?.includes(path)) return true;
  return !EXTRA["*"]?.includes(path) && !EXTRA[screen]?.includes(path);
}

const refuse = (route: Route): Promise<void> =>
  route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(PROBLEM) });

/** What a screen requests while it opens. */
async function askedBy(page: Page, show: () => Promise<void>): Promise<string[]> {
  const asked = new Set<string>();
  page.on("request", (request) => {
    const path = pathOf(request.url());
    if (path !== undefined) asked.add(path);
  });
  await show();
  page.removeAllListeners("request");
  return [...asked].sort();
}

const LOOKED = ["home", "tasks", "task", "review", "agents", "agent: activity", "agent: tool calls", "agent: wakes", "agent: what it knows", "agent: decisions", "work", "work/new", "export", "export of a task", "settings"];

async function addressOf(name: string, server: Server): Promise<string> {
  const { items } = (await server.ask("GET", "/api/journal/tasks?q=roof")) as { items: { id: string; agent: string }[] };
  const { id, agent } = items[0] ?? { id: "", agent: "" };
  const tab = { "agent: activity": "activity", "agent: tool calls": "tools", "agent: wakes": "wakes", "agent: what it knows": "knows", "agent: decisions": "decisions" }[name];
  if (tab !== undefined) return `/agents/${agent}/${tab}`;
  if (name === "export of a task") return `/export?task=${id}&format=csv`;
  return { home: "/", task: `/tasks/${id}`, review: `/tasks/${id}/changes` }[name] ?? `/${name}`;
}

for (const name of LOOKED) {
  test(`${name}: a 500 of each endpoint in turn`, async ({ page, server }) => {
    await signIn(page, server);
    const address = server.address + (await addressOf(name, server));
    const asked = await askedBy(page, async () => {
      await page.goto(address);
      await still(page);
    });
    expect(asked.length).toBeGreaterThan(1);
    // Each endpoint is a visit of its own.
    test.setTimeout(90_000 + 15_000 * asked.length);
    for (const path of asked) {
      await test.step(path, async () => {
        const isMeant = isTold(name, path);
        const broken = (url: URL): boolean => pathOf(url.href) === path;
        await page.route(broken, refuse);
        await page.goto(address);
        if (path === "/api/ws-tickets") {
          await expect.soft(page.getByText(/hasn’t responded since/), path).toBeVisible();
        } else if (isMeant) {
          const place = name === "review" && path.endsWith("/changes") ? page.getByRole("dialog") : page.locator("body");
          const alert = place.getByRole("alert").filter({ hasText: PROBLEM.detail });
          await expect.soft(alert.first(), path).toBeVisible();
          await expect.soft(alert.getByText("internal").first(), path).toBeVisible();
          // Each part that shares the failure reports it before it ends.
          await page.waitForLoadState("networkidle");
          await page.unroute(broken, refuse);
          // The person tries again, and the missing parts appear. All buttons at once: after one of them the
          // others may be gone before they can be clicked.
          const retry = place.getByRole("alert").getByRole("button", { name: "Try again" });
          await retry.evaluateAll((buttons) => buttons.forEach((one) => (one as HTMLElement).click()));
          await expect.soft(place.getByRole("alert"), path).toHaveCount(0);
        }
        // The frame and the screen are there.
        await expect.soft(page.getByRole("heading", { level: 1, includeHidden: true }), path).toBeAttached();
        await expect.soft(page.getByRole("link", { name: "Settings", includeHidden: true }).first(), path).toBeAttached();
        await page.unrouteAll({ behavior: "wait" });
      });
    }
  });
}

test("filters whose names cannot be loaded say so in their menu", async ({ page, server }) => {
  await signIn(page, server);
  await page.route(/\/api\/journal\/(labels|categories)/, refuse);
  await open(page, server, "/tasks");
  for (const name of ["Label", "Category"]) {
    await page.locator("[aria-haspopup=menu]").and(page.getByRole("button", { name, exact: true })).click();
    await expect(page.getByRole("alert").filter({ hasText: PROBLEM.detail })).toBeVisible();
    await page.unroute(/\/api\/journal\/(labels|categories)/);
    await page.getByRole("menuitem", { name: "Try again" }).click();
    await expect(page.getByRole("alert")).toHaveCount(0);
    await page.keyboard.press("Escape");
    await page.route(/\/api\/journal\/(labels|categories)/, refuse);
    await page.reload();
  }
});

test("what is loaded only on request reports its failure too", async ({ page, server }) => {
  await signIn(page, server);
  const task = await addressOf("task", server);
  const refused = page.getByText(PROBLEM.detail).first();
  await open(page, server, task);

  await page.route(/\/activity$/, refuse);
  await page.getByRole("heading", { name: "History" }).click();
  await expect(refused).toBeVisible();
  await page.unroute(/\/activity$/);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("created the task")).toBeVisible();

  await page.route(/\/reports/, refuse);
  await page.getByRole("button", { name: "Earlier reports" }).click();
  await expect(refused).toBeVisible();
  await page.keyboard.press("Escape");
  await page.unroute(/\/reports/);

  await page.route(/\/api\/journal\/labels/, refuse);
  await page.getByRole("button", { name: /^Labels/ }).click();
  await expect(refused).toBeVisible();
  await page.keyboard.press("Escape");
  await page.unroute(/\/api\/journal\/labels/);

  await page.route(/\/api\/journal\/tasks\?/, refuse);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("roof");
  await expect(refused).toBeVisible();
});

// Alone: an event of an agent would load them again before the click.
alone("the list by category says so when the categories fail", async ({ app, server }) => {
  await server.ask("POST", "/api/journal/tasks", { title: "Mend the roof" });
  await app.route(/\/api\/journal\/categories/, refuse);
  await app.goto(`${server.address}/tasks?group=category`);
  await expect(app.getByRole("alert").filter({ hasText: PROBLEM.detail })).toBeVisible();
  await app.unroute(/\/api\/journal\/categories/);
  await app.getByRole("button", { name: "Try again" }).click();
  await expect(app.getByRole("link", { name: /roof/ }).first()).toBeVisible();
});

alone("an edit that fails is reverted and reported", async ({ app, server }) => {
  const task = (await server.ask("POST", "/api/journal/tasks", { title: "Water the plants" })) as { id: string };
  await server.ask("POST", `/api/journal/tasks/${task.id}/checklist-items`, { title: "The fern" });
  await app.goto(`${server.address}/tasks/${task.id}`);
  const box = app.getByRole("checkbox", { name: "The fern" });
  const write = (route: Route): Promise<void> => (route.request().method() === "GET" ? route.continue() : refuse(route));

  await app.route(/\/api\/journal\/tasks\//, write);
  // It may be reverted before the click has returned.
  await box.click();
  await expect(app.getByText(PROBLEM.detail).first()).toBeVisible();
  await expect(box).not.toBeChecked();

  await app.getByRole("textbox", { name: "Write a note" }).fill("Twice a week.");
  await app.getByRole("button", { name: "Add note" }).click();
  await expect(app.getByRole("textbox", { name: "Write a note" })).toHaveValue("Twice a week.");
  await app.unroute(/\/api\/journal\/tasks\//);
  await app.getByRole("button", { name: "Add note" }).click();
  await expect(app.getByRole("listitem").getByText("Twice a week.")).toBeVisible();
  await expect(app.getByRole("textbox", { name: "Write a note" })).toHaveValue("");
});

for (const [what, answer] of [
  ["no JSON", { contentType: "application/json", body: '{"items": [' }],
  ["a page of a proxy", { contentType: "text/html", body: "<h1>Bad gateway</h1><script>alert(1)</script>" }],
  ["JSON of another shape", { contentType: "application/json", body: "[1, null]" }],
  ["nothing", { contentType: "application/json", body: "null" }],
] as const) {
  test(`an answer that is ${what}`, async ({ page, server }) => {
    await signIn(page, server);
    for (const name of ["home", "tasks", "task"]) {
      const address = server.address + (await addressOf(name, server));
      for (const status of [200, 502]) {
        await page.route(/\/api\/(?!ws)/, (route) => route.fulfill({ status, ...answer }));
        await page.goto(address);
        // In place where possible, otherwise for the whole screen.
        const shown = page.getByRole("alert").or(page.getByText("This screen couldn’t be loaded."));
        await expect.soft(shown.first(), `${name} ${status}`).toBeVisible();
        await expect.soft(page.getByRole("link", { name: "Tasks", exact: true }).first()).toBeVisible();
        await page.unrouteAll({ behavior: "wait" });
      }
    }
  });
}

test("a slow answer: placeholder bars after a moment, then the content", async ({ page, server }) => {
  await signIn(page, server);
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  await page.route(/\/api\/journal\/tasks\?/, async (route) => {
    await promise;
    await route.continue();
  });
  await page.goto(`${server.address}/tasks`);
  const bars = page.locator("main [aria-busy=true]");
  await expect(bars).toBeAttached();
  // Nothing for 300 ms, so that quick answers don't flicker.
  const from = await bars.evaluate((node) => {
    const [appear] = node.getAnimations();
    return Number(appear?.effect?.getTiming().delay);
  });
  expect(from).toBe(300);
  await expect(bars).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Tasks" })).toBeVisible();
  resolve();
  await expect(page.getByRole("link", { name: /roof/ }).first()).toBeVisible();
  await expect(bars).toHaveCount(0);
});

alone("a server of another version: the page says so, and a reload keeps what was typed", async ({ app, server }) => {
  const task = (await server.ask("POST", "/api/journal/tasks", { title: "Water the plants" })) as { id: string };
  await server.ask("POST", `/api/journal/tasks/${task.id}/checklist-items`, { title: "The fern" });
  await app.routeWebSocket(/\/api\/ws/, (socket) => {
    const real = socket.connectToServer();
    real.onMessage((message) => {
      const frame = JSON.parse(String(message)) as { type: string; version?: string };
      socket.send(JSON.stringify(frame.type === "hello" ? { ...frame, version: "99.1.0" } : frame));
    });
  });
  await app.goto(`${server.address}/tasks/${task.id}`);
  await expect(app.getByText(/Reload to use the new version/)).toBeVisible();
  await app.getByRole("textbox", { name: "Write a note" }).fill("Not too much water.");
  await app.getByRole("textbox", { name: "Add an item" }).fill("The cactus");
  await app.getByRole("heading", { level: 1 }).getByRole("button").click();
  await app.getByRole("textbox", { name: "Title" }).fill("Water all plants");
  const loaded = app.waitForEvent("load");
  await app.getByRole("button", { name: "Reload" }).click();
  await loaded;
  await expect(app.getByRole("textbox", { name: "Write a note" })).toHaveValue("Not too much water.");
  await expect(app.getByRole("textbox", { name: "Add an item" })).toHaveValue("The cactus");
  await expect(app.getByRole("heading", { level: 1, name: "Water all plants" })).toBeVisible();
  await expect.poll(async () => ((await server.ask("GET", `/api/journal/tasks/${task.id}`)) as { title: string }).title).toBe("Water all plants");
});

alone("an unknown frame and an invalid one do no harm", async ({ app, server }) => {
  await app.routeWebSocket(/\/api\/ws/, (socket) => {
    const real = socket.connectToServer();
    real.onMessage((message) => {
      socket.send("{");
      socket.send("null");
      socket.send(JSON.stringify({ type: "of:tomorrow", cursor: "not-a-cursor-of-today" }));
      socket.send(String(message));
    });
  });
  await app.goto(`${server.address}/tasks`);
  await expect(app.getByRole("heading", { level: 1, name: "Tasks" })).toBeVisible();
  await server.ask("POST", "/api/journal/tasks", { title: "Water the plants" });
  await expect(app.getByRole("link", { name: /Water the plants/ })).toBeVisible();
});
