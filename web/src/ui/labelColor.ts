// Which of the five dots a label has.

/** From 1 to 5, by its id: the same on every page and every machine. */
export function labelColor(id: string): number {
  let sum = 0;
  for (const sign of id) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 997;
  return (sum % 5) + 1;
}
