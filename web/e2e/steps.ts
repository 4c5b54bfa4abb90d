// Steps that many tests share.

import type { Locator, Page } from "@playwright/test";

import { expect, type Server, taskId } from "./world";

export const PASSPORTS = "Renew the passports";
export const LAPTOP = "Set up the new laptop";
export const GARDEN = "Prepare the garden for spring";
export const BIRTHDAY = "Plan grandmother's birthday";

/** Opens a task by its title; returns its id. */
export async function openTask(page: Page, server: Server, title: string): Promise<string> {
  const id = await taskId(server, title);
  await page.goto(`${server.address}/tasks/${id}`);
  await standing(page, title);
  return id;
}

/** Waits until the page of a task is loaded and live. */
export async function standing(page: Page, title: string): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toContainText(title);
}

/** The suggested changes of the task on screen. */
export function changes(page: Page): Locator {
  return page.getByRole("region", { name: /suggests|saved for later|left to decide/ });
}

/** The field for a new note. */
export function note(page: Page): Locator {
  return page.getByRole("textbox", { name: "Write a note" });
}

/** A property of the task on screen; its name includes the value. */
export function property(page: Page, name: string | RegExp): Locator {
  return page.getByRole("complementary", { name: "Properties" }).getByRole("button", { name });
}

export async function writeNote(page: Page, text: string): Promise<void> {
  await note(page).fill(text);
  await page.getByRole("button", { name: "Add note" }).click();
}

interface Item {
  set: string;
  index: number;
  status: string;
  humanSummary: string;
  digest: string;
}

/** The open changes of a task. */
export async function openItems(server: Server, task: string): Promise<Item[]> {
  return ((await server.ask("GET", `/api/journal/tasks/${task}/changes`)) as { items: Item[] }).items;
}

export interface TaskView {
  title: string;
  status: string;
  priority: string | null;
  dueOn: string | null;
  estimateMinutes: number | null;
  openProposals: number;
  items: { id: string; title: string; isChecked: boolean }[];
  entries: { id: string; kind: string; text: string }[];
  links: { id: string; kind: string }[];
}

/** The task on the server. */
export async function read(server: Server, task: string): Promise<TaskView> {
  return (await server.ask("GET", `/api/journal/tasks/${task}`)) as TaskView;
}
