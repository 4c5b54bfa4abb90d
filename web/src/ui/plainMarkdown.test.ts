import { expect, it } from "vitest";

import { plainMarkdown } from "./plainMarkdown";

it.each([
  ["The **bedroom** or the __study__?", "The bedroom or the study?"],
  ["Is it *really* `due` on _Monday_?", "Is it really due on Monday?"],
  ["## Which room?\n\n- the **front** one\n- the back one", "Which room?\n\n- the front one\n- the back one"],
  ["As in [the letter](https://example.org/a)?", "As in the letter?"],
  ["***Both*** rooms?", "Both rooms?"],
])("%j reads %j", (text, plain) => {
  expect(plainMarkdown(text)).toBe(plain);
});

it.each(["2*3*4 is 24", "2 * 3 * 4", "a_b and c_d", "snake_case_name", "**", "A list: * one * two", "# of rooms?".replace("# ", "#"), "5 ** 2"])("%j stays", (text) => {
  expect(plainMarkdown(text)).toBe(text);
});
