// Says that agent work has come to results.

import { t } from "../i18n/index.svelte";
import { worksWithResults, type Delivery } from "../live/deliveries";
import { router } from "./router.svelte";
import { toasts } from "./toasts.svelte";

const pageOf = (one: Delivery): string => `/work/${one.taskId}`;

/** Says that there are results, unless the person is where they are. */
export function announceResults(results: readonly Delivery[]): void {
  const elsewhere = worksWithResults(results, /^\/work\/([^/]+)$/.exec(router.path)?.[1]);
  const [first, second] = elsewhere;
  if (first === undefined) return;
  const text = second === undefined ? t("work.hasResult", { title: first.title ?? "" }) : t("work.haveResults", { n: elsewhere.length });
  // Undo runs the action of a toast; this is none that it could undo.
  toasts.show(text, undefined, "plain", { label: t("home.look"), run: () => router.go(second === undefined ? pageOf(first) : "/work") });
}
