import { expect, it } from "vitest";

import { parseCredential } from "./credential";

it.each([
  ["http://127.0.0.1:7330/#code=AbC-1", { kind: "code", code: "AbC-1" }],
  ["  https://d.example/tasks#code=a%2Bb&x=1\n", { kind: "code", code: "a+b" }],
  ["#code=%zz", { kind: "code", code: "%zz" }],
  ["dm_abc-DEF_1", { kind: "token", token: "dm_abc-DEF_1" }],
  ["dm_abc DEF", { kind: "code", code: "dm_abc DEF" }],
  ["4F7K", { kind: "code", code: "4F7K" }],
  ["  ", undefined],
])("reads %s", (text, key) => expect(parseCredential(text)).toEqual(key));
