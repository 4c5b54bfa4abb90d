// What the person may need while the server is away: every screen, and the app itself over a reload.

import { live } from "../live/store.svelte";
import { routes } from "./nav";

/** Units: milliseconds. The first screen has the line to itself. */
const DELAY_MS = 2_000;

const whenIdle = (then: () => void): void => {
  // Not every browser has it.
  if (typeof requestIdleCallback === "function") requestIdleCallback(then, { timeout: 5_000 });
  else setTimeout(then, 200);
};

/** Loads the other screens once the first one stands, and has the app kept. */
export function preloadScreens(): () => void {
  const timer = setTimeout(() => whenIdle(() => void loadAll()), DELAY_MS);
  return () => clearTimeout(timer);
}

async function loadAll(): Promise<void> {
  const loaders = [...new Set(routes.map((route) => route.load)), () => import("../screens/welcome/importing.svelte"), () => import("../screens/welcome/sample")];
  // One after the other: whatever the person does comes first. What fails is loaded when it is needed.
  for (const load of loaders) await load().catch(() => undefined);
  await registerWorker().catch(() => undefined);
}

/** Has the built app kept by the browser. Only where the connection is trusted, and not from sources. */
async function registerWorker(): Promise<void> {
  if (!live.isUp || !import.meta.env.PROD || !isSecureContext || !("serviceWorker" in navigator)) return;
  const file = "/sw.js";
  // The content policy lets scripts be named by this policy alone.
  const policy = window.trustedTypes?.createPolicy("dormouse", { createScriptURL: (name: string) => name });
  await navigator.serviceWorker.register((policy?.createScriptURL(file) ?? file) as string, { scope: "/" });
}
