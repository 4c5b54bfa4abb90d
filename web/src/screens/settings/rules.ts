// The logic of the settings: pure functions.

import { t } from "../../i18n/index.svelte";
import { BUILT_IN } from "./models/rules";
import type { Access, AuditEntry, Scope, Token } from "./data";

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

/** Where the model of the server runs: a server of the person's own may be at any address. */
export function modelPlace(server: Pick<Access["server"], "model" | "isLocal">): string {
  if (server.model === BUILT_IN) return t("settings.modelHere");
  return t(server.isLocal ? "settings.modelLocal" : "settings.modelRemote");
}

/** Whether a token is live, and why not. */
export function tokenState(token: Pick<Token, "isLive" | "revokedAt">): "live" | "revoked" | "expired" {
  if (token.isLive) return "live";
  return token.revokedAt === null ? "expired" : "revoked";
}

/** What an audit row says beyond its action and its object; empty if nothing. */
export function auditWords(entry: Pick<AuditEntry, "denied" | "detail">): string {
  const denied = entry.denied ?? null;
  if (denied === null) return entry.detail;
  const { model, reason, what } = denied;
  return what === "request" ? t(`settings.deniedRequest.${reason}`, { model }) : t(`settings.deniedCall.${reason}`, { what, model });
}

/** The newest rows and older ones, each once. */
export function mergeAudit(first: readonly AuditEntry[], older: readonly AuditEntry[]): AuditEntry[] {
  const seen = new Set<string>();
  return [...first, ...older].filter((entry) => !seen.has(entry.id) && seen.add(entry.id));
}
