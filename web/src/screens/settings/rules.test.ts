import { expect, it } from "vitest";

import type { AuditEntry, Token } from "./data";
import { auditWords, grantableScopes, mergeAudit, modelPlace, tokenState, sortTokens } from "./rules";

it("puts live tokens first, newest first in each group", () => {
  const token = (id: string, isLive: boolean, createdAt: string): Token => ({ id, isLive, createdAt }) as unknown as Token;
  const all = [token("old", true, "1"), token("gone", false, "4"), token("new", true, "3")];
  expect(sortTokens(all).map((one) => one.id)).toEqual(["new", "old", "gone"]);
});

it("lets agents neither decide nor manage access", () => {
  expect(grantableScopes(["read", "edit", "decide", "admin"], "agent")).toEqual(["read", "edit"]);
  expect(grantableScopes(["read", "decide", "admin"], "person")).toEqual(["read", "decide", "admin"]);
});

it("calls an own server this machine only if the rules are built in", () => {
  expect(modelPlace({ model: "builtin", isLocal: true })).toBe("runs on this machine, free of charge");
  expect(modelPlace({ model: "far/big", isLocal: true })).toBe("runs on a server of yours, free of charge");
  expect(modelPlace({ model: "cloud/big", isLocal: false })).toBe("runs on another machine");
});

it("tells why a token is no longer live", () => {
  expect(tokenState({ isLive: true, revokedAt: null })).toBe("live");
  expect(tokenState({ isLive: false, revokedAt: "2026-01-01" })).toBe("revoked");
  expect(tokenState({ isLive: false, revokedAt: null })).toBe("expired");
});

it("says what was refused in words, and the detail of any other row", () => {
  const denied = (what: string, reason: "private" | "category" | "moved"): string => auditWords({ detail: "{}", denied: { what, model: "far/big", reason } });
  expect(denied("request", "category")).toBe("Nothing was sent to far/big, because of the category of the task.");
  expect(denied("set_task_title", "private")).toBe("A call of set_task_title by far/big was refused, because it is private.");
  expect(auditWords({ detail: "model far/big", denied: null })).toBe("model far/big");
});

it("shows each audit row once when the live page moved on", () => {
  const row = (id: string): AuditEntry => ({ id }) as unknown as AuditEntry;
  expect(mergeAudit([row("c"), row("b")], [row("b"), row("a")]).map((one) => one.id)).toEqual(["c", "b", "a"]);
});
