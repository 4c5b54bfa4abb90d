// The queries about templates.

import { api, unwrap, type Schemas } from "../../api/client";
import { isOneOf } from "../../live/queries";
import type { LiveEvent } from "../../live/socket";
import type { Query } from "../../live/store.svelte";
import type { Paged } from "../agent/data";

export type Template = Schemas["Template"];
export type TemplateDetail = Schemas["TemplateDetail"];
export type TemplateKind = Schemas["TemplateKind"];
export type Version = Schemas["TemplateVersion"];
export type Setting = Schemas["DirectiveSetting"];

export const KINDS: readonly TemplateKind[] = ["taskAgent", "improver", "agentWork"];

/** Units: versions. */
const VERSIONS_PAGE = 50;

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
};
