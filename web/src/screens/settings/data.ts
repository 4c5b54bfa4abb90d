// The queries of the settings.

import { api, unwrap, type Schemas } from "../../api/client";
import { isOneOf } from "../../live/queries";
import type { Query } from "../../live/store.svelte";

export type Access = Schemas["Access"];
export type Token = Schemas["Token"];
export type AuditEntry = Schemas["AuditEntry"];
export type WorkspaceSettings = Schemas["WorkspaceSettings"];
export type Scope = Schemas["Scope"];

/** A scope that a new token can have. */
export type OfferedScope = Schemas["OfferedScope"];

export const SCOPES: readonly OfferedScope[] = ["read", "edit", "decide", "admin"];

export interface AuditPage {
  items: AuditEntry[];
  nextCursor: string | null;
}

const AUDIT_PAGE = 20;

export interface Tokens {
  items: Token[];
  nextCursor: string | null;
}

export const queries = {
  access: (): Query<Access> => ({
    key: "access",
    load: () => unwrap(api.GET("/api/access", {})),
    // It names the model in use, and the time zone.
    invalidatedBy: (event) => isOneOf(event, "models:changed", "settings:changed"),
  }),
  workspace: (): Query<WorkspaceSettings> => ({
    key: "settings/workspace",
    load: () => unwrap(api.GET("/api/settings", {})),
    invalidatedBy: (event) => isOneOf(event, "settings:changed"),
  }),
  tokens: (): Query<Tokens> => ({
    key: "tokens",
    load: () => unwrap(api.GET("/api/tokens", {})),
    // No event is about tokens; the page loads them again after a change of its own.
    invalidatedBy: () => false,
  }),
  /** The newest rows. Almost every event adds one. */
  audit: (): Query<AuditPage> => ({
    key: "audit",
    load: () => unwrap(api.GET("/api/audit", { params: { query: { limit: AUDIT_PAGE } } })),
    invalidatedBy: () => true,
  }),
};

export function readAudit(cursor: string): Promise<AuditPage> {
  return unwrap(api.GET("/api/audit", { params: { query: { limit: AUDIT_PAGE, cursor } } }));
}

/** Sets the time zone of the workspace; `null` sets it back to that of the system. */
export function setTimeZone(timeZone: string | null): Promise<WorkspaceSettings> {
  return unwrap(api.PATCH("/api/settings", { body: { timeZone } }));
}

/** Sets when something is due that has a day and no time. */
export function setDayStarts(dayStarts: string): Promise<WorkspaceSettings> {
  return unwrap(api.PATCH("/api/settings", { body: { dayStarts } }));
}

export function createToken(body: Schemas["TokenParams"]): Promise<Schemas["CreatedToken"]> {
  return unwrap(api.POST("/api/tokens", { body }));
}

export function revokeToken(token: string): Promise<Token> {
  return unwrap(api.DELETE("/api/tokens/{token}", { params: { path: { token } } }));
}
