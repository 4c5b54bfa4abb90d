import { describe, expect, it } from "vitest";

import { changedRows, countWords, wordDiff, type Part } from "./wordDiff";

const shown = (parts: readonly Part[]): string =>
  parts.map(({ kind, text }) => ({ same: text, removed: `[-${text}-]`, added: `{+${text}+}` })[kind]).join("");

const side = (parts: readonly Part[], without: Part["kind"]): string =>
  parts.filter((part) => part.kind !== without).map((part) => part.text).join("");

describe("a diff of prose", () => {
  it("shows the words that changed, as phrases", () => {
    expect(shown(wordDiff("Be warm. No emojis.", "Be terse. No emojis."))).toBe("Be [-warm-]{+terse+}. No emojis.");
    expect(shown(wordDiff("Propose up to fifteen changes at once.", "Propose never more than seven changes at once."))).toBe(
      "Propose [-up to fifteen-]{+never more than seven+} changes at once.",
    );
  });

  it("is one part where nothing changed, and none of two empty texts", () => {
    expect(wordDiff("The same.", "The same.")).toEqual([{ kind: "same", text: "The same." }]);
    expect(wordDiff("", "")).toEqual([]);
    expect(shown(wordDiff("", "New."))).toBe("{+New.+}");
    expect(shown(wordDiff("Old.", ""))).toBe("[-Old.-]");
  });

  it("gives both texts back, whatever they are", () => {
    const words = ["be", " ", "terse", ".", "\n", "Ünïcode", "  ", "🙂", "<b>", "日本"];
    let seed = 7;
    const next = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
    for (let round = 0; round < 300; round += 1) {
      const text = (): string => Array.from({ length: next(30) }, () => words[next(words.length)]).join("");
      const [before, after] = [text(), text()];
      const parts = wordDiff(before, after);
      expect(side(parts, "added")).toBe(before);
      expect(side(parts, "removed")).toBe(after);
    }
  });

  it("shows texts that have too little in common one after the other", () => {
    const many = (word: string): string => Array.from({ length: 1_500 }, (_, n) => `${word}${n}`).join(" ");
    const parts = wordDiff(many("a"), many("b"));
    expect(parts.map((part) => part.kind)).toEqual(["removed", "added"]);
  });

  it("counts words", () => {
    expect(countWords(wordDiff("Be warm.", "Be terse and direct."))).toEqual({ added: 3, removed: 1 });
  });
});

describe("the rows of a diff", () => {
  const lines = (n: number): string => Array.from({ length: n }, (_, at) => `Line ${at}.`).join("\n");

  it("leaves out what is far from a change", () => {
    const rows = changedRows(wordDiff(lines(9), lines(9).replace("Line 4.", "Row 4.")), 1);
    expect(rows.map((row) => (row.kind === "gap" ? row.n : shown(row.parts)))).toEqual([3, "Line 3.", "[-Line-]{+Row+} 4.", "Line 5.", 3]);
  });

  it("shows a single line between two changes", () => {
    const rows = changedRows(wordDiff(lines(5), lines(5).replace("Line 0.", "Row 0.").replace("Line 4.", "Row 4.")), 1);
    expect(rows.map((row) => (row.kind === "gap" ? row.n : shown(row.parts)))).toEqual(["[-Line-]{+Row+} 0.", "Line 1.", "Line 2.", "Line 3.", "[-Line-]{+Row+} 4."]);
  });

  it("keeps an added line a line", () => {
    const rows = changedRows(wordDiff("One.\nThree.", "One.\nTwo.\nThree."), 1);
    expect(rows.every((row) => row.kind === "line")).toBe(true);
    expect(rows.filter((row) => row.kind === "line" && row.isChanged)).toHaveLength(1);
  });
});
