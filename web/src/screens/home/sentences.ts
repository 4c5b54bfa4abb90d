// The state of affairs in words.

import type { AttentionItem } from "../../live/queries";
import { has, number, t } from "../../i18n/index.svelte";

/** Small numbers in words, as a sentence says them. */
export function inWords(n: number): string {
  const key = `home.number.${n}`;
  return has(key) ? t(key) : number(n);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The title: how many things need the person. `isMore`: there are more than were counted. */
export function attentionTitle(n: number, isMore: boolean): string {
  if (n === 0) return t("home.nothing");
  if (isMore) return t("home.needsMore", { n });
  return t("home.needs", { n, words: capital(inWords(n)) });
}

/** Who is awake, who waits, who sleeps; who is none of it is left out. */
export function agentsSentence(awake: number, queued: number, dormant: number, asleep: number): string {
  const parts = [
    { n: awake, key: "home.areAwake" as const },
    { n: queued, key: "home.areQueued" as const },
    { n: dormant, key: "home.areDormant" as const },
    { n: asleep, key: "home.areAsleep" as const },
  ].filter((part) => part.n > 0);
  if (parts.length === 0) return t("home.noAgents");
  const first = parts[0];
  const said = parts.map((part) =>
    part === first
      ? t("home.agents", { n: part.n, words: capital(inWords(part.n)), state: t(part.key, { n: part.n }) })
      : t("home.others", { n: part.n, words: inWords(part.n), state: t(part.key, { n: part.n }) }),
  );
  return `${new Intl.ListFormat("en", { type: "conjunction" }).format(said)}.`;
}

/** Newest first, what is about to expire last. */
export function byUrgency(needs: readonly AttentionItem[]): AttentionItem[] {
  const last = (need: AttentionItem): number => (need.kind === "expiring" ? 1 : 0);
  return [...needs].sort((a, b) => last(a) - last(b) || Date.parse(b.since) - Date.parse(a.since));
}
