import { expect, it } from "vitest";

import { matchesWords } from "./paletteSearch.svelte";

it.each([
  ["", "Go to Home", true],
  ["hom", "Go to Home", true],
  ["ho go", "Go to Home", true],
  ["ome", "Go to Home", false],
  ["dark", "Theme: Dark", true],
  ["dark light", "Theme: Dark", false],
  ["über", "Überblick", true],
])("%s matches %s: %s", (typed, text, fits) => expect(matchesWords(typed, text)).toBe(fits));
