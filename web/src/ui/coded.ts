// Text in which what is between backticks is code.

export interface Piece {
  text: string;
  isCode: boolean;
}

/** The pieces of a text. A backtick without a second one, and an empty pair, stay as they are. */
export function codedPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const found of text.matchAll(/`([^`]+)`/g)) {
    if (found.index > end) pieces.push({ text: text.slice(end, found.index), isCode: false });
    pieces.push({ text: found[1] ?? "", isCode: true });
    end = found.index + found[0].length;
  }
  if (end < text.length || pieces.length === 0) pieces.push({ text: text.slice(end), isCode: false });
  return pieces;
}
