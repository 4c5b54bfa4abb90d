import { expect, it } from "vitest";

import { codedPieces } from "./coded";

const shown = (text: string): string[] => codedPieces(text).map((piece) => (piece.isCode ? `<${piece.text}>` : piece.text));

it.each([
  ["the column `Who` has no field", ["the column ", "<Who>", " has no field"]],
  ["`by 10.12.` and `12/4`", ["<by 10.12.>", " and ", "<12/4>"]],
  ["one ` alone", ["one ` alone"]],
  ["`a` and ` alone", ["<a>", " and ` alone"]],
  ["an empty `` pair", ["an empty `` pair"]],
  ["", [""]],
])("what is between backticks is code: %s", (text, pieces) => expect(shown(text)).toEqual(pieces));
