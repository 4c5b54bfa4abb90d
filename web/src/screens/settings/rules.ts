// The logic of the settings: pure functions.

import type { Scope, Token } from "./data";

/** Live tokens first; newest first within each group. */
export function sortTokens(tokens: readonly Token[]): Token[] {
  return tokens.toSorted((a, b) => Number(b.isLive) - Number(a.isLive) || b.createdAt.localeCompare(a.createdAt));
}

/**
 * The scopes that a token of this kind can have: agents and MCP clients neither decide nor manage
 * access.
 */
export function grantableScopes(scopes: readonly Scope[], kind: string): Scope[] {
  return scopes.filter((scope) => kind === "person" || (scope !== "decide" && scope !== "admin"));
}

/** Whether a token is live, and why not. */
export function tokenState(token: Pick<Token, "isLive" | "revokedAt">): "live" | "revoked" | "expired" {
  if (token.isLive) return "live";
  return token.revokedAt === null ? "expired" : "revoked";
}
