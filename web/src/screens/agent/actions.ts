// Actions on an agent: shown immediately, reported if rejected.

import type { Schemas } from "../../api/client";
import { asProblem } from "../../api/problem";
import { outbox } from "../../app/outbox";
import { toasts } from "../../app/toasts.svelte";
import { t, type Key } from "../../i18n/index.svelte";
import { optimistically } from "../../live/outbox.svelte";
import { live } from "../../live/store.svelte";
import { queries, type Agent } from "./data";
import type { RemovableLine } from "./knowledge";

type Method = "POST" | "PATCH" | "DELETE";

/** Sends an action and returns whether it succeeded; a rejection is reported. */
async function send(
  agent: Agent,
  label: Key,
  method: Method,
  path: string,
  body: unknown,
  edit: (was: Agent) => Agent = (was) => was,
): Promise<boolean> {
  return (await sendForAnswer(agent, label, method, path, body, edit)) !== undefined;
}

/** Like `send`, but returns the server's answer. */
async function sendForAnswer(
  agent: Agent,
  label: Key,
  method: Method,
  path: string,
  body: unknown,
  edit: (was: Agent) => Agent = (was) => was,
): Promise<{ body: unknown } | undefined> {
  const description = t(label, { name: agent.displayName });
  const resource = live.resourceFor(queries.agent(agent.id));
  let answer: unknown;
  try {
    const fromAnswer = (body: unknown): Agent | undefined => ((body as Agent | undefined)?.id === agent.id ? (body as Agent) : undefined);
    await optimistically([{ resource, edit, fromAnswer }], async () => (answer = await outbox.send({ method, path: `/api/agents/${agent.id}${path}`, description, ...(body === undefined ? {} : { body }) })));
    live.invalidatePrefix(`agent-`);
    live.invalidatePrefix("roster/");
    return { body: answer };
  } catch (error) {
    toasts.showRefusal(description, asProblem(error));
    return undefined;
  }
}

export function pause(agent: Agent): Promise<boolean> {
  return send(agent, "agent.what.pause", "POST", "/pause", undefined, (was) => ({ ...was, lifecycle: "dormant", dormantReason: "paused" }));
}

export function resume(agent: Agent): Promise<boolean> {
  return send(agent, "agent.what.resume", "POST", "/resume", undefined, (was) => ({ ...was, lifecycle: "active", dormantReason: null }));
}

export async function reanalyse(agent: Agent): Promise<void> {
  if (await send(agent, "agent.what.reanalyse", "POST", "/reanalyse", undefined)) {
    toasts.show(t("agent.reanalysed", { name: agent.displayName }));
  }
}

/** Wakes the agent now, with or without a message. */
export async function wakeNow(agent: Agent, message: string): Promise<boolean> {
  const done = await send(agent, "agent.what.wake", "POST", "/wake", message === "" ? {} : { message });
  const isRead = agent.readsMessages ? "agent.messageSent" : "agent.messageKept";
  if (done) toasts.show(t(message === "" ? "agent.woken" : isRead, { name: agent.displayName }));
  return done;
}

/** Wakes the agent at a later time; `null` cancels that. */
export function wakeAt(agent: Agent, at: string | null): Promise<boolean> {
  return send(agent, "agent.what.wakeAt", "POST", "/wake", { at });
}

export function cancelWake(agent: Agent): Promise<boolean> {
  return sendStop(agent, "agent.what.cancel", "/wake", (was) => ({ ...was, activity: "asleep", dueAt: null }));
}

/** Stops a run that is under way. Its next wake covers what it was to see. */
export async function cancelRun(agent: Agent, runKey: string): Promise<void> {
  const stopped = (was: Agent): Agent => ({ ...was, activity: "asleep", awakeSince: null, runKey: null });
  if (await send(agent, "agent.what.cancelRun", "POST", `/wakes/${runKey}/cancel`, undefined, stopped)) {
    toasts.show(t("agent.runCancelled", { name: agent.displayName }));
  }
}

export function patchAgent(agent: Agent, patch: Schemas["AgentPatch"]): Promise<boolean> {
  return send(agent, "agent.what.set", "PATCH", "", patch, (was) => ({ ...was, ...(patch as Partial<Agent>) }));
}

/** Gives the agent a model of its own, or with `null` that of the workspace. `name` is what it then uses. */
export async function chooseModel(agent: Agent, model: string | null, name: string): Promise<void> {
  if (await send(agent, "agent.what.set", "PATCH", "", { model } satisfies Schemas["AgentPatch"])) {
    live.invalidatePrefix("models");
    toasts.show(t("models.agentChanged", { name: agent.displayName, model: name }));
  }
}

/** Lets the agent follow a template, or with `null` the default one. `name` is the one it then follows. */
export async function chooseTemplate(agent: Agent, templateId: string | null, name: string): Promise<void> {
  if (await send(agent, "agent.what.set", "PATCH", "", { templateId } satisfies Schemas["AgentPatch"], (was) => ({ ...was, templateId }))) {
    live.invalidatePrefix("templates/");
    toasts.show(t("templates.ofAgentChanged", { name: agent.displayName, template: name }));
  }
}

/** Removes a line from what the agent knows, and its words from both databases. */
export async function removeLine(agent: Agent, line: RemovableLine, withEntry: boolean): Promise<boolean> {
  return send(agent, "knows.what", "DELETE", `/knowledge/${line.line}?withEntry=${withEntry}`, undefined);
}

export function destroy(agent: Agent): Promise<boolean> {
  return sendStop(agent, "agent.what.destroy", "");
}

/** Stops something, and tells the person which of their messages the agent will never read. */
async function sendStop(agent: Agent, label: Key, path: string, edit?: (was: Agent) => Agent): Promise<boolean> {
  const answer = await sendForAnswer(agent, label, "DELETE", path, undefined, edit);
  if (answer === undefined) return false;
  const { unheard } = (answer.body ?? {}) as Partial<Schemas["StoppedAgent"]>;
  for (const { text } of unheard ?? []) {
    toasts.show(t("agent.unheard", { name: agent.displayName, text: text ?? t("agent.purged") }));
  }
  return true;
}
