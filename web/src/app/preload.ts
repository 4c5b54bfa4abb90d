// Preloads what the person may need offline: the other screens, and the app itself for a reload.

import { live } from "../live/store.svelte";
import { routes } from "./nav";

/** Units: milliseconds. The first screen gets the network to itself. */
const DELAY_MS = 2_000;

const whenIdle = (then: () => void): void => {
  // Not every browser has it.
  if (typeof requestIdleCallback === "function") requestIdleCallback(then, { timeout: 5_000 });
  else setTimeout(then, 200);
};

/** Loads the other screens once the first one is up, and registers the service worker. */
export function preloadScreens(): () => void {
  const timer = setTimeout(() => whenIdle(() => void loadAll()), DELAY_MS);
  return () => clearTimeout(timer);
}

async function loadAll(): Promise<void> {
  const loaders = [...new Set(routes.map((route) => route.load)), () => import("../screens/welcome/sample")];
  // One after the other, so that what the person does comes first. A failed load is retried when it is
  // needed.
  for (const load of loaders) await load().catch(() => undefined);
  await registerWorker().catch(() => undefined);
}

/**
 * Lets a service worker cache the built app. Browsers allow this only in a secure context, and the dev
 * server has no build.
 */
async function registerWorker(): Promise<void> {
  if (!live.isUp || !import.meta.env.PROD || !isSecureContext || !("serviceWorker" in navigator)) return;
  const file = "/sw.js";
  // The content security policy allows script URLs from this policy only.
  const policy = window.trustedTypes?.createPolicy("dormouse", { createScriptURL: (name: string) => name });
  await navigator.serviceWorker.register((policy?.createScriptURL(file) ?? file) as string, { scope: "/" });
}
