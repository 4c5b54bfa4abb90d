// A rule as a sentence.

import { list, t, valueText } from "../../i18n/index.svelte";
import type { HeldBack, Rule, RuleCondition } from "./data";
import { nameOf } from "../review/describe";

export const toolName = (tool: string): string => valueText("rules.tool", tool);

function conditionOf(condition: RuleCondition, labelName: string | null): string {
  switch (condition.type) {
    case "field":
      return valueText("rules.part", condition.part);
    case "value":
      return valueText("rules.class", condition.class);
    case "label":
      return t("rules.label", { label: labelName ?? condition.label });
    case "words":
      return t("rules.words", { words: list(condition.words.map((word) => `“${word}”`)) });
  }
}

/** What it is about: “Priority: P1”, “New item: with “tests””. */
export function describeRule(rule: Pick<Rule, "tool" | "condition" | "labelName">): string {
  const tool = toolName(rule.tool);
  if (rule.condition === null) return tool;
  return t("rules.about", { tool, condition: conditionOf(rule.condition, rule.labelName) });
}

/** What a rule did not let through. */
export const describeHeld = (tool: string, held: Pick<HeldBack, "change">): string => nameOf({ change: held.change, humanSummary: toolName(tool) });
