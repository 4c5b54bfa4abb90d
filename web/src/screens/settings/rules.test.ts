import { expect, it } from "vitest";

import type { Token } from "./data";
import { allowed, endOf, sorted } from "./rules";

it("puts tokens that open something first, each newest first", () => {
  const token = (id: string, isLive: boolean, createdAt: string): Token => ({ id, isLive, createdAt }) as unknown as Token;
  const all = [token("old", true, "1"), token("gone", false, "4"), token("new", true, "3")];
  expect(sorted(all).map((one) => one.id)).toEqual(["new", "old", "gone"]);
});

it("lets what proposes neither decide nor make tokens", () => {
  expect(allowed(["read", "edit", "decide", "admin"], "agent")).toEqual(["read", "edit"]);
  expect(allowed(["read", "decide", "admin"], "person")).toEqual(["read", "decide", "admin"]);
});

it("says why a token ended", () => {
  expect(endOf({ isLive: true, revokedAt: null })).toBe("live");
  expect(endOf({ isLive: false, revokedAt: "2026-01-01" })).toBe("revoked");
  expect(endOf({ isLive: false, revokedAt: null })).toBe("expired");
});
