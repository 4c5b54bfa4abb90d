// Which screen stands at which address. Each is loaded when it is first needed.

import type { Route } from "./router.svelte";

type Screen = Route["load"];

const home = (() => import("../screens/home/Home.svelte")) as unknown as Screen;
const tasks = (() => import("../screens/tasks/Tasks.svelte")) as unknown as Screen;
const task = (() => import("../screens/task/Task.svelte")) as unknown as Screen;
const agents = (() => import("../screens/agents/Agents.svelte")) as unknown as Screen;
const agent = (() => import("../screens/agent/Agent.svelte")) as unknown as Screen;
const settings = (() => import("../screens/settings/Settings.svelte")) as unknown as Screen;

export const routes: readonly Route[] = [
  { name: "home", path: "/", load: home },
  { name: "tasks", path: "/tasks", load: tasks },
  { name: "tasks", path: "/tasks/:id", load: task },
  // The review is a dialog over its task, with an address of its own.
  { name: "tasks", path: "/tasks/:id/changes", load: task },
  { name: "agents", path: "/agents", load: agents },
  { name: "agents", path: "/agents/:id", load: agent },
  { name: "agents", path: "/agents/:id/:tab", load: agent },
  { name: "settings", path: "/settings", load: settings },
];
