// What the settings decide by themselves: pure.

import type { Scope, Token } from "./data";

/** Those that open something stand first; each newest first. */
export function sortTokens(tokens: readonly Token[]): Token[] {
  return tokens.toSorted((a, b) => Number(b.isLive) - Number(a.isLive) || b.createdAt.localeCompare(a.createdAt));
}

/** What of these a token of this kind may hold: what proposes does not decide, nor make tokens. */
export function grantableScopes(scopes: readonly Scope[], kind: string): Scope[] {
  return scopes.filter((scope) => kind === "person" || (scope !== "decide" && scope !== "admin"));
}

/** Why a token opens nothing any more. */
export function tokenState(token: Pick<Token, "isLive" | "revokedAt">): "live" | "revoked" | "expired" {
  if (token.isLive) return "live";
  return token.revokedAt === null ? "expired" : "revoked";
}
