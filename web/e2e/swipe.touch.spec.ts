// Swiping a row: right confirms, left rejects, anything else changes nothing.

import type { Locator, Page } from "@playwright/test";

import { changes, openItems, openTask, PASSPORTS, read } from "./steps";
import { expect, type Server, test } from "./world";

interface Step {
  /** Fractions of the row's width, from where the finger came down. */
  dx: number;
  dy?: number;
}

interface Gesture {
  /** The positions of the finger, one per frame. */
  steps: Step[];
  /** The system cancels the touch before the finger leaves. */
  isTaken?: boolean;
}

/** Moves a real finger over the row, slowly enough not to be a flick. */
async function swipe(page: Page, row: Locator, { steps, isTaken = false }: Gesture): Promise<void> {
  await row.scrollIntoViewIfNeeded();
  const box = await row.boundingBox();
  if (box === null) throw new Error("the row is not on screen");
  const from = { x: box.x + box.width * 0.45, y: box.y + box.height / 2 };
  const finger = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd" | "touchCancel", at?: { x: number; y: number }): Promise<unknown> =>
    finger.send("Input.dispatchTouchEvent", { type, touchPoints: at === undefined ? [] : [at] });
  const frame = (): Promise<void> => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
  await touch("touchStart", from);
  for (const { dx, dy = 0 } of steps) {
    await touch("touchMove", { x: from.x + dx * box.width, y: from.y + dy * box.height });
    await frame();
  }
  // Held still, so that the velocity is zero.
  const last = steps.at(-1) ?? { dx: 0 };
  for (let held = 0; held < 5; held += 1) {
    await touch("touchMove", { x: from.x + last.dx * box.width + (held % 2), y: from.y + (last.dy ?? 0) * box.height });
    await frame();
  }
  await touch(isTaken ? "touchCancel" : "touchEnd");
  await finger.detach();
}

const way = (to: number, n = 8): Step[] => Array.from({ length: n }, (_, at) => ({ dx: (to * (at + 1)) / n }));

function rowOf(page: Page): Locator {
  return changes(page).getByRole("listitem").filter({ has: page.getByRole("button", { name: "Confirm: Estimate: 2 h" }) });
}

async function statuses(server: Server, id: string): Promise<string[]> {
  return (await openItems(server, id)).map((item) => item.status);
}

test("a swipe to the right confirms, and Undo undoes it", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await swipe(sample, rowOf(sample), { steps: way(0.5) });
  await expect(sample.getByText("Confirmed: Estimate: 2 h")).toBeVisible();
  await expect(rowOf(sample)).toHaveCount(0);
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBe(120);
  // The tap that ended it opened no review.
  await expect(sample).toHaveURL(new RegExp(`/tasks/${id}$`));

  await sample.getByRole("button", { name: "Undo" }).tap();
  await expect(rowOf(sample)).toHaveCount(1);
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBeNull();
});

test("a swipe to the left rejects", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await swipe(sample, rowOf(sample), { steps: way(-0.42) });
  await expect(sample.getByText("Rejected: Estimate: 2 h")).toBeVisible();
  await expect(rowOf(sample)).toHaveCount(0);
  await expect.poll(async () => statuses(server, id)).toEqual(["pending"]);
  expect((await read(server, id)).estimateMinutes).toBeNull();
});

test("an interrupted swipe changes nothing", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  const sent: string[] = [];
  sample.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/api/change-sets/")) sent.push(request.url());
  });
  const gestures: Gesture[] = [
    // Not far enough.
    { steps: way(0.3) },
    // Far enough, and back.
    { steps: [...way(0.5), ...way(0.5).reverse(), { dx: 0.03 }] },
    { steps: [...way(-0.42), ...way(-0.42).reverse(), { dx: -0.03 }] },
    // The system cancels the touch.
    { steps: way(0.5), isTaken: true },
    // A scroll.
    { steps: Array.from({ length: 8 }, (_, at) => ({ dx: 0.01 * at, dy: -0.3 * at })) },
  ];
  for (const gesture of gestures) {
    await swipe(sample, rowOf(sample), gesture);
    await expect(rowOf(sample)).toHaveCount(1);
    await expect(sample.getByRole("button", { name: "Undo" })).toHaveCount(0);
    // The row is back in place.
    await expect.poll(async () => rowOf(sample).locator("xpath=.//a/..").first().evaluate((node) => new DOMMatrix(getComputedStyle(node).transform).m41)).toBe(0);
    await expect(sample).toHaveURL(new RegExp(`/tasks/${id}$`));
  }
  expect(sent).toEqual([]);
  expect(await statuses(server, id)).toEqual(["pending", "pending"]);
});

test("a tap on a row opens the review at it", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await rowOf(sample).getByRole("link", { name: /^Estimate/ }).tap();
  await expect(sample.getByRole("dialog", { name: /suggests 2 changes/ })).toBeVisible();
  await expect(sample).toHaveURL(new RegExp(`/tasks/${id}/changes\\?item=`));
  await sample.getByRole("radiogroup", { name: "Estimate: 2 h" }).getByRole("radio", { name: "Confirm" }).tap();
  await sample.getByRole("button", { name: /^Apply/ }).tap();
  await expect(sample.getByRole("dialog")).toBeHidden();
  await expect.poll(async () => (await read(server, id)).estimateMinutes).toBe(120);
});

test("a tap on Reject asks why, and what is typed then is the reason", async ({ sample, server }) => {
  const id = await openTask(sample, server, PASSPORTS);
  await changes(sample).getByRole("button", { name: "Reject: Estimate: 2 h" }).tap();
  await sample.keyboard.type("yes, very likely more");
  await expect(changes(sample).getByRole("textbox", { name: /^Rejected. Why not/ })).toHaveValue("yes, very likely more");
  await expect.poll(() => statuses(server, id)).toEqual(["pending"]);
  expect((await read(server, id)).estimateMinutes).toBeNull();
});
