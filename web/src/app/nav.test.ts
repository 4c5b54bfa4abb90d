import { readFileSync } from "node:fs";

import { describe, expect, it, vi } from "vitest";

vi.hoisted(() => vi.stubGlobal("location", new URL("http://localhost/")));

import { has } from "../i18n/index.svelte";
import { icons } from "../ui/icons";
import { nav, routes, type NavItem } from "./nav";
import { match } from "./router.svelte";
import { SHORTCUTS } from "./shortcuts";

const items: readonly NavItem[] = nav;
const unique = (values: readonly string[]): boolean => new Set(values).size === values.length;

describe("the navigation table", () => {
  it.each(items.map((item) => [item.name, item] as const))("has a title, an icon, a path and a shortcut for %s", (_, item) => {
    expect(has(item.title)).toBe(true);
    expect(icons).toHaveProperty(item.icon);
    expect(item.path).toMatch(/^\/[a-z]*$/);
    expect(item.shortcut).toMatch(/^g [a-z]$/);
  });

  it("repeats no name, path or shortcut", () => {
    expect(unique(items.map((item) => item.name))).toBe(true);
    expect(unique(items.map((item) => item.path))).toBe(true);
    expect(unique(SHORTCUTS.flatMap((row) => [...row.keys] as string[]))).toBe(true);
  });

  it("leads to a route for each row and each page below it", () => {
    for (const item of items) {
      expect(match(routes, item.path)?.route.name).toBe(item.name);
      for (const page of item.pages ?? []) {
        const path = (item.path + page.path).replace(/:\w+/g, "x");
        expect(match(routes, path)?.route).toMatchObject({ name: item.name, path: item.path + page.path });
      }
    }
  });

  it("has a shortcut row for each screen", () => {
    const keys = SHORTCUTS.flatMap((row) => [...row.keys] as string[]);
    for (const item of items) expect(keys).toContain(item.shortcut);
  });

  // These files must not go back to lists of their own.
  it.each(["App.svelte", "app/shortcuts.ts", "app/preload.ts", "shell/Sidebar.svelte", "shell/TabBar.svelte", "shell/MoreSheet.svelte", "shell/CommandPalette.svelte"])(
    "is what %s uses",
    (file) => {
      const source = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
      expect(source).toMatch(/from "[./\w]*\/nav"/);
      for (const item of items) {
        if (item.path !== "/") expect(source).not.toContain(`"${item.path}"`);
        expect(source).not.toContain(`"${item.shortcut}"`);
      }
    },
  );
});
