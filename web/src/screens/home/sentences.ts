// What the home page says in its heading and first line.

import type { AttentionItem } from "../../live/queries";
import { listAnd, t } from "../../i18n/index.svelte";

/** The heading. `hasMore`: the server has more than it returned. */
export function attentionTitle(n: number, hasMore: boolean): string {
  if (n === 0) return t("home.nothing");
  return hasMore ? t("home.needsMore", { n }) : t("home.needs", { n });
}

export interface AgentCounts {
  awake: number;
  queued: number;
  dormant: number;
  asleep: number;
}

/** How many agents are in each state; states without agents are left out. */
export function agentsSentence(counts: AgentCounts): string {
  const states = [
    { n: counts.awake, some: "home.awake", all: "home.allAwake" },
    { n: counts.queued, some: "home.queued", all: "home.allQueued" },
    { n: counts.dormant, some: "home.dormant", all: "home.allDormant" },
    { n: counts.asleep, some: "home.asleep", all: "home.allAsleep" },
  ] as const;
  const present = states.filter((state) => state.n > 0);
  const [first] = present;
  if (first === undefined) return t("home.noAgents");
  if (present.length === 1) return t(first.all, { n: first.n });
  const total = present.reduce((sum, state) => sum + state.n, 0);
  return t("home.agents", { n: total, states: listAnd(present.map((state) => t(state.some, { n: state.n }))) });
}

/** Newest first; what is about to expire comes last. */
export function byUrgency(needs: readonly AttentionItem[]): AttentionItem[] {
  const last = (need: AttentionItem): number => (need.kind === "expiring" ? 1 : 0);
  return [...needs].sort((a, b) => last(a) - last(b) || Date.parse(b.since) - Date.parse(a.since));
}
