// Every screen and how to open it, for tests that visit all of them.

import type { Page } from "@playwright/test";

import { drop, MOVE } from "./lists";
import { expect, open, still } from "./stage";
import type { Server } from "./world";

export interface Screen {
  name: string;
  show: (page: Page, server: Server, isPhone: boolean) => Promise<void>;
}

async function rich(server: Server): Promise<{ id: string; agent: string }> {
  const page = (await server.ask("GET", "/api/journal/tasks?q=roof")) as { items: { id: string; agent: string }[] };
  const first = page.items[0];
  if (first === undefined) throw new Error("the sample has no task with a roof");
  return first;
}

/** Adds a provider at which nothing listens, with a model that is known. */
async function far(server: Server): Promise<void> {
  await server.ask("PUT", "/api/models/providers/far", { format: "chatCompletions", baseUrl: "http://127.0.0.1:9/v1", isOwn: false });
  await server.ask("PUT", "/api/models/window", { model: "far/big", window: null });
}

const at =
  (path: string) =>
  async (page: Page, server: Server): Promise<void> =>
    open(page, server, path);

const ofAgent =
  (tab: string) =>
  async (page: Page, server: Server): Promise<void> => {
    const { agent } = await rich(server);
    await open(page, server, `/agents/${agent}/${tab}`);
  };

/** A template with two versions. */
async function twice(server: Server): Promise<string> {
  const { items } = (await server.ask("GET", "/api/templates")) as { items: { id: string; displayName: string }[] };
  const known = items.find((one) => one.displayName === "Twice");
  if (known !== undefined) return known.id;
  const { template } = await server.ask("POST", "/api/templates", { name: "Twice", generalDirective: "Be warm.\nAsk when in doubt.", reportDirective: "No emojis." });
  await server.ask("PATCH", `/api/templates/${template.id}`, { generalDirective: "Be terse.\nAsk when in doubt.", modelId: "builtin" });
  return template.id;
}

/** The template that the agents of the sample follow. */
async function calm(server: Server): Promise<string> {
  const { items } = (await server.ask("GET", "/api/templates")) as { items: { id: string; displayName: string }[] };
  return items.find((one) => one.displayName === "Calm")?.id ?? "";
}

/** The screens of a signed-in person with tasks. */
export const screens: readonly Screen[] = [
  { name: "home", show: at("/") },
  { name: "tasks", show: at("/tasks") },
  { name: "tasks that are searched", show: at("/tasks?q=photos&status=any") },
  { name: "no task that fits", show: at("/tasks?q=zzzzz") },
  {
    name: "task",
    show: async (page, server) => {
      const { id } = await rich(server);
      await open(page, server, `/tasks/${id}`);
      await expect(page.getByRole("heading", { name: /suggests/ })).toBeVisible();
      await page.getByRole("heading", { name: "History" }).click();
      await still(page);
    },
  },
  {
    name: "task as it was",
    show: async (page, server) => {
      const { id, agent } = await rich(server);
      const { items } = await server.ask("GET", `/api/agents/${agent}/wakes`);
      const first = items.filter((wake: { runKey: string | null; status: string }) => wake.runKey !== null && wake.status === "completed").at(-1);
      await open(page, server, `/tasks/${id}?at=${first.runKey}`);
      await expect(page.getByRole("status").filter({ hasText: "As it was" })).toBeVisible();
      await still(page);
    },
  },
  {
    name: "review",
    show: async (page, server) => {
      const { id } = await rich(server);
      await open(page, server, `/tasks/${id}/changes`);
      await expect(page.getByRole("dialog")).toBeVisible();
      await still(page);
    },
  },
  {
    name: "palette",
    show: async (page, server) => {
      await open(page, server, "/tasks");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("roof");
      await expect(page.getByRole("option", { name: /roof/ }).first()).toBeVisible();
    },
  },
  {
    name: "keys",
    show: async (page, server) => {
      await open(page, server, "/");
      await page.keyboard.press("?");
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "new task",
    show: async (page, server) => {
      await open(page, server, "/tasks");
      await page.getByRole("button", { name: "New task" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  { name: "import", show: at("/import") },
  {
    name: "import plan",
    show: async (page, server) => {
      await open(page, server, "/import");
      await drop(page, [{ name: "move.md", text: MOVE }]);
      await expect(page.getByRole("button", { name: "Add 4 tasks" })).toBeEnabled();
      await page.getByRole("button", { name: /^Lines? 7/ }).first().click();
      await still(page);
    },
  },
  {
    name: "import of a sheet",
    show: async (page, server) => {
      await open(page, server, "/import");
      await drop(page, [{ name: "things.csv", text: "what;room;until;who\nBookshelf apart;living room;2027-01-27;Radu\nCurtain rails;bedroom;31.2.;\n" }]);
      await expect(page.getByRole("button", { name: "Add 2 tasks" })).toBeEnabled();
      await still(page);
    },
  },
  { name: "export", show: at("/export?format=todoTxt") },
  {
    name: "export of a task",
    show: async (page, server) => {
      const { id } = await rich(server);
      await open(page, server, `/export?task=${id}`);
      await expect(page.getByRole("button", { name: "Download" })).toBeEnabled();
      await still(page);
    },
  },
  { name: "agents", show: at("/agents") },
  { name: "agent: activity", show: ofAgent("activity") },
  { name: "agent: tool calls", show: ofAgent("tools") },
  { name: "agent: wakes", show: ofAgent("wakes") },
  { name: "agent: what it knows", show: ofAgent("knows") },
  { name: "agent: decisions", show: ofAgent("decisions") },
  { name: "agent work", show: at("/work") },
  { name: "new agent work", show: at("/work/new") },
  { name: "templates", show: at("/templates") },
  {
    name: "new template",
    show: async (page, server) => {
      await open(page, server, "/templates");
      await page.getByRole("button", { name: "New template" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "template that is edited",
    show: async (page, server) => {
      await open(page, server, `/templates/${await twice(server)}`);
      await page.getByLabel("Report directive").fill("No emojis, no estimates.");
      await page.getByText(/sentences? changes? nothing without/).first().click();
      await expect(page.getByText("Changed, not saved")).toBeVisible();
      await still(page);
    },
  },
  {
    name: "template: versions",
    show: async (page, server) => {
      await open(page, server, `/templates/${await twice(server)}/versions`);
      await expect(page.getByRole("heading", { name: "What changed" })).toBeVisible();
      await still(page);
    },
  },
  {
    name: "template: metrics",
    show: async (page, server) => {
      await open(page, server, `/templates/${await calm(server)}/metrics`);
      await page.getByText("The same as a table").click();
      await expect(page.getByRole("heading", { name: "By tool" })).toBeVisible();
      await still(page);
    },
  },
  { name: "settings", show: at("/settings") },
  {
    name: "settings: models",
    show: async (page, server) => {
      await open(page, server, "/settings#models");
      await expect(page.getByRole("region", { name: "Models" }).getByText("Built-in rules")).toBeVisible();
    },
  },
  {
    name: "settings: new provider",
    show: async (page, server) => {
      await open(page, server, "/settings#models");
      await page.getByRole("button", { name: "Add a provider" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Add a provider" }).click();
      await expect(page.getByText("Use only letters, digits, “-” and “.”.")).toBeVisible();
    },
  },
  {
    name: "settings: a wrong budget",
    show: async (page, server) => {
      // By way of another page, so that nothing of the screen before is still open.
      await open(page, server, "/agents");
      await open(page, server, "/settings#budgets");
      await expect(page.getByLabel("One wake")).toHaveValue("0.10");
      await page.getByLabel("One wake").fill("much");
      await page.getByLabel("One wake").press("Enter");
      await expect(page.getByRole("alert")).toBeVisible();
    },
  },
  {
    name: "settings: categories of a provider",
    show: async (page, server) => {
      await open(page, server, "/agents");
      await far(server);
      await open(page, server, "/settings#models");
      await page.getByRole("button", { name: "More actions for far" }).click();
      await page.getByRole("menuitem", { name: "Categories…" }).click();
      await page.getByRole("radio", { name: "Only tasks of these categories" }).check();
      await expect(page.getByRole("checkbox", { name: "Without a category" })).toBeVisible();
      await still(page);
    },
  },
  {
    name: "settings: the question before a model summarises",
    show: async (page, server) => {
      await open(page, server, "/agents");
      await far(server);
      await open(page, server, "/settings#models");
      await page.getByLabel("Older notes are summarised by").selectOption({ label: "big (far)" });
      await expect(page.getByRole("dialog")).toContainText("Never sent");
      await still(page);
    },
  },
  {
    name: "settings: the audit log",
    show: async (page, server) => {
      await open(page, server, "/agents");
      await open(page, server, "/settings#audit");
      await page.getByRole("button", { name: "Show the audit log" }).click();
      await expect(page.getByRole("list", { name: "Audit log" }).getByRole("listitem").first()).toBeVisible();
    },
  },
  { name: "nothing", show: at("/nowhere") },
];
