// What the home page says: its heading, its first line, and what needs attention.

import type { AttentionItem } from "../../live/queries";
import { compact, has, listAnd, t, until, valueText } from "../../i18n/index.svelte";
import { plainMarkdown } from "../../ui/plainMarkdown";
import { money } from "../settings/models/rules";

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
/**
 * How many agents are in each state. The list of those that are awake counts, as far as it is known and whole: it
 * includes agents that are about to wake, which are not due yet.
 */
export function agentCounts(
  overview: { agents: number; dormantAgents: number; queue: { running: number; due: number } },
  waking: { items: readonly { activity: string }[]; nextCursor?: string | null } | undefined,
): AgentCounts {
  const { agents, dormantAgents: dormant, queue } = overview;
  const listed = waking === undefined || waking.nextCursor != null ? undefined : waking.items;
  const count = (activity: string): number | undefined => listed?.filter((agent) => agent.activity === activity).length;
  const awake = Math.min(count("running") ?? queue.running, agents);
  const queued = Math.min(count("queued") ?? queue.due, agents - awake);
  return { awake, queued, dormant, asleep: Math.max(0, agents - awake - queued - dormant) };
}

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

/** What an entry says: what it is, and why. `attention.json` lists entries with the words of page and terminal. */
export interface AttentionWords {
  title: string;
  detail: string;
}

/** How an entry names its agent work. */
function workName({ work }: AttentionItem, several?: ReadonlySet<string>): string {
  if (work == null) return "";
  if (work.run == null || several?.has(work.id) !== true) return work.title;
  return t("home.workRun", { title: work.title, n: work.run });
}

/** The agent work of which several runs are in the list: the number of the run distinguishes their entries. */
export function worksOfSeveralRuns(items: readonly AttentionItem[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const several = new Set<string>();
  for (const { work } of items) {
    if (work?.run == null) continue;
    if (seen.has(work.id)) several.add(work.id);
    seen.add(work.id);
  }
  return several;
}

/** The words for an entry. `zone` is the system's if it is left out; `several` is the work whose runs are named. */
export function attentionWords(item: AttentionItem, now: Date, zone?: string, several?: ReadonlySet<string>): AttentionWords {
  const name = item.agentName ?? t("home.anAgent");
  const task = item.taskTitle || t("tasks.untitled");
  const title = workName(item, several);
  switch (item.kind) {
    case "changes":
      return { title: t("home.suggests", { name, n: item.count }), detail: task };
    case "expiring": {
      const at = item.expiresAt === null ? "" : until(new Date(item.expiresAt), now, zone);
      return { title: t("home.expire", { n: item.count, at }), detail: task };
    }
    case "agentDormant":
      return { title: t("home.stopped", { name, task }), detail: t("home.stoppedWhy", { n: item.runs }) };
    case "runFailed":
      return { title: t("home.failed", { name, task }), detail: item.error ?? "" };
    case "provider":
      return { title: t("home.provider"), detail: t("home.providerWaits", { why: whyUnavailable(item) }) };
    case "modelSetup":
      return { title: t("home.modelSetup"), detail: whyUnavailable(item) };
    case "budget": {
      const amount = item.unit === "tokens" ? compact : money;
      const amounts = { used: amount(item.used), limit: amount(item.budget), call: amount(item.nextCall) };
      return {
        title: item.agentId === null ? t("home.budget") : t("home.agentBudget", { name }),
        detail: item.budget === 0 ? t("models.heldByZero") : item.unit === "tokens" ? t("models.heldTokens", amounts) : t("models.heldMoney", amounts),
      };
    }
    case "restored":
      return { title: valueText("home.restored", item.database), detail: t("home.restoredWhy", { n: item.count }) };
    case "workQuestion":
      return { title: t("home.workAsks", { title }), detail: plainMarkdown(item.work?.question?.question ?? "") };
    case "workReview":
      return { title: t("home.workReview", { title }), detail: item.error ?? item.summary ?? "" };
    case "workFailed":
      return { title: t("home.workFailed", { title }), detail: item.error ?? item.summary ?? "" };
    case "workInterrupted":
      return { title: t("home.workInterrupted", { title }), detail: item.error ?? item.summary ?? "" };
    case "workMissed":
      return { title: t("home.workMissed", { title }), detail: t("home.workMissedWhy") };
    case "workHeld":
      return { title: t("home.workHeld", { title }), detail: t("home.workHeldWhy") };
    case "workBroken":
      return { title: t("home.workBroken", { title }), detail: t("home.workBrokenWhy") };
    default:
      return newer(item);
  }
}

/** Where an entry is dealt with. */
export function attentionPage(item: AttentionItem): string {
  const task = item.taskId === null ? "/tasks" : `/tasks/${item.taskId}`;
  const agent = item.agentId === null ? task : `/agents/${item.agentId}`;
  switch (item.kind) {
    case "changes":
    case "expiring":
      return `${task}/changes`;
    case "agentDormant":
      return agent;
    case "runFailed":
      return item.agentId === null ? task : `${agent}/wakes`;
    case "provider":
      return "/settings";
    case "modelSetup":
    case "budget":
      return "/settings#models";
    case "restored":
      return "/agents";
    case "workQuestion":
    case "workReview":
    case "workFailed":
    case "workInterrupted":
    case "workMissed":
    case "workHeld":
    case "workBroken":
      return item.work == null ? "/work" : `/work/${item.work.id}`;
    default:
      // A newer server may send other kinds.
      return otherPage(item);
  }
}

/** The page of the task that an entry is about, else of its agent. */
function otherPage({ taskId, agentId }: { taskId?: string | null; agentId?: string | null }): string {
  if (taskId != null) return `/tasks/${taskId}`;
  return agentId == null ? "/tasks" : `/agents/${agentId}`;
}

/** A kind of a newer server: its own line in English, if it has one. */
function newer(item: { text?: string; taskTitle?: string | null }): AttentionWords {
  return { title: item.text || t("home.newer"), detail: item.taskTitle ?? "" };
}

/** Why a provider is not called; one of a newer server reads as an outage. */
function whyUnavailable({ provider, why, detail }: { provider: string; why: string; detail: string }): string {
  const key = `home.why.${why}`;
  return t(has(key) ? (key as "home.why.outage") : "home.why.outage", { name: provider, detail });
}

/** Newest first; what is about to expire comes last. */
export function byUrgency(needs: readonly AttentionItem[]): AttentionItem[] {
  const last = (need: AttentionItem): number => (need.kind === "expiring" ? 1 : 0);
  return [...needs].sort((a, b) => last(a) - last(b) || Date.parse(b.since) - Date.parse(a.since));
}
