// The colour of a label's dot.

/** From 1 to 5, derived from the id: the same on every page and machine. */
export function labelColor(id: string): number {
  let sum = 0;
  for (const sign of id) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 997;
  return (sum % 5) + 1;
}
