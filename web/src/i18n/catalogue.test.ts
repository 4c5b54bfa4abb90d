import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { en } from "./en";
import { chooseLocale, list, listAnd, setLocale, t } from "./index.svelte";

describe("the locale", () => {
  it("is the first preferred language that has a catalogue", () => {
    expect(chooseLocale(["de-AT", "cs", "en-US"], ["en", "cs"])).toBe("cs");
    expect(chooseLocale(["en-US"], ["en", "cs"])).toBe("en");
    expect(chooseLocale(["ja"], ["en", "cs"])).toBe("en");
    expect(chooseLocale([])).toBe("en");
  });

  it("needs a catalogue", async () => {
    await expect(setLocale("tlh")).rejects.toThrow();
  });

  it("formats lists", () => {
    expect(list(["a", "b", "c"])).toBe("a, b, c");
    expect(listAnd(["a", "b", "c"])).toBe("a, b and c");
  });
});

describe("a text", () => {
  it("takes its plural form and its parameters", () => {
    expect(t("agents.count", { n: 1 })).toBe("1 agent");
    expect(t("agents.count", { n: 1200 })).toBe("1,200 agents");
    expect(t("shell.shortcutTo" as never)).toBe("shell.shortcutTo");
  });

  it("is not reordered by a name in it", () => {
    const shown = (name: string): string => t("imports.leaveFileNamed", { name });
    const frame = shown("NAME").split("NAME");
    expect(frame).toHaveLength(2);
    expect(shown("cod\u202e.exe\u2069\u2067x")).toBe(frame.join("cod.exex"));
    expect(shown("רשימה.md")).toBe(frame.join("\u2068רשימה.md\u2069"));
    expect(shown("liste.md")).toBe(frame.join("liste.md"));
  });

  const withForms = Object.entries(en).filter(([, message]) => typeof message !== "string");
  it.each(withForms)("%s has the other form, and no parameter that it lacks", (_, message) => {
    const { other, ...forms } = message as Record<string, string>;
    expect(other).toBeDefined();
    if (forms["one"] !== undefined) expect(forms["one"].match(/\{\w+\}/g) ?? []).not.toContain("{undefined}");
  });

  it("is plain English", () => {
    const tics = /\b(whoever|stands|behind|taken back|let alone|unless said|also when)\b|^Who (?!.*\?)/;
    const texts = Object.entries(en).flatMap(([key, message]) => Object.values(typeof message === "string" ? { message } : message).map((text) => [key, text]));
    expect(texts.filter(([, text]) => tics.test(String(text)))).toEqual([]);
  });

  // A key that no code mentions is dead text. Keys built from a value of the server are mentioned by
  // their prefix.
  it("is used", () => {
    const root = new URL("../", import.meta.url);
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => /\.(ts|svelte)$/.test(file) && !file.startsWith("i18n/en") && file !== "api/schema.d.ts");
    const source = files.map((file) => readFileSync(new URL(file, root), "utf8")).join("\n");
    const quoted = new Set(Array.from(source.matchAll(/"([^"\n]+)"/g), (found) => found[1]));
    // Keys of a group have their prefixes in common.
    const prefixes = new Map<string, boolean>();
    const isPrefixUsed = (prefix: string): boolean => {
      const known = prefixes.get(prefix) ?? new RegExp(`["\`]${prefix.replaceAll(".", "\\.")}(["\`]|\\.\\$\\{)`).test(source);
      prefixes.set(prefix, known);
      return known;
    };
    const isUsed = (key: string): boolean => {
      if (quoted.has(key) || source.includes(`"${key}"`)) return true;
      const parts = key.split(".");
      return parts.some((_, at) => at > 0 && isPrefixUsed(parts.slice(0, at).join(".")));
    };
    expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([]);
  });
});
