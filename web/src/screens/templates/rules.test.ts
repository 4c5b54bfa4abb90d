import { describe, expect, it } from "vitest";

import { t } from "../../i18n/index.svelte";
import type { Setting, Template, TemplateKind } from "./data";
import { readDraft } from "./drafts";
import { assignable, authorWords, byDirective, changesOf, compared, grouped, isStock, isTooLong, lengthWords, MAX_DIRECTIVE, settingWords, verdictsIn, wordsOf, type Words } from "./rules";

const words: Words = { generalDirective: "Be warm.", reportDirective: "No emojis.", modelId: null, profileId: null };

const template = (id: string, parts: Partial<Template> = {}): Template => ({
  id,
  kind: "taskAgent",
  displayName: id,
  categoryIds: [],
  isDefault: false,
  activeVersion: 1,
  newestVersion: 1,
  modelId: null,
  nAgents: 0,
  revision: 1,
  createdAt: "2026-11-27T07:00:00Z",
  updatedAt: "2026-11-27T07:00:00Z",
  archivedAt: null,
  ...parts,
});

describe("what is saved of a template", () => {
  it("is only what differs", () => {
    expect(changesOf(words, words)).toEqual({});
    expect(changesOf({ ...words, reportDirective: "", modelId: "builtin" }, words)).toEqual({ reportDirective: "", modelId: "builtin" });
    expect(wordsOf(null)).toEqual({ generalDirective: "", reportDirective: "", modelId: null, profileId: null });
  });

  it("has 12 KiB in bytes, not in characters", () => {
    expect(isTooLong("a".repeat(MAX_DIRECTIVE))).toBe(false);
    expect(isTooLong("a".repeat(MAX_DIRECTIVE + 1))).toBe(true);
    expect(isTooLong("é".repeat(MAX_DIRECTIVE / 2 + 1))).toBe(true);
    expect(lengthWords("Be warm.")).toBe("2 words, 0.1 of 12 KiB");
    expect(lengthWords("a".repeat(MAX_DIRECTIVE + 712))).toBe("712 bytes too long; 12,288 fit");
  });

  it("is kept as a draft that any other text is not", () => {
    const draft = { words, base: { revision: 3, saved: words } };
    expect(readDraft(JSON.stringify(draft))).toEqual(draft);
    for (const text of ["", "null", "7", "{", "{}", JSON.stringify({ words }), JSON.stringify({ ...draft, words: { ...words, modelId: 4 } })]) expect(readDraft(text)).toBeUndefined();
  });
});

describe("what the rules understood", () => {
  const all: Setting[] = [
    ...(["short", "long"] as const).map((length): Setting => ({ setting: "length", length })),
    ...(["encouraging", "factual", "direct"] as const).map((tone): Setting => ({ setting: "tone", tone })),
    ...[1, 2].map((most): Setting => ({ setting: "summarySentences", most })),
    ...[true, false].map((allowed): Setting => ({ setting: "emojis", allowed })),
    ...(["achieved", "left", "learned", "questions"] as const).flatMap((section): Setting[] => [
      { setting: "first", section },
      { setting: "leaveOut", section },
    ]),
    ...(["title", "status", "priority", "dueDate", "estimate", "labels", "items", "ticks"] as const).map((kind): Setting => ({ setting: "neverPropose", kind })),
  ];

  it("is a sentence of its own for each setting", () => {
    const said = all.map(settingWords);
    expect(new Set(said).size).toBe(all.length);
    for (const sentence of said) expect(sentence).toMatch(/^[A-Z][^{}]+ [^{}]+[^.]$/);
    expect(settingWords({ setting: "mood" } as unknown as Setting)).toBe("mood");
  });

  it("is distinguished by the directive that a sentence is in", () => {
    const general = "Be warm. Ask\n when in doubt. Be exact.";
    expect(byDirective({ generalDirective: general, reportDirective: "Be exact." }, ["Ask when in doubt", "Be exact", "Be exact"])).toEqual({
      general: ["Ask when in doubt", "Be exact"],
      report: ["Be exact"],
    });
    expect(byDirective({ generalDirective: "", reportDirective: "Be exact." }, ["Of a default text", "Be exact"])).toEqual({ general: [], report: ["Be exact"] });
    expect(byDirective({ generalDirective: "Be warm.", reportDirective: "" }, ["Be warm", "Of a default text"])).toEqual({ general: ["Be warm"], report: [] });
  });
});

describe("the list", () => {
  it("has a group for each kind that is in use", () => {
    const all = [template("a"), template("b", { kind: "agentWork" }), template("c", { archivedAt: "2026-11-27T07:00:00Z" }), template("d", { kind: "planet" as TemplateKind })];
    expect(grouped(all).map((group) => [group.kind, group.templates.map((one) => one.id)])).toEqual([
      ["taskAgent", ["a", "d"]],
      ["agentWork", ["b"]],
    ]);
  });

  it("knows what comes with the program", () => {
    expect(isStock({ id: "at-0000000000000000000000calm" })).toBe(true);
    expect(isStock({ id: "at-01jd7m3k5vn2c8q4w6x0z9abcd" })).toBe(false);
  });

  it("offers agents what is for tasks and in use, and what they follow", () => {
    const archived = template("c", { archivedAt: "2026-11-27T07:00:00Z" });
    const all = [template("a"), template("b", { kind: "improver" }), archived, template("d", { activeVersion: null })];
    expect(assignable(all, "a").map((one) => one.id)).toEqual(["a"]);
    expect(assignable(all, "c").map((one) => one.id)).toEqual(["a", "c"]);
  });
});

describe("versions", () => {
  it("are compared as the address says, else the active one with the one before", () => {
    expect(compared(3, 4, "1", "4")).toEqual({ from: 1, to: 4 });
    expect(compared(3, 4, null, null)).toEqual({ from: 2, to: 3 });
    expect(compared(null, 2, null, null)).toEqual({ from: 1, to: 2 });
    expect(compared(1, 3, "9", "x")).toEqual({ from: 2, to: 3 });
    expect(compared(1, 1, "1", "1")).toEqual({ from: 1, to: 1 });
    expect(compared(1, 1, null, null)).toBeUndefined();
  });

  it("name their author", () => {
    expect(authorWords({ authoredBy: "owner" }, undefined)).toBe("by you");
    expect(authorWords({ authoredBy: "token:tk-01" }, "token:tk-02")).toBe("by a program with a token");
    expect(authorWords({ authoredBy: "token:tk-01" }, "token:tk-01")).toBe("by you");
    expect(authorWords({ authoredBy: "evolution" }, undefined)).toBe("approved in a session");
    expect(authorWords({ authoredBy: "Lotti" }, undefined)).toBe(t("templates.author.other", { name: "Lotti" }));
  });
});

describe("verdicts of a session", () => {
  it("belong to the proposal that they name; one without a verdict was replaced", () => {
    const found = verdictsIn([
      { role: "proposal", verdictOn: null },
      { role: "rejected", verdictOn: 1 },
      { role: "proposal", verdictOn: null },
      { role: "proposal", verdictOn: null },
      { role: "approved", verdictOn: 3 },
    ]);
    expect([1, 2, 3].map((n) => found.get(n))).toEqual(["rejected", undefined, "approved"]);
  });
});
