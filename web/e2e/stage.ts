// A world shared by the tests of one file, which change nothing that another test sees.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { expect, SAMPLE, Server, settled, test as base } from "./world";

export { expect };

interface Worker {
  /** One server per worker, with the sample imported and every agent asleep. */
  stage: Server;
}

export const test = base.extend<{ server: Server }, Worker>({
  stage: [
    async ({}, use) => {
      const data = await mkdtemp(join(tmpdir(), "dormouse-stage-"));
      const server = new Server(data);
      await server.start();
      await server.command("import", SAMPLE, "--with-agents");
      await settled(server);
      await use(server);
      await server.stop();
      await server.remove();
    },
    { scope: "worker" },
  ],
  server: async ({ stage }, use) => use(stage),
});

/** Signs in the pages of a context, as if by an earlier visit. */
export async function signIn(page: Page, server: Server): Promise<void> {
  const token = await server.token();
  await page.addInitScript((given) => localStorage.setItem("dormouse.token", given), token);
}

/** Opens a screen and waits until nothing is loading. */
export async function open(page: Page, server: Server, path: string): Promise<void> {
  await page.goto(server.address + path);
  await still(page);
}

/** Waits until the screen is ready: it has a heading, nothing loads, nothing moves. */
export async function still(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1, includeHidden: true })).toBeAttached();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  await page.waitForLoadState("networkidle");
  const moves = (): Promise<string[]> =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter((one) => one.effect?.getTiming().iterations !== Infinity && one.timeline instanceof DocumentTimeline && one.playState !== "finished")
        .map((one) => {
          const target = one.effect instanceof KeyframeEffect ? one.effect.target : null;
          const name = one instanceof CSSAnimation ? one.animationName : one instanceof CSSTransition ? one.transitionProperty : "animation";
          return `${name} of ${target?.outerHTML.slice(0, 160) ?? "nothing"}: ${one.playState} at ${String(one.currentTime)}`;
        }),
    );
  await expect.poll(moves).toEqual([]);
}

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The violations axe finds, in readable form. No rule is disabled. */
export async function faults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  return violations.flatMap((one) =>
    one.nodes.map((node) => `${one.id}: ${node.target.join(" ")}: ${node.failureSummary?.replace(/\s+/g, " ") ?? one.help}`),
  );
}

/** What overflows at the side, by element; empty if nothing does. */
export async function overflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return [];
    const scrolls = (node: Element | null): boolean => {
      for (let at = node; at !== null && at !== document.body; at = at.parentElement) {
        if (getComputedStyle(at).overflowX !== "visible") return true;
      }
      return false;
    };
    const out = [...document.querySelectorAll("body *")].filter(
      (node) => node.getBoundingClientRect().right > root.clientWidth + 1 && !scrolls(node.parentElement),
    );
    return [`${root.scrollWidth} of ${root.clientWidth}`, ...out.slice(0, 6).map((node) => node.outerHTML.slice(0, 160))];
  });
}

/** Text whose bottom is cut off by its box. */
export async function cut(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("body *")]
      .filter((node) => {
        if (node.clientHeight < 4 || node.scrollHeight <= node.clientHeight + 2) return false;
        const style = getComputedStyle(node);
        if (!["hidden", "clip"].includes(style.overflowY) || style.visibility === "hidden") return false;
        // What a button beside it shows in full is folded, not cut.
        if (node.id !== "" && document.querySelector(`[aria-controls="${node.id}"][aria-expanded="false"]`) !== null) return false;
        return style.webkitLineClamp === "none" && node.checkVisibility();
      })
      .map((node) => node.outerHTML.slice(0, 200)),
  );
}
