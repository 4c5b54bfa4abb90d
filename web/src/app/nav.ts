// The navigation table: one row per screen in the menus. The sidebar, the tab bar, the command palette,
// the "g x" shortcuts and the routes are all generated from it.

import type { Key } from "../i18n/index.svelte";
import type { IconName } from "../ui/icons";
import type { Route } from "./router.svelte";

export interface NavItem {
  name: string;
  title: Key;
  icon: IconName;
  path: `/${string}`;
  shortcut: `g ${string}`;
  /** Where the sidebar shows it: in the main list, or at the bottom. */
  sidebar: "main" | "footer";
  /** Where a phone shows it: in the tab bar, or behind More. */
  phone: "tab" | "more";
  load: () => Promise<unknown>;
  /** Pages below `path`; each is loaded when it is first needed. */
  pages?: readonly { path: `/${string}`; load: () => Promise<unknown> }[];
  /** Pages that belong to it, with a path of their own. */
  aside?: readonly { path: `/${string}`; load: () => Promise<unknown> }[];
}

const task = () => import("../screens/task/Task.svelte");
const agent = () => import("../screens/agent/Agent.svelte");
const template = () => import("../screens/templates/TemplatePage.svelte");

export const nav = [
  {
    name: "home",
    title: "shell.home",
    icon: "home",
    path: "/",
    shortcut: "g h",
    sidebar: "main",
    phone: "tab",
    load: () => import("../screens/home/Home.svelte"),
  },
  {
    name: "tasks",
    title: "shell.tasks",
    icon: "task",
    path: "/tasks",
    shortcut: "g t",
    sidebar: "main",
    phone: "tab",
    load: () => import("../screens/tasks/Tasks.svelte"),
    pages: [
      { path: "/:id", load: task },
      // The review is a dialog over its task, with an address of its own.
      { path: "/:id/changes", load: task },
    ],
    aside: [
      { path: "/import", load: () => import("../screens/import/Import.svelte") },
      { path: "/export", load: () => import("../screens/export/Export.svelte") },
    ],
  },
  {
    name: "agents",
    title: "shell.agents",
    icon: "moon",
    path: "/agents",
    shortcut: "g a",
    sidebar: "main",
    phone: "more",
    load: () => import("../screens/agents/Agents.svelte"),
    pages: [
      { path: "/:id", load: agent },
      { path: "/:id/:tab", load: agent },
    ],
  },
  {
    name: "work",
    title: "shell.work",
    icon: "spark",
    path: "/work",
    shortcut: "g w",
    sidebar: "main",
    phone: "more",
    load: () => import("../screens/work/WorkList.svelte"),
    pages: [
      { path: "/new", load: () => import("../screens/work/NewWork.svelte") },
      { path: "/:id", load: () => import("../screens/work/WorkPage.svelte") },
    ],
  },
  {
    name: "conversations",
    title: "shell.conversations",
    icon: "chat",
    path: "/conversations",
    shortcut: "g c",
    sidebar: "main",
    phone: "more",
    load: () => import("../screens/conversations/Conversations.svelte"),
    pages: [{ path: "/:id", load: () => import("../screens/conversations/ConversationPage.svelte") }],
  },
  {
    name: "templates",
    title: "shell.templates",
    icon: "layers",
    path: "/templates",
    shortcut: "g p",
    sidebar: "main",
    phone: "more",
    load: () => import("../screens/templates/Templates.svelte"),
    pages: [
      { path: "/:id", load: template },
      { path: "/:id/:tab", load: template },
    ],
  },
  {
    name: "settings",
    title: "shell.settings",
    icon: "sliders",
    path: "/settings",
    shortcut: "g s",
    sidebar: "footer",
    phone: "more",
    load: () => import("../screens/settings/Settings.svelte"),
  },
] as const satisfies readonly NavItem[];

export type NavName = (typeof nav)[number]["name"];
export type NavShortcut = (typeof nav)[number]["shortcut"];

/** Svelte types the props of each screen; the router passes the parts of the path as strings. */
const route = (name: string, path: string, load: () => Promise<unknown>): Route => ({ name, path, load: load as Route["load"] });

export const routes: readonly Route[] = nav.flatMap((item: NavItem) => [
  route(item.name, item.path, item.load),
  ...(item.pages ?? []).map((page) => route(item.name, item.path + page.path, page.load)),
  ...(item.aside ?? []).map((page) => route(item.name, page.path, page.load)),
]);
