import { expect, it } from "vitest";

import type { Token } from "./data";
import { grantableScopes, tokenState, sortTokens } from "./rules";

it("puts live tokens first, newest first in each group", () => {
  const token = (id: string, isLive: boolean, createdAt: string): Token => ({ id, isLive, createdAt }) as unknown as Token;
  const all = [token("old", true, "1"), token("gone", false, "4"), token("new", true, "3")];
  expect(sortTokens(all).map((one) => one.id)).toEqual(["new", "old", "gone"]);
});

it("lets agents neither decide nor manage access", () => {
  expect(grantableScopes(["read", "edit", "decide", "admin"], "agent")).toEqual(["read", "edit"]);
  expect(grantableScopes(["read", "decide", "admin"], "person")).toEqual(["read", "decide", "admin"]);
});

it("tells why a token is no longer live", () => {
  expect(tokenState({ isLive: true, revokedAt: null })).toBe("live");
  expect(tokenState({ isLive: false, revokedAt: "2026-01-01" })).toBe("revoked");
  expect(tokenState({ isLive: false, revokedAt: null })).toBe("expired");
});
