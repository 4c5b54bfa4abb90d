// The verdicts of a person on the proposals about one task: sent at once, shown at once, taken back by
// undo. One that was refused comes back with the reason, also when it waited for the server to return.

import { Problem, asProblem, problemOf } from "../../api/problem";
import { mail } from "../../app/mail";
import { session } from "../../app/session.svelte";
import { toasts } from "../../app/toasts.svelte";
import { t } from "../../i18n/index.svelte";
import { optimistically } from "../../live/outbox.svelte";
import { live, type Resource } from "../../live/store.svelte";
import { keyOf, type Change } from "./change";
import type { Wanted } from "./choices";
import { changesOf, decisionsPath, oneSet, verdictPath, type Decided, type Verdict } from "./data";
import type { Schemas } from "../../api/client";
import { nameOf, VALUE_CHANGED } from "./words";

type Outcome = Schemas["Outcome"];

/** What became of an item. */
export interface Ending {
  status: string;
  at: string | null;
}

/** A verdict that was not taken. */
export interface Refusal {
  change: Change;
  problem: Problem;
  /** What became of the item instead; none while it is open. */
  ended: Ending | undefined;
}

/** Refused because there is nothing left to decide: what became of it is worth telling. */
const OVER = ["already-decided", "change-retracted", "change-set-expired"];

export class Deciding {
  refusals = $state.raw<readonly Refusal[]>([]);
  /** What was decided or taken back here: it moves at once, whatever holds the list. */
  mine = $state.raw<ReadonlySet<string>>(new Set());
  /** What became of items that went while they were looked at. */
  endings = $state.raw<ReadonlyMap<string, Ending>>(new Map());
  /** The rejection that is being explained, and where its row stood. */
  explained = $state<{ change: Change; text: string; at: number } | undefined>();
  readonly task: string;

  constructor(task: string) {
    this.task = task;
  }

  get resource(): Resource<Change[]> {
    return live.of(changesOf(this.task));
  }

  refusalOf(key: string): Refusal | undefined {
    return this.refusals.find((refusal) => keyOf(refusal.change) === key);
  }

  forget(key: string): void {
    this.refusals = this.refusals.filter((refusal) => keyOf(refusal.change) !== key);
  }

  /** Finds out what became of an item that is open no more. */
  async learn(change: Change): Promise<void> {
    const ending = await endOf(change);
    if (ending !== undefined) this.endings = new Map([...this.endings, [keyOf(change), ending]]);
  }

  /** Asks why an item was rejected; a reason that was being typed for another is kept. */
  ask(change: Change, at: number): void {
    this.answer();
    this.explained = { change, text: "", at };
  }

  /** Takes the reason that was typed, if any was. */
  answer(): void {
    const said = this.explained;
    this.explained = undefined;
    if (said !== undefined && said.text.trim() !== "") void this.explain(said.change, said.text.trim());
  }

  /** Sends a verdict on one item. `asks`: why it was rejected is asked for where its row stands. */
  async decide(change: Change, verdict: Exclude<Verdict, "undo">, asks = false): Promise<void> {
    const name = nameOf(change);
    const over = this.#replaced(change, verdict);
    this.#begin([change]);
    const undo = { label: t("do.undo"), run: () => void this.undo([change]) };
    const why = { label: t("review.sayWhy"), run: () => this.ask(change, 0) };
    const isAway = !live.isUp && live.downSince !== undefined;
    const said = t(isAway ? `review.will.${verdict}` : `review.did.${verdict}`, { name });
    const toast = toasts.tell(said, undo, "plain", verdict === "reject" && !asks ? why : undefined);
    try {
      await optimistically([this.#over([{ change, verdict }])], async () => {
        const outcome = await mail.send<Outcome>({
          method: "POST",
          path: verdictPath(change, verdict),
          body: { digest: change.digest, ...over },
          what: t(`review.what.${verdict}`, { name }),
        });
        const problem = failed(verdict, outcome);
        if (problem !== undefined) throw problem;
      });
    } catch (error) {
      toasts.close(toast);
      await this.#refuse(change, asProblem(error));
    }
  }

  /** Sends many verdicts in one order. Gives how many were refused. */
  async decideAll(wanted: readonly Wanted[], said: string): Promise<number> {
    const changes = wanted.map((one) => one.change);
    const whole = wanted.map((one) => ({ ...one, over: this.#replaced(one.change, one.verdict) }));
    this.#begin(changes);
    const toast = toasts.tell(said, { label: t("do.undo"), run: () => void this.undo(changes) });
    let refused: { change: Change; problem: Problem }[] = [];
    try {
      await optimistically([this.#over(wanted)], async () => {
        const decided = await this.#send(whole, said);
        refused = wanted.flatMap(({ change, verdict }) => {
          const one = decided.find((other) => keyOf(other) === keyOf(change));
          const problem = problemIn(verdict, one);
          return problem === undefined ? [] : [{ change, problem }];
        });
      });
    } catch (error) {
      const problem = asProblem(error);
      refused = changes.map((change) => ({ change, problem }));
    }
    if (refused.length > 0) {
      toasts.close(toast);
      const took = changes.filter((change) => !refused.some((one) => one.change === change));
      const text = t("review.someRefused", { n: refused.length, of: changes.length });
      const undo = { label: t("do.undo"), run: () => void this.undo(took) };
      toasts.tell(text, took.length > 0 ? undo : undefined);
      for (const one of refused) await this.#refuse(one.change, one.problem);
    }
    return refused.length;
  }

  /** Takes verdicts back: the items are open again. */
  async undo(changes: readonly Change[]): Promise<void> {
    const asked = this.explained;
    if (asked !== undefined && changes.some((change) => keyOf(change) === keyOf(asked.change))) this.explained = undefined;
    this.#begin(changes);
    const wanted = changes.map((change) => ({ change, verdict: "undo" as const, reason: undefined }));
    const what = t("review.what.undo", { n: changes.length, name: changes[0] === undefined ? "" : nameOf(changes[0]) });
    try {
      await optimistically([this.#over(wanted)], async () => {
        const decided = await this.#send(wanted, what);
        const problem = decided.map((one) => problemIn("undo", one)).find((one) => one !== undefined);
        if (problem !== undefined) throw problem;
      });
    } catch (error) {
      toasts.refuse(what, asProblem(error));
      void this.resource.refresh();
    }
  }

  /** Adds the reason to a rejection: it is taken back, and said again with the reason. */
  async explain(change: Change, reason: string): Promise<void> {
    const name = nameOf(change);
    const what = t("review.what.reason", { name });
    this.#begin([change]);
    try {
      await optimistically([this.#over([{ change, verdict: "reject" }])], async () => {
        const send = (verdict: Verdict, why?: string): Promise<unknown> => {
          const body = { digest: change.digest, ...(why === undefined ? {} : { reason: why }) };
          return mail.send({ method: "POST", path: verdictPath(change, verdict), body, what });
        };
        // In this order, whatever comes between: the second is taken also where the first is not.
        await Promise.allSettled([send("undo")]);
        await send("reject", reason);
      });
      toasts.tell(t("review.reasonKept", { name: change.agentName }));
    } catch (error) {
      await this.#refuse(change, asProblem(error));
    }
  }

  /** The value that a confirm is known to replace: one that the person set after it was suggested, and saw. */
  #replaced(change: Change, verdict: Verdict): { now?: string | null } {
    if (verdict !== "confirm") return {};
    const told = this.refusalOf(keyOf(change))?.problem;
    if (told?.code === VALUE_CHANGED && told.now !== undefined) return { now: told.now };
    return change.setSince ? { now: change.now ?? null } : {};
  }

  async #send(wanted: readonly { change: Change; verdict: Verdict; reason?: string | undefined; over?: { now?: string | null } }[], what: string): Promise<Decided[]> {
    const body = wanted.map(({ change, verdict, reason, over }) => ({
      set: change.set,
      index: change.index,
      verdict,
      digest: change.digest,
      ...(reason === undefined ? {} : { reason }),
      ...over,
    }));
    const answer = await mail.send<{ items: Decided[] }>({ method: "POST", path: decisionsPath(this.task), body, what });
    return answer.items;
  }

  #begin(changes: readonly Change[]): void {
    this.mine = new Set([...this.mine, ...changes.map(keyOf)]);
    for (const change of changes) this.forget(keyOf(change));
  }

  /** What the list will be once the server has taken these. */
  #over(wanted: readonly { change: Change; verdict: Verdict }[]): {
    resource: Resource<Change[]>;
    edit: (value: Change[]) => Change[];
  } {
    const resource = this.resource;
    const order = (resource.value ?? []).map(keyOf);
    const edit = (value: Change[]): Change[] =>
      wanted.reduce((list, { change, verdict }) => {
        const at = list.findIndex((other) => keyOf(other) === keyOf(change));
        const rest = list.filter((_, index) => index !== at);
        if (verdict === "confirm" || verdict === "reject") return rest;
        const base = at < 0 ? change : (list[at] ?? change);
        const next = { ...base, status: verdict === "defer" ? "deferred" : "pending", shown: verdict !== "defer" };
        if (at >= 0) return list.map((other, index) => (index === at ? next : other));
        const place = order.indexOf(keyOf(change));
        return place < 0 ? [next, ...list] : list.toSpliced(place, 0, next);
      }, value);
    return { resource, edit };
  }

  async #refuse(change: Change, problem: Problem): Promise<void> {
    // What holds is read first: the reason is told once, where the item then stands.
    await this.resource.refresh();
    const isOpen = this.resource.value?.some((other) => keyOf(other) === keyOf(change)) ?? true;
    const ended = isOpen && !OVER.includes(problem.code) ? undefined : await endOf(change);
    this.forget(keyOf(change));
    if (this.explained !== undefined && keyOf(this.explained.change) === keyOf(change)) this.explained = undefined;
    this.refusals = [...this.refusals, { change, problem, ended }];
  }
}

async function endOf(change: Change): Promise<Ending | undefined> {
  const set = await oneSet(change.set).catch(() => undefined);
  const item = set?.items.find((other) => other.index === change.index);
  return item === undefined ? undefined : { status: item.status, at: item.decidedAt };
}

/** Taken, but not applied: the item says why. */
function failed(verdict: Verdict, outcome: Outcome | undefined): Problem | undefined {
  const item = outcome?.item;
  if (verdict !== "confirm" || item === undefined || ["confirmed", "applying"].includes(item.status)) return undefined;
  const code = item.status === "retracted" ? "change-retracted" : "not-applied";
  return new Problem({ status: 409, code, title: t("review.notApplied"), detail: item.error ?? t("review.notApplied") });
}

function problemIn(verdict: Verdict, decided: Decided | undefined): Problem | undefined {
  const said = decided?.problem;
  return said === undefined ? failed(verdict, decided?.outcome) : problemOf(said.status, said, null);
}

const known = new Map<string, { token: string | undefined; deciding: Deciding }>();

/** Who decides about a task: one for the list and the review, and for as long as the person stays. */
export function decidingOf(task: string): Deciding {
  const there = known.get(task);
  if (there !== undefined && there.token === session.token) return there.deciding;
  const deciding = new Deciding(task);
  known.set(task, { token: session.token, deciding });
  return deciding;
}
