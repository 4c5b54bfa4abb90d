// Every screen on a phone, in light and dark.

import type { Page } from "@playwright/test";

import { screens, type Screen } from "./screens";
import { expect, faults, open, overflow, signIn, still, test } from "./stage";
import { settled, test as alone } from "./world";

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

alone("a task whose agent says when it wakes next: on a phone", async ({ app, server }) => {
  await server.command("task", "add", "Permit from the city", "--due", "2099-04-02");
  await server.command("agent", "create", "Permit");
  await settled(server);
  await app.getByRole("link", { name: "Tasks", exact: true }).tap();
  await app.getByRole("link", { name: /^Permit/ }).first().tap();
  await expect(app.getByRole("link", { name: "Wakes 1 Apr 2099 because the due date is near" })).toBeVisible();
  await looked(app);
  await app.setViewportSize({ width: 320, height: 720 });
  await still(app);
  expect(await overflow(app), "320 wide").toEqual([]);
});
