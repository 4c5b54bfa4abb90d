// What is typed belongs to the field that was opened for it: no letter of a sentence is a command.

import type { Locator, Page } from "@playwright/test";

import { SHORTCUTS } from "../src/app/shortcuts";
import { changes, openItems, openTask, PASSPORTS, property, read } from "./steps";
import { expect, type Server, taskId, test } from "./world";

const ESTIMATE = "Estimate: 2 h";
/** It contains every single-letter shortcut, and many Y, X and V. */
const SENTENCE = "Why? Very busy: my taxi / van. Xavier said yes, PDELSRCF gt gh j k yxvyxv";

async function statuses(server: Server, id: string): Promise<string[]> {
  return (await openItems(server, id)).map((item) => item.status).sort();
}

/** Types a sentence without a pause after the key that opened the field. */
async function say(page: Page): Promise<void> {
  await page.keyboard.type(SENTENCE);
}

/** Focuses a suggestion, where Y, X and V decide. */
async function onSuggestion(page: Page): Promise<void> {
  await changes(page).getByRole("button", { name: `Reject: ${ESTIMATE}` }).focus();
}

interface Case {
  /** Presses the key; returns the field it opens. */
  open: (page: Page, server: Server, id: string) => Promise<Locator>;
  /** Where it happens. */
  at?: "task" | "list" | "agents";
}

const press =
  (key: string, field: (page: Page) => Locator, before: (page: Page) => Promise<void> = onSuggestion) =>
  async (page: Page): Promise<Locator> => {
    await before(page);
    await page.keyboard.press(key);
    return field(page);
  };

const dialogField = (name: string) => (page: Page) => page.getByRole("dialog").getByRole("textbox", { name });
const onRow = (page: Page): Promise<void> => page.locator("[data-row]", { hasText: PASSPORTS }).focus();

/** Each key that opens a field, and each place where it does. Rejections have their own tests below. */
const CASES: Record<string, Record<string, Case>> = {
  "mod+k": {
    "on a task": { open: press("Control+k", (page) => page.getByRole("combobox", { name: /^Search tasks/ })) },
  },
  c: { "on a task": { open: press("c", dialogField("What needs to be done?")) } },
  "/": {
    "in the list": { at: "list", open: press("/", (page) => page.getByRole("searchbox"), onRow) },
    "among agents": { at: "agents", open: press("/", (page) => page.getByRole("searchbox"), (page) => page.locator("[data-row]").first().focus()) },
  },
  d: {
    "on a task": { open: press("d", (page) => page.getByRole("dialog", { name: /^Due/ }).getByLabel("Due", { exact: true })) },
    "in the list": { at: "list", open: press("d", (page) => page.getByRole("dialog", { name: /^Due/ }).getByLabel("Due", { exact: true }), onRow) },
  },
  e: {
    "on a task": { open: press("e", dialogField("Estimate")) },
    "in the list": { at: "list", open: press("e", dialogField("Estimate"), onRow) },
  },
  l: {
    "on a task": { open: press("l", (page) => page.getByRole("dialog").getByRole("combobox")) },
    "in the list": { at: "list", open: press("l", (page) => page.getByRole("dialog").getByRole("combobox"), onRow) },
  },
  x: {},
  // Not with a single key, but with the keyboard only.
  Enter: {
    title: { open: press("Enter", (page) => page.getByRole("textbox", { name: "Title" }), (page) => page.getByRole("button", { name: PASSPORTS, exact: true }).focus()) },
    "an item": { open: press("Enter", (page) => page.getByRole("textbox", { name: "item", exact: true }), (page) => page.getByRole("button", { name: "Fill in the forms", exact: true }).focus()) },
    estimate: { open: press("Enter", dialogField("Estimate"), (page) => property(page, "Estimate: None").focus()) },
    "the reason of a status": {
      open: async (page) => {
        await onSuggestion(page);
        await page.keyboard.press("s");
        await page.getByRole("menuitem", { name: "Blocked" }).focus();
        await page.keyboard.press("Enter");
        return page.getByRole("dialog").getByRole("textbox");
      },
    },
    "the text of a note": {
      open: async (page) => {
        await page.getByRole("button", { name: "More actions for this entry" }).first().focus();
        await page.keyboard.press("Enter");
        await expect(page.getByRole("menuitem", { name: "Edit" })).toBeVisible();
        await page.getByRole("menuitem", { name: "Edit" }).focus();
        await page.keyboard.press("Enter");
        return page.getByRole("textbox", { name: "Entry text" });
      },
    },
  },
};

test("each shortcut that opens a field has a test case", () => {
  const opening = SHORTCUTS.filter((row) => "opens" in row).flatMap((row) => [...row.keys]);
  expect(Object.keys(CASES).filter((key) => key !== "Enter").sort()).toEqual([...opening].sort());
});

test("a sentence after each key that opens a field goes into the field and does nothing else", async ({ sample, server }) => {
  test.slow();
  const id = await taskId(server, PASSPORTS);
  const all = Object.entries(CASES).flatMap(([key, places]) => Object.entries(places).map(([place, one]) => ({ name: `${key}, ${place}`, ...one })));
  for (const { name, open, at = "task" } of all) {
    await test.step(name, async () => {
      await openTask(sample, server, PASSPORTS);
      await expect(changes(sample).getByRole("heading", { name: /suggests 2 changes/ })).toBeVisible();
      if (at === "list") await sample.getByRole("link", { name: "Tasks", exact: true }).first().click();
      if (at === "agents") await sample.getByRole("link", { name: "Agents", exact: true }).first().click();
      await expect(sample.locator(at === "task" ? "[data-change]" : "[data-row]").first()).toBeVisible();
      const field = await open(sample, server, id);
      await say(sample);
      await expect(field).toBeFocused();
      const typed = await field.inputValue();
      // All of it, or its end: what came before the field was there is lost.
      expect(typed !== "" && (SENTENCE.endsWith(typed) || typed.endsWith(SENTENCE)), typed).toBe(true);
      expect(await statuses(server, id)).toEqual(["pending", "pending"]);
      expect((await server.ask("GET", "/api/journal/tasks")).items).toHaveLength(5);
      if (at === "task") expect(new URL(sample.url()).pathname).toBe(`/tasks/${id}`);
    });
  }
});

for (const how of ["X", "a click"] as const) {
  test(`in the list of changes, what is typed after ${how} is the reason, and decides nothing`, async ({ sample, server }) => {
    const id = await openTask(sample, server, PASSPORTS);
    const reject = changes(sample).getByRole("button", { name: /^Reject: Due date/ });
    await reject.focus();
    if (how === "X") await sample.keyboard.press("x");
    else await reject.click();
    await say(sample);
    const why = changes(sample).getByRole("textbox", { name: /^Rejected. Why not “Due date/ });
    await expect(why).toBeFocused();
    await expect(why).toHaveValue(SENTENCE);
    expect(await statuses(server, id)).toEqual(["pending"]);

    // Enter moves on to the next row, where keys decide again.
    await sample.keyboard.press("Enter");
    await expect(changes(sample).getByRole("button", { name: `Reject: ${ESTIMATE}` })).toBeFocused();
    await expect(why).toBeHidden();
    await sample.keyboard.press("v");
    await expect.poll(() => statuses(server, id)).toEqual(["deferred"]);
    const { agent } = await server.ask("GET", `/api/journal/tasks/${id}`);
    await expect.poll(async () => JSON.stringify(await server.ask("GET", `/api/agents/${agent}/decisions`))).toContain("Xavier said yes");
    const view = await read(server, id);
    expect([view.dueOn, view.estimateMinutes]).toEqual([null, null]);
  });

  test(`in the review, what is typed after ${how} is the reason, and selects nothing else`, async ({ sample, server }) => {
    const id = await openTask(sample, server, PASSPORTS);
    await sample.getByRole("link", { name: "Review details" }).click();
    const dialog = sample.getByRole("dialog");
    const due = dialog.getByRole("radiogroup", { name: /^Due date/ });
    const estimate = dialog.getByRole("radiogroup", { name: ESTIMATE });
    await expect(due).toBeVisible();
    if (how === "X") {
      await sample.keyboard.press("j");
      await sample.keyboard.press("x");
    } else await due.getByRole("radio", { name: "Reject" }).click();
    await say(sample);
    const why = dialog.getByRole("textbox", { name: "Reason for rejecting (optional)" });
    await expect(why).toBeFocused();
    await expect(why).toHaveValue(SENTENCE);
    await expect(due.getByRole("radio", { name: "Reject" })).toBeChecked();
    for (const radio of await estimate.getByRole("radio").all()) await expect(radio).not.toBeChecked();

    // Escape leaves the field, not the review; Tab and Enter go on to the next item.
    await sample.keyboard.press("Escape");
    await expect(dialog).toBeVisible();
    await expect(due.getByRole("radio", { name: "Reject" })).toBeFocused();
    await sample.keyboard.press("x");
    await expect(why).toBeFocused();
    await sample.keyboard.press("Tab");
    await sample.keyboard.press("y");
    await expect(estimate.getByRole("radio", { name: "Confirm" })).toBeChecked();
    await expect(dialog.getByText("1 to confirm, 1 to reject")).toBeVisible();
    expect(await statuses(server, id)).toEqual(["pending", "pending"]);
  });
}

test("a reason can be skipped: Enter goes on, and the next key decides the next row", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await sample.getByRole("link", { name: "Review details" }).click();
  const dialog = sample.getByRole("dialog");
  await expect(dialog.getByRole("radiogroup").first()).toBeVisible();
  await sample.keyboard.press("j");
  await sample.keyboard.press("x");
  await expect(dialog.getByRole("textbox")).toBeFocused();
  await sample.keyboard.press("Enter");
  await expect(dialog.getByRole("textbox")).toHaveCount(0);
  await sample.keyboard.press("y");
  await expect(dialog.getByText("1 to confirm, 1 to reject")).toBeVisible();
  await dialog.getByRole("button", { name: "Apply 2 decisions" }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => statuses(server, id)).toEqual([]);
});

test("a letter typed next to an empty reason is its first letter", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await sample.getByRole("link", { name: "Review details" }).click();
  const dialog = sample.getByRole("dialog");
  const due = dialog.getByRole("radiogroup", { name: /^Due date/ });
  // An arrow passes over it: the focus stays on the radio buttons.
  await due.getByRole("radio", { name: "Later" }).click();
  await sample.keyboard.press("ArrowLeft");
  await expect(due.getByRole("radio", { name: "Reject" })).toBeFocused();
  await sample.keyboard.type("yes, but not in March");
  await expect(dialog.getByRole("textbox")).toHaveValue("yes, but not in March");
  await expect(due.getByRole("radio", { name: "Reject" })).toBeChecked();
  expect(await statuses(server, id)).toEqual(["pending", "pending"]);
});

for (const where of ["list", "review"] as const) {
  test(`two keys in one frame, in the ${where}: the second decides nothing`, async ({ sample, server }) => {
    const id = await openTask(sample, server, PASSPORTS);
    await onSuggestion(sample);
    if (where === "review") {
      await sample.getByRole("link", { name: "Review details" }).click();
      await sample.getByRole("dialog").getByRole("radio", { name: "Later" }).first().focus();
    }
    await sample.evaluate(() => {
      const hit = (key: string): void => {
        document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      };
      hit("x");
      for (const key of "yvyvjyvk") hit(key);
    });
    if (where === "review") {
      await expect(sample.getByText("1 to reject", { exact: true })).toBeVisible();
      expect(await statuses(server, id)).toEqual(["pending", "pending"]);
    } else {
      await expect(changes(sample).getByRole("textbox")).toBeFocused();
      await expect.poll(() => statuses(server, id)).toEqual(["pending"]);
    }
    const view = await read(server, id);
    expect([view.dueOn, view.estimateMinutes]).toEqual([null, null]);
  });
}
