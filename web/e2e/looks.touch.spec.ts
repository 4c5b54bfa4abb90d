// Every screen on a phone, in light and dark.

import type { Page } from "@playwright/test";

import { screens, type Screen } from "./screens";
import { expect, faults, open, overflow, signIn, still, test } from "./stage";
import { test as alone } from "./world";

const sheets: readonly Screen[] = [
  {
    name: "more",
    show: async (page, server) => {
      await open(page, server, "/tasks");
      await page.getByRole("button", { name: "More", exact: true }).tap();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "properties",
    show: async (page, server) => {
      await open(page, server, "/tasks");
      await page.getByRole("link", { name: /roof/ }).first().tap();
      await page.getByRole("button", { name: "All properties" }).tap();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
];

async function looked(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await still(page);
    expect.soft(await faults(page), colorScheme).toEqual([]);
  }
  expect.soft(await overflow(page)).toEqual([]);
}

for (const screen of [...screens, ...sheets]) {
  test(`${screen.name}: on a phone`, async ({ page, server }) => {
    await signIn(page, server);
    await screen.show(page, server, true);
    await looked(page);
  });
}

test("sign in: on a phone", async ({ page, server }) => {
  await page.goto(server.address);
  await looked(page);
});

alone("first run: on a phone", async ({ app }) => {
  await expect(app.getByRole("button", { name: "Try the sample" })).toBeVisible();
  await looked(app);
});
