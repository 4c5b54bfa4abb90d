// Writes to rules and to the policies of tools. A refusal is shown, and everything is read again.

import { api, idempotencyKey, unwrap, type Schemas } from "../../api/client";
import { asProblem } from "../../api/problem";
import { toasts } from "../../app/toasts.svelte";
import { t } from "../../i18n/index.svelte";
import { live } from "../../live/store.svelte";
import { queries as templates, type TemplateDetail } from "../templates/data";
import type { Rule, SuggestedRule } from "./data";
import { describeRule, toolName } from "./rules";

const key = (): { "Idempotency-Key": string } => ({ "Idempotency-Key": idempotencyKey() });

async function tried(description: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    toasts.showRefusal(description, asProblem(error));
    return false;
  } finally {
    live.invalidatePrefix("rules/");
  }
}

const add = (body: Schemas["RuleParams"]): Promise<Rule> => unwrap(api.POST("/api/rules", { params: { header: key() }, body }));
const drop = (rule: string): Promise<Rule> => unwrap(api.DELETE("/api/rules/{rule}", { params: { path: { rule }, header: key() } }));

export async function makeRule(suggested: SuggestedRule): Promise<void> {
  const { holder, tool, condition, rejections } = suggested;
  let made = "";
  const act = async (): Promise<void> => {
    made = (await add({ holder, tool, condition, decisions: rejections.map((one) => one.decision) })).id;
  };
  const what = describeRule(suggested);
  if (!(await tried(t("rules.what.make", { what }), act))) return;
  const undo = (): void => void tried(t("rules.what.remove", { what }), () => drop(made));
  toasts.show(t("rules.made", { what }), { label: t("do.undo"), run: undo });
}

export async function removeRule(rule: Rule): Promise<void> {
  const what = describeRule(rule);
  if (!(await tried(t("rules.what.remove", { what }), () => drop(rule.id)))) return;
  const { holder, tool, condition, decisions } = rule;
  const undo = (): void => void tried(t("rules.what.make", { what }), () => add({ holder, tool, condition, decisions }));
  toasts.show(t("rules.removed", { what }), { label: t("do.undo"), run: undo });
}

/** Sets what a tool may do, on the template as it was seen. */
export async function setPolicy(detail: TemplateDetail, tool: string, policy: Schemas["ToolPolicy"]): Promise<void> {
  const { id, revision, activeVersion } = detail.template;
  if (activeVersion === null) return;
  const header = { ...key(), "If-Match": `"${revision}"` };
  const act = async (): Promise<void> => {
    const params = { path: { template: id, n: activeVersion, tool }, header };
    const set = await unwrap(api.PUT("/api/templates/{template}/versions/{n}/tools/{tool}", { params, body: { policy } }));
    live.resourceFor(templates.detail(id))?.settle(set);
  };
  if (!(await tried(t("rules.what.policy", { tool: toolName(tool) }), act))) live.invalidatePrefix("templates/");
}
