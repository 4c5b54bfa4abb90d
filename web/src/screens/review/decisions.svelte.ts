// The person's decisions on the changes suggested for a task: sent and shown immediately, and undoable.
// A rejected one comes back with the reason, even if it had to wait for the server.

import { Problem, asProblem, problemOf, type ProblemCode } from "../../api/problem";
import { outbox } from "../../app/outbox";
import { session } from "../../app/session.svelte";
import { toasts } from "../../app/toasts.svelte";
import { t } from "../../i18n/index.svelte";
import { optimistically, type Overlay } from "../../live/outbox.svelte";
import { live, type Resource } from "../../live/store.svelte";
import { keyOf, type Change } from "./change";
import type { PendingDecision } from "./draft";
import { changesQuery, decisionsPath, fromDecision, readSet, taskFromDecision, verdictPath, type DecisionAnswer, type DecisionResult, type Verdict } from "./data";
import type { Schemas } from "../../api/client";
import { queries } from "../task/data";
import { nameOf, VALUE_CHANGED } from "./describe";

type Outcome = Schemas["Outcome"];

/** The outcome of an item. */
export interface Resolution {
  status: Change["status"];
  at: string | null;
}

/** A decision that the server rejected. */
export interface Refusal {
  change: Change;
  problem: Problem;
  /** Its outcome elsewhere; undefined while it is open. */
  resolution: Resolution | undefined;
}

/** The value that a confirm knowingly replaces, as the API takes it. */
type Acknowledged = Pick<Schemas["VerdictParams"], "current">;

/** Rejected because the item is already resolved, so its resolution is worth showing. */
const RESOLVED_CODES: ProblemCode[] = ["already-decided", "change-retracted", "change-set-expired"];

export class Decisions {
  refusals = $state.raw<readonly Refusal[]>([]);
  /** Items decided or undone here: they move at once, even if the list is held still. */
  decidedHere = $state.raw<ReadonlySet<string>>(new Set());
  /** Resolutions of items that disappeared while they were on screen. */
  resolutions = $state.raw<ReadonlyMap<string, Resolution>>(new Map());
  /** The rejection that is being explained, and where its row was. */
  explained = $state<{ change: Change; text: string; at: number } | undefined>();
  readonly task: string;

  constructor(task: string) {
    this.task = task;
  }

  get resource(): Resource<Change[]> {
    return live.resourceFor(changesQuery(this.task));
  }

  refusalOf(key: string): Refusal | undefined {
    return this.refusals.find((refusal) => keyOf(refusal.change) === key);
  }

  dismissRefusal(key: string): void {
    this.refusals = this.refusals.filter((refusal) => keyOf(refusal.change) !== key);
  }

  /** Finds out the outcome of an item that is no longer open. */
  async loadResolution(change: Change): Promise<void> {
    const resolution = await readResolution(change);
    if (resolution !== undefined) this.resolutions = new Map([...this.resolutions, [keyOf(change), resolution]]);
  }

  /** Asks why an item was rejected. A reason being typed for another item is saved. */
  ask(change: Change, at: number): void {
    this.answer();
    this.explained = { change, text: "", at };
  }

  /** Saves the reason, if one was typed. */
  answer(): void {
    const { explained } = this;
    this.explained = undefined;
    if (explained !== undefined && explained.text.trim() !== "") void this.explain(explained.change, explained.text.trim());
  }

  /** Sends a decision on one item. `asks`: the reason for a rejection is entered in place of the row. */
  async decide(change: Change, verdict: Exclude<Verdict, "undo">, asks = false): Promise<void> {
    const name = nameOf(change);
    const acknowledged = this.#acknowledgedValue(change, verdict);
    this.#markDecidedHere([change]);
    const undo = { label: t("do.undo"), run: () => void this.undo([change]) };
    const why = { label: t("review.sayWhy"), run: () => this.ask(change, 0) };
    const text = t(isAway() ? `review.will.${verdict}` : `review.did.${verdict}`, { name });
    const toast = toasts.show(text, undo, "plain", verdict === "reject" && !asks ? why : undefined);
    try {
      await this.#optimistically([{ change, verdict }], async () => {
        const answer = await outbox.send<Schemas["DecidedItem"]>({
          method: "POST",
          path: verdictPath(change, verdict),
          body: { digest: change.digest, ...acknowledged },
          description: t(`review.what.${verdict}`, { name }),
        });
        const problem = applyFailure(verdict, answer);
        if (problem !== undefined) throw problem;
        return answer;
      });
    } catch (error) {
      toasts.close(toast);
      await this.#recordRefusal(change, asProblem(error));
    }
  }

  /** Sends several decisions in one request. Returns how many were rejected. */
  async decideAll(wanted: readonly PendingDecision[], text: string): Promise<number> {
    const changes = wanted.map((one) => one.change);
    const whole = wanted.map((one) => ({ ...one, acknowledged: this.#acknowledgedValue(one.change, one.verdict) }));
    this.#markDecidedHere(changes);
    const shown = isAway() ? t("review.will.all", { n: changes.length }) : text;
    const toast = toasts.show(shown, { label: t("do.undo"), run: () => void this.undo(changes) });
    let refused: { change: Change; problem: Problem }[] = [];
    try {
      await this.#optimistically(wanted, async () => {
        const answer = await this.#send(whole, text);
        refused = wanted.flatMap(({ change, verdict }) => {
          const one = answer.items.find((other) => keyOf(other) === keyOf(change));
          const problem = failureOf(verdict, one);
          return problem === undefined ? [] : [{ change, problem }];
        });
        return answer;
      });
    } catch (error) {
      const problem = asProblem(error);
      refused = changes.map((change) => ({ change, problem }));
    }
    if (refused.length > 0) {
      toasts.close(toast);
      const accepted = changes.filter((change) => !refused.some((one) => one.change === change));
      const text = t("review.someRefused", { n: refused.length, of: changes.length });
      const undo = { label: t("do.undo"), run: () => void this.undo(accepted) };
      toasts.show(text, accepted.length > 0 ? undo : undefined);
      for (const one of refused) await this.#recordRefusal(one.change, one.problem);
    }
    return refused.length;
  }

  /** What confirms an item together with the one that it belongs to; undefined if that one is not open. */
  bothOf(change: Change): (() => void) | undefined {
    const parent = change.parent == null ? undefined : this.resource.value?.find((one) => one.set === change.set && one.index === change.parent);
    if (parent === undefined) return undefined;
    return () => {
      this.dismissRefusal(keyOf(change));
      const both = [parent, change].map((one) => ({ change: one, verdict: "confirm" as const, reason: undefined }));
      void this.decideAll(both, t("review.did.both", { name: nameOf(parent) }));
    };
  }

  /** Undoes decisions: the items are open again. */
  async undo(changes: readonly Change[]): Promise<void> {
    const explaining = this.explained;
    if (explaining !== undefined && changes.some((change) => keyOf(change) === keyOf(explaining.change))) this.explained = undefined;
    this.#markDecidedHere(changes);
    const wanted = changes.map((change) => ({ change, verdict: "undo" as const, reason: undefined }));
    const description = t("review.what.undo", { n: changes.length, name: changes[0] === undefined ? "" : nameOf(changes[0]) });
    try {
      await this.#optimistically(wanted, async () => {
        const answer = await this.#send(wanted, description);
        const problem = answer.items.map((one) => failureOf("undo", one)).find((one) => one !== undefined);
        if (problem !== undefined) throw problem;
        return answer;
      });
    } catch (error) {
      toasts.showRefusal(description, asProblem(error));
      void this.resource.refresh();
    }
  }

  /** Adds a reason to a rejection that was sent without one. */
  async explain(change: Change, reason: string): Promise<void> {
    const name = nameOf(change);
    this.#markDecidedHere([change]);
    try {
      await this.#optimistically([{ change, verdict: "reject" }], () =>
        outbox.send({
          method: "POST",
          path: verdictPath(change, "reject"),
          body: { digest: change.digest, reason },
          description: t("review.what.reason", { name }),
        }),
      );
      toasts.show(t("review.reasonKept", { name: change.agentName }));
    } catch (error) {
      await this.#recordRefusal(change, asProblem(error));
    }
  }

  /** The value that a confirm knowingly replaces: one the person set after the suggestion, and has seen. */
  #acknowledgedValue(change: Change, verdict: Verdict): Acknowledged {
    if (verdict !== "confirm") return {};
    const refusal = this.refusalOf(keyOf(change))?.problem;
    if (refusal?.code === VALUE_CHANGED && refusal.current !== undefined) return { current: refusal.current };
    return change.setSince ? { current: change.current ?? null } : {};
  }

  async #send(wanted: readonly { change: Change; verdict: Verdict; reason?: string | undefined; acknowledged?: Acknowledged }[], description: string): Promise<DecisionAnswer> {
    const body = wanted.map(({ change, verdict, reason, acknowledged }) => ({
      set: change.set,
      index: change.index,
      verdict,
      digest: change.digest,
      ...(reason === undefined ? {} : { reason }),
      ...acknowledged,
    }));
    return await outbox.send<DecisionAnswer>({ method: "POST", path: decisionsPath(this.task), body, description });
  }

  /** Shows decisions at once; their answer becomes the list and the task, so that neither is loaded again. */
  async #optimistically(wanted: readonly { change: Change; verdict: Verdict }[], send: () => Promise<unknown>): Promise<void> {
    const task: Overlay<Schemas["Task"]> = { resource: live.resourceFor(queries.task(this.task)), edit: (value) => value, ...taskFromDecision };
    await optimistically([this.#overlay(wanted)], () => optimistically([task], send));
  }

  #markDecidedHere(changes: readonly Change[]): void {
    this.decidedHere = new Set([...this.decidedHere, ...changes.map(keyOf)]);
    for (const change of changes) this.dismissRefusal(keyOf(change));
  }

  /** The list as it will be once the server has accepted these decisions, and how its answer becomes the list. */
  #overlay(wanted: readonly { change: Change; verdict: Verdict }[]): Overlay<Change[]> {
    const resource = this.resource;
    const order = (resource.value ?? []).map(keyOf);
    const edit = (value: Change[]): Change[] =>
      wanted.reduce((list, { change, verdict }) => {
        const at = list.findIndex((other) => keyOf(other) === keyOf(change));
        const rest = list.filter((_, index) => index !== at);
        if (verdict === "confirm" || verdict === "reject") return rest;
        const base = at < 0 ? change : (list[at] ?? change);
        const status: Change["status"] = verdict === "defer" ? "deferred" : "pending";
        const next = { ...base, status, shown: verdict !== "defer" };
        if (at >= 0) return list.map((other, index) => (index === at ? next : other));
        const place = order.indexOf(keyOf(change));
        return place < 0 ? [next, ...list] : list.toSpliced(place, 0, next);
      }, value);
    return { resource, edit, ...fromDecision };
  }

  async #recordRefusal(change: Change, problem: Problem): Promise<void> {
    // Reload first, so that the problem is reported once, where the item is now.
    await this.resource.refresh();
    const isOpen = this.resource.value?.some((other) => keyOf(other) === keyOf(change)) ?? true;
    const resolution = isOpen && !RESOLVED_CODES.includes(problem.code) ? undefined : await readResolution(change);
    this.dismissRefusal(keyOf(change));
    if (this.explained !== undefined && keyOf(this.explained.change) === keyOf(change)) this.explained = undefined;
    this.refusals = [...this.refusals, { change, problem, resolution }];
  }
}

/** Whether the server is known to be unreachable. */
const isAway = (): boolean => !live.isUp && live.downSince !== undefined;

async function readResolution(change: Change): Promise<Resolution | undefined> {
  const set = await readSet(change.set).catch(() => undefined);
  const item = set?.items.find((other) => other.index === change.index);
  return item === undefined ? undefined : { status: item.status, at: item.decidedAt };
}

/** The confirm was accepted but not applied; the item says why. */
function applyFailure(verdict: Verdict, { item }: Outcome): Problem | undefined {
  if (verdict !== "confirm" || ["confirmed", "applying"].includes(item.status)) return undefined;
  const code = item.status === "retracted" ? "change-retracted" : "not-applied";
  return new Problem({ status: 409, code, title: t("review.notApplied"), detail: item.error ?? t("review.notApplied") });
}

function failureOf(verdict: Verdict, decided: DecisionResult | undefined): Problem | undefined {
  if (decided === undefined) return undefined;
  return "problem" in decided ? problemOf(decided.problem.status, decided.problem, null) : applyFailure(verdict, decided.outcome);
}

const known = new Map<string, { token: string | undefined; decisions: Decisions }>();

/**
 * The decisions on a task, shared by the list and the review for as long as the same person is signed
 * in.
 */
export function decisionsFor(task: string): Decisions {
  const there = known.get(task);
  if (there !== undefined && there.token === session.token) return there.decisions;
  const decisions = new Decisions(task);
  known.set(task, { token: session.token, decisions });
  return decisions;
}
