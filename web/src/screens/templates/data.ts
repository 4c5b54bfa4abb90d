// The queries about templates.

import { api, unwrap, type Schemas } from "../../api/client";
import { asProblem } from "../../api/problem";
import { isOneOf } from "../../live/queries";
import type { LiveEvent } from "../../live/socket";
import type { Query } from "../../live/store.svelte";
import type { Paged } from "../agent/data";

export type Template = Schemas["Template"];
export type TemplateDetail = Schemas["TemplateDetail"];
export type TemplateKind = Schemas["TemplateKind"];
export type Version = Schemas["TemplateVersion"];
export type Setting = Schemas["DirectiveSetting"];
export type TemplateMetrics = Schemas["TemplateMetrics"];
export type Metrics = Schemas["Metrics"];
export type DecisionCounts = Schemas["DecisionCounts"];
export type MetricChange = Schemas["MetricChange"];
export type WeekMetrics = Schemas["WeekMetrics"];
export type EvolutionDetail = Schemas["EvolutionDetail"];
export type EvolutionSession = Schemas["EvolutionSession"];
export type EvolutionMessage = Schemas["EvolutionMessage"];
export type EvolutionProposal = Schemas["EvolutionProposal"];

export const KINDS: readonly TemplateKind[] = ["taskAgent", "improver", "agentWork"];

/** Units: versions. */
const VERSIONS_PAGE = 50;

/** Units: sessions. */
const SESSIONS_PAGE = 20;

/** An event that moves a template, or the number of agents that follow it. */
const isTemplateEvent = (event: LiveEvent): boolean => isOneOf(event, "template:changed", "agent:created", "agent:changed");

/** An event about the texts of this template. */
const isOfTemplate =
  (id: string) =>
  (event: LiveEvent): boolean =>
    isOneOf(event, "template:changed") && event.subject === id;

const path = (template: string): { path: { template: string } } => ({ path: { template } });

export async function readVersions(template: string, cursor?: string): Promise<Paged<Version>> {
  const query = { limit: VERSIONS_PAGE, ...(cursor === undefined ? {} : { cursor }) };
  return await unwrap(api.GET("/api/templates/{template}/versions", { params: { ...path(template), query } }));
}

/** An event of a session names the session, not its template. */
const isEvolutionEvent = (event: LiveEvent): boolean => isOneOf(event, "evolution:changed");

/** The session that goes on; `null` if there is none. */
async function readEvolution(template: string): Promise<EvolutionDetail | null> {
  try {
    return await unwrap(api.GET("/api/templates/{template}/evolution", { params: path(template) }));
  } catch (error) {
    if (asProblem(error).status === 404) return null;
    throw error;
  }
}

export async function readEvolutions(template: string, cursor?: string): Promise<Paged<EvolutionSession>> {
  const query = { limit: SESSIONS_PAGE, ...(cursor === undefined ? {} : { cursor }) };
  return await unwrap(api.GET("/api/templates/{template}/evolution/sessions", { params: { ...path(template), query } }));
}

export const queries = {
  list: (): Query<Template[]> => ({
    key: "templates/list",
    load: async () => (await unwrap(api.GET("/api/templates", {}))).items,
    invalidatedBy: isTemplateEvent,
  }),
  detail: (id: string): Query<TemplateDetail> => ({
    key: `templates/one/${id}`,
    load: () => unwrap(api.GET("/api/templates/{template}", { params: path(id) })),
    revisionOf: (detail) => detail.template.revision,
    invalidatedBy: isTemplateEvent,
  }),
  versions: (id: string): Query<Paged<Version>> => ({
    key: `templates/versions/${id}`,
    load: () => readVersions(id),
    invalidatedBy: isOfTemplate(id),
  }),
  /** The text of a version never changes; its status does. */
  version: (id: string, n: number): Query<Version> => ({
    key: `templates/version/${id}/${n}`,
    load: () => unwrap(api.GET("/api/templates/{template}/versions/{n}", { params: { path: { template: id, n } } })),
    invalidatedBy: isOfTemplate(id),
  }),
  metrics: (id: string): Query<TemplateMetrics> => ({
    key: `templates/metrics/${id}`,
    load: () => unwrap(api.GET("/api/templates/{template}/metrics", { params: path(id) })),
    invalidatedBy: (event) => isOfTemplate(id)(event) || isOneOf(event, "agent:wake", "task:status", "change-set:item"),
  }),
  evolution: (id: string): Query<EvolutionDetail | null> => ({
    key: `templates/evolution/${id}`,
    load: () => readEvolution(id),
    invalidatedBy: isEvolutionEvent,
  }),
  evolutions: (id: string): Query<Paged<EvolutionSession>> => ({
    key: `templates/evolutions/${id}`,
    load: () => readEvolutions(id),
    invalidatedBy: isEvolutionEvent,
  }),
  /** A session that has ended does not change. */
  pastEvolution: (id: string, session: string): Query<EvolutionDetail> => ({
    key: `templates/evolution/${id}/${session}`,
    load: () => unwrap(api.GET("/api/templates/{template}/evolution/sessions/{session}", { params: { path: { template: id, session } } })),
    invalidatedBy: isEvolutionEvent,
  }),
};
