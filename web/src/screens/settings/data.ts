// The queries of the settings.

import { api, unwrap, type Schemas } from "../../api/client";
import type { Query } from "../../live/store.svelte";

export type Access = Schemas["Access"];
export type Token = Schemas["Token"];
export type Scope = Schemas["Scope"];

/** A scope that a new token can have. */
export type OfferedScope = Schemas["OfferedScope"];

export const SCOPES: readonly OfferedScope[] = ["read", "edit", "decide", "admin"];

export interface Tokens {
  items: Token[];
  nextCursor: string | null;
}

export const queries = {
  access: (): Query<Access> => ({
    key: "access",
    load: () => unwrap(api.GET("/api/access", {})),
    // It names the model in use.
    invalidatedBy: (event) => event.type === "models:changed",
  }),
  tokens: (): Query<Tokens> => ({
    key: "tokens",
    load: () => unwrap(api.GET("/api/tokens", {})),
    invalidatedBy: (event) => event.type.startsWith("token:"),
  }),
};

export function createToken(body: Schemas["TokenParams"]): Promise<Schemas["CreatedToken"]> {
  return unwrap(api.POST("/api/tokens", { body }));
}

export function revokeToken(token: string): Promise<Token> {
  return unwrap(api.DELETE("/api/tokens/{token}", { params: { path: { token } } }));
}
