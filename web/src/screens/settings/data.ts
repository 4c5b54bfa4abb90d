// The queries of the settings.

import { api, unwrap, type Schemas } from "../../api/client";
import { isOneOf } from "../../live/queries";
import type { Query } from "../../live/store.svelte";

export type Access = Schemas["Access"];
export type Token = Schemas["Token"];
export type AuditEntry = Schemas["AuditEntry"];
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
    // It names the model in use.
    invalidatedBy: (event) => isOneOf(event, "models:changed"),
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

export function createToken(body: Schemas["TokenParams"]): Promise<Schemas["CreatedToken"]> {
  return unwrap(api.POST("/api/tokens", { body }));
}

export function revokeToken(token: string): Promise<Token> {
  return unwrap(api.DELETE("/api/tokens/{token}", { params: { path: { token } } }));
}
