// How a template does: what was decided counts for the version that was followed, and few decisions are no judgement.

import type { Locator, Page } from "@playwright/test";

import { faults, open } from "./stage";
import { BIRTHDAY } from "./steps";
import { expect, settled, taskId, test } from "./world";

const row = (page: Page, region: string, name: string): Locator => page.getByRole("region", { name: region, exact: true }).getByRole("row").filter({ hasText: name });

test("wakes and decisions count for the version that was followed", async ({ sample: page, server }) => {
  const { items: templates } = (await server.ask("GET", "/api/templates")) as { items: { id: string; displayName: string }[] };
  const calm = templates.find((one) => one.displayName === "Calm")?.id ?? "";
  const task = await taskId(server, BIRTHDAY);
  const { items } = (await server.ask("GET", `/api/change-sets?task=${task}`)) as { items: { id: string; items: { index: number; digest: string; status: string }[] }[] };
  const set = items[0];
  const item = set?.items.find((one) => one.status === "pending");
  if (set === undefined || item === undefined) throw new Error("there is no proposal");
  await server.ask("POST", `/api/change-sets/${set.id}/items/${item.index}/reject`, { digest: item.digest });
  await server.ask("PATCH", `/api/templates/${calm}`, { generalDirective: "Be terse." });
  const { agent } = await server.ask("GET", `/api/journal/tasks/${task}`);
  await server.ask("POST", `/api/agents/${agent}/reanalyse`);
  await settled(server);

  await open(page, server, `/templates/${calm}`);
  await page.getByRole("tab", { name: "Directives" }).focus();
  for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Metrics" })).toBeFocused();
  await expect(page).toHaveURL(new RegExp(`/templates/${calm}/metrics$`));
  const compared = "Version 2 beside version 1";
  await expect(page.getByRole("heading", { name: compared })).toBeVisible();
  await expect(row(page, compared, "Confirm rate")).toContainText("Too early to say");
  await expect(row(page, "By version", "Version 2").getByRole("cell").nth(2)).toHaveText("1");
  await expect(row(page, "By version", "Version 1")).toContainText("0 of 1");
  await expect(row(page, "By version", "Unknown version")).toHaveCount(0);
  await expect(page.getByRole("img", { name: /0 confirmed and 1 rejected in all/ })).toBeVisible();
  await page.getByText("The same as a table").click();
  await expect(page.getByRole("region", { name: "By week", exact: true }).getByRole("row")).toHaveCount(27);
  expect(await faults(page)).toEqual([]);

  // It is live: the next decision counts at once.
  const next = set.items.find((one) => one.status === "pending" && one.index !== item.index);
  if (next === undefined) throw new Error("there is no second proposal");
  await server.ask("POST", `/api/change-sets/${set.id}/items/${next.index}/confirm`, { digest: next.digest });
  await expect(row(page, "By version", "Version 1")).toContainText("1 of 2");

  const said = await server.command("template", "show", "Calm");
  expect(said).toContain(compared);
  for (const line of said.slice(said.indexOf("Metrics since")).split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

test("a template that nobody followed says that there is nothing to count", async ({ app: page, server }) => {
  const { template } = await server.ask("POST", "/api/templates", { name: "Pirate", generalDirective: "Talk like a pirate." });
  await open(page, server, `/templates/${template.id}/metrics`);
  await expect(page.getByText("Nothing to count in the last 26 weeks.")).toBeVisible();
  expect(await faults(page)).toEqual([]);
});
