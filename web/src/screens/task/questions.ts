// The open questions of a report, and the entry that answers one.

import type { Entry } from "./data";

/** How the section is called in reports, by language. A mark of a question at its start says it as well. */
const HEADINGS = ["open questions", "offene fragen", "questions ouvertes", "preguntas abiertas", "întrebări deschise"];

/** Units: questions. A report with more is not a list of questions. */
const MAX_QUESTIONS = 20;

const flat = (text: string): string => text.replace(/\s+/g, " ").trim();

/** A line of Markdown as words: without the marks of a box, emphasis, code and links. */
function wordsOf(line: string): string {
  return flat(
    line
      .replace(/^\[[ xX]\]\s+/, "")
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/(\*\*|__|`)/g, ""),
  );
}

function isHeading(text: string): boolean {
  const words = flat(text.replace(/[^\p{L}\s]/gu, " ")).toLowerCase();
  return /^\s*[❓❔]/u.test(text) || HEADINGS.includes(words);
}

/** The questions of a report, in its order: the bullets below its heading of open questions. */
export function openQuestions(markdown: string): string[] {
  const found: string[] = [];
  /** The level of the heading that is read; 0 outside of that section. */
  let level = 0;
  let isFenced = false;
  for (const line of markdown.split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) isFenced = !isFenced;
    if (isFenced) continue;
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (heading !== null) {
      const depth = heading[1]?.length ?? 1;
      if (isHeading(heading[2] ?? "")) level = depth;
      else if (depth <= level) level = 0;
      continue;
    }
    if (level === 0) continue;
    const bullet = /^ {0,3}(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line);
    if (bullet !== null) found.push(bullet[1] ?? "");
    else if (/^\s+\S/.test(line) && found.length > 0) found.push(`${found.pop() ?? ""} ${line.trim()}`);
  }
  const words = [...new Set(found.map(wordsOf))].filter((one) => one !== "");
  return words.length > MAX_QUESTIONS ? [] : words;
}

/**
 * The entry that answers a question. The answer comes first, because a reader of notes, the built-in rules too,
 * begins there; the question is quoted, so it isn't read as asked again.
 */
export const answerEntry = (question: string, answer: string): string => `${answer.trim()}\n\n> ${flat(question)}`;

/** Whether an entry answers the question: it quotes it. */
export function isAnswered(question: string, entries: readonly Pick<Entry, "text">[]): boolean {
  const quote = `> ${flat(question)}`;
  return entries.some((entry) => entry.text.split("\n").some((line) => flat(line) === quote));
}
