// Markdown as plain text, for one or two sentences of a model that stand in a line of their own.

const MARKS: readonly [RegExp, string][] = [
  [/^ {0,3}#{1,6} +/gm, ""],
  [/!?\[([^\]\n]+)\]\([^()\s]*\)/g, "$1"],
  [/(`+)([^`\n]+)\1/g, "$2"],
  [/(\*\*\*|\*\*)(?=\S)([^\n]*?\S)\1/g, "$2"],
  [/(?<![\p{L}\p{N}_])(___|__|_)(?=\S)([^\n]*?[^\s_])\1(?![\p{L}\p{N}_])/gu, "$2"],
  [/(?<![\p{L}\p{N}*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\p{L}\p{N}*])/gu, "$1"],
];

/** The text without its marks of emphasis, code, links and headings. Marks that are none stay: `2*3*4`, `a_b`. */
export function plainMarkdown(text: string): string {
  return MARKS.reduce((plain, [mark, kept]) => plain.replace(mark, kept), text);
}
