import { describe, expect, it } from "vitest";

import { answerEntry, isAnswered, openQuestions } from "./questions";

const REPORT = `## 📌 What is left to do

- [ ] Compare prices?

## ❓ Open questions

- Which **day** do we leave?
- Unclear whether the car fits
  on the deck.
1. See [the offer](https://example.org/a_b): is \`B2\` ours?

### Aside
- [ ] And who feeds the dog?

## 🔗 Links

- [Ferries](https://example.org)`;

describe("the open questions of a report", () => {
  it("are the bullets of their section", () => {
    expect(openQuestions(REPORT)).toEqual([
      "Which day do we leave?",
      "Unclear whether the car fits on the deck.",
      "See the offer: is B2 ours?",
      "And who feeds the dog?",
    ]);
  });

  it("are found by their heading in each language, with and without its mark", () => {
    for (const heading of ["Open questions", "OPEN QUESTIONS:", "❓ Încă de lămurit", "Offene Fragen", "❓Questions ouvertes", "Preguntas abiertas", "Întrebări deschise"]) {
      expect(openQuestions(`## ${heading}\n- Which day?`)).toEqual(["Which day?"]);
    }
    expect(openQuestions("## Questions we answered\n- Which day?")).toEqual([]);
  });

  it("are none without such a section, in code, and in what is no list", () => {
    for (const text of ["", "- Which day?", "## Open questions\nNone.", "```\n## Open questions\n- Which day?\n```"]) expect(openQuestions(text)).toEqual([]);
    const many = Array.from({ length: 21 }, (_, n) => `- Question ${n}?`).join("\n");
    expect(openQuestions(`## Open questions\n${many}`)).toEqual([]);
  });

  it("are answered by an entry that quotes them", () => {
    const [first = "", second = ""] = openQuestions(REPORT);
    const text = answerEntry(first, "  On 12 June.\n");
    expect(text).toBe("On 12 June.\n\n> Which day do we leave?");
    expect(isAnswered(first, [{ text: "Which day do we leave?" }])).toBe(false);
    expect(isAnswered(first, [{ text }])).toBe(true);
    expect(isAnswered(second, [{ text }])).toBe(false);
  });
});
