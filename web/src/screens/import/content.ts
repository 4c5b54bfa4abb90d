// The texts of an import: which files hold one, their lines, and the name of a list without a file.

/** Units: bytes. The server takes no larger file. */
export const MAX_BYTES = 50 * 1024 * 1024;

/** Units: bytes. The beginning of a file that decides whether it can be text. */
export const SAMPLE_BYTES = 4096;

/**
 * Whether a file that begins like this can be text in some encoding. Its name and type do not count,
 * because neither is reliable.
 */
export function canBeText(head: Uint8Array): boolean {
  const [first, second] = head;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 || !head.includes(0);
}

/** The text of a file in UTF-8, without a byte order mark; undefined if it is in another encoding. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The lines of a text, ended by LF, CRLF or CR, without a byte order mark; the server counts them so. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Units: columns. Deeper levels of JSON are indented no further. */
const DEEPEST = 8;

/**
 * The text with a line for each member, if it is JSON in a single line; otherwise the text itself. Programs
 * write their exports in one line, and a plan is corrected by lines. Values stay as they are written.
 */
export function laidOut(text: string): string {
  const body = text.replace(/^\uFEFF/, "").trim();
  if (!/^[{[]/.test(body) || /[\r\n]/.test(body)) return text;
  try {
    JSON.parse(body);
  } catch {
    return text;
  }
  let depth = 0;
  let isEmpty = false;
  const begin = (): string => `\n${" ".repeat(Math.min(depth, DEEPEST))}`;
  // A string, a sign, or what else a value is written with.
  const laid = body.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]|\s+|[^"{}[\],:\s]+/g, (part) => {
    if (part.trim() === "") return "";
    const closes = part === "}" || part === "]";
    if (closes) depth -= 1;
    const before = isEmpty !== closes ? begin() : "";
    isEmpty = part === "{" || part === "[";
    if (isEmpty) depth += 1;
    if (part === ",") return `${before},${begin()}`;
    return `${before}${part}${part === ":" ? " " : ""}`;
  });
  return laid.length > MAX_BYTES ? text : `${laid}\n`;
}

/** Units: characters. More of a line is not shown. */
const MAX_SHOWN = 400;

/** A line as it is shown. */
export function shownLine(line: string): string {
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

/** The words of a line of Markdown, without the marks of a heading, a list or a check box. */
export function wordsOf(line: string): string {
  return shownLine(line)
    .replace(/^\s*(?:>\s*)*/, "")
    .replace(/^(?:#{1,6}\s+|(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?)/, "")
    .trim();
}

/**
 * The name of a pasted list. An import of the same name updates its tasks, so the same list should get
 * the same name: that of its first heading. A list without a heading is named after the day.
 */
export function pastedName(text: string, day: string): string {
  const heading = /^#{1,6}[ \t]+(\S.*)$/m.exec(text)?.[1]?.replace(/[\s#]+$/, "");
  const title = heading?.replace(/[\p{Cc}/\\]+/gu, " ").trim().slice(0, 80) ?? "";
  return title === "" ? `pasted list ${day}` : `pasted: ${title}`;
}

/** A name that is not taken yet: a second "notes.md" is "notes.md (2)". */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n += 1) free = `${name} (${n})`;
  return free;
}

/** Whether some line has a date like 3/4, which means two days. */
export function hasOpenDates(lines: readonly string[]): boolean {
  const isOpen = /(?<![\d./-])(?:0?[1-9]|1[0-2])([./-])(?:0?[1-9]|1[0-2])(?:\1(?:\d{2}|\d{4})|\.)?(?![\d/-]|\.\d)/;
  return lines.slice(0, 20_000).some((line) => isOpen.test(line.slice(0, 1_000)));
}

/** Whether a pasted text is a list rather than a word meant for elsewhere. */
export function isList(text: string): boolean {
  return linesOf(text.slice(0, 100_000)).filter((line) => line.trim() !== "").length > 1;
}
