// The queries about rules: those in force, those that verdicts speak for, what one held back.

import { api, unwrap, type Schemas } from "../../api/client";
import { isOneOf } from "../../live/queries";
import type { Query } from "../../live/store.svelte";

export type Rule = Schemas["Rule"];
export type SuggestedRule = Schemas["SuggestedRule"];
export type HeldBack = Schemas["HeldBack"];
export type RuleCondition = Schemas["RuleCondition"];
export type TemplateTool = Schemas["TemplateTool"];

export const queries = {
  /** A turn of an agent may have held something back. */
  rules: (holder: string): Query<Rule[]> => ({
    key: `rules/of/${holder}`,
    load: async () => (await unwrap(api.GET("/api/rules", { params: { query: { holder } } }))).items,
    invalidatedBy: (event) => isOneOf(event, "rule:changed", "template:changed", "agent:wake"),
  }),
  suggested: (holder: string): Query<SuggestedRule[]> => ({
    key: `rules/suggested/${holder}`,
    load: async () => (await unwrap(api.GET("/api/rules/suggested", { params: { query: { holder } } }))).items,
    invalidatedBy: (event) => isOneOf(event, "rule:changed", "change-set:item"),
  }),
  heldBack: (rule: string): Query<HeldBack[]> => ({
    key: `rules/held/${rule}`,
    load: async () => (await unwrap(api.GET("/api/rules/{rule}/held-back", { params: { path: { rule } } }))).items,
    invalidatedBy: (event) => isOneOf(event, "rule:changed", "agent:wake"),
  }),
};
