import { describe, expect, it } from "vitest";

import { canBeText, freeName, hasOpenDates, isList, laidOut, linesOf, pastedName, shownLine, utf8Text, wordsOf } from "./content";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("a file can be text", () => {
  it.each([
    ["plain words", bytes("buy milk\n"), true],
    ["no bytes at all", new Uint8Array(), true],
    ["Latin-1", new Uint8Array([0x4d, 0xf6, 0x62, 0x65, 0x6c]), true],
    ["UTF-16, its low bytes first", new Uint8Array([0xff, 0xfe, 0x61, 0]), true],
    ["UTF-16, its high bytes first", new Uint8Array([0xfe, 0xff, 0, 0x61]), true],
    ["a NUL among words", bytes("abc\0def"), false],
    ["a PNG", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]), false],
  ])("%s", (_, head, expected) => expect(canBeText(head)).toBe(expected));
});

describe("the text of a file in UTF-8", () => {
  it.each([
    ["words of any language", bytes("Fenster putzen, Möbel, 引っ越し"), "Fenster putzen, Möbel, 引っ越し"],
    ["a byte order mark", bytes("\uFEFFtitle;due"), "title;due"],
    ["Latin-1 after many plain letters", new Uint8Array([...bytes("a".repeat(5000)), 0xf6, 0x62]), undefined],
    ["the first half of a character", bytes("aö").slice(0, 2), undefined],
  ])("%s", (_, given, expected) => expect(utf8Text(given)).toBe(expected));
});

describe("JSON in one line", () => {
  it("gets a line for each member", () => {
    const text = String.raw`{"a":[{"b":"x, {y}: \"z\\"},2],"c":{},"d":[],"e":12345678901234567890}`;
    const laid = String.raw`{
 "a": [
  {
   "b": "x, {y}: \"z\\"
  },
  2
 ],
 "c": {},
 "d": [],
 "e": 12345678901234567890
}
`;
    expect(laidOut(text)).toBe(laid);
    expect(laidOut(laid)).toBe(laid);
  });

  it.each(["", "[", "[ ] a", "{\n}", "(A) call {x}"])("is left alone if it is not: %j", (text) => expect(laidOut(text)).toBe(text));
});

describe("the lines of a text", () => {
  it.each([
    ["a\nb\n", ["a", "b"]],
    ["a\r\nb\rc", ["a", "b", "c"]],
    ["\uFEFFa\n\nb", ["a", "", "b"]],
    ["\n", [""]],
    ["", []],
  ])("%j", (text, lines) => expect(linesOf(text)).toEqual(lines));

  it("are shown up to a length", () => expect(shownLine("x".repeat(50_000_000)).length).toBe(401));

  it.each([
    ["## Movers", "Movers"],
    ["- [x] Ask three companies", "Ask three companies"],
    ["  1. Choose one", "Choose one"],
    ["> - quoted", "quoted"],
    ["#hashtag stays", "#hashtag stays"],
  ])("have words: %s", (line, words) => expect(wordsOf(line)).toBe(words));
});

it.each([
  ["by 3/4", true],
  ["until 10.12.", true],
  ["on 1.2.2027 at noon", true],
  ["by 24.11.", false],
  ["2027-01-05", false],
  ["version 1.2.3", false],
  ["page 3", false],
])("a date that means two days, in %s: %s", (line, expected) => expect(hasOpenDates([line])).toBe(expected));

describe("a pasted list", () => {
  it.each([
    ["intro\n\n## Move to the new flat ##\n- a", "pasted: Move to the new flat"],
    ["milk\neggs", "pasted list 2026-11-23"],
    ["# \n- a", "pasted list 2026-11-23"],
    ["#tag and more\nb", "pasted list 2026-11-23"],
    ["# a/b\\c\n", "pasted: a b c"],
  ])("is called by its first heading, else by the day: %j", (text, name) => expect(pastedName(text, "2026-11-23")).toBe(name));

  it("has more than one line", () => {
    expect(isList("a word\n")).toBe(false);
    expect(isList("one\n\ntwo")).toBe(true);
  });

  it("gets a name of its own", () => {
    expect(freeName("a.md", new Set())).toBe("a.md");
    expect(freeName("a.md", new Set(["a.md", "a.md (2)"]))).toBe("a.md (3)");
  });
});
