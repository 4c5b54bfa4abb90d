// Bringing lists to the page, as people do.

import type { Page } from "@playwright/test";

import { expect } from "./world";

export interface Dropped {
  name: string;
  text?: string;
  bytes?: number[];
}

/** Drags files over the page and drops them. */
export async function drop(page: Page, files: readonly Dropped[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle((given) => {
    const data = new DataTransfer();
    for (const { name, text, bytes } of given) data.items.add(new File([bytes === undefined ? (text ?? "") : new Uint8Array(bytes)], name));
    return data;
  }, files);
  await page.dispatchEvent("main", "dragenter", { dataTransfer });
  await expect(page.getByText("Drop to import tasks from these files")).toBeVisible();
  await page.dispatchEvent("main", "dragover", { dataTransfer });
  await page.dispatchEvent("main", "drop", { dataTransfer });
  await expect(page.getByText("Drop to import tasks from these files")).toBeHidden();
}

/** Pastes a text where the focus is. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((given) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", given);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    (document.activeElement ?? document.body).dispatchEvent(event);
  }, text);
}

/** A list as a person might keep it. */
export const MOVE = `# Move to the new flat

## Internet at the new flat
Call the provider, customer number is on the last bill.
Technician needs two weeks, so call this week.

## Movers
- [x] Ask three companies
- [ ] Choose one
- [ ] Pay the deposit, 30 %

## Boxes
From the cellar, ask Ioana for the key.

## Hand over the old flat
- [ ] Paint the hall
- [ ] Meter readings
`;
