import { expect, it } from "vitest";

import type { ModelsView } from "../settings/models/data";
import { modelChoices } from "./modelChoices";

it("offers the workspace's model first, and keeps a model that cannot be used, with its reason", () => {
  const none = { toolMode: null, whyNotNative: null, callsNothing: false, window: null, windowSource: null, foldsAt: null, keeps: null, price: null, agents: 0 };
  const view = {
    model: "house/qwen",
    models: [
      { ...none, id: "builtin", isFree: true, problem: null },
      { ...none, id: "house/qwen", toolMode: "schema", isFree: true, problem: null },
      { ...none, id: "cloud/big", isFree: false, problem: "cloud has no key" },
    ],
  } as unknown as ModelsView;
  expect(modelChoices(view)).toEqual([
    { value: "", label: "The workspace’s model: qwen (house)", disabled: false },
    { value: "builtin", label: "Built-in rules: Runs on this machine, nothing leaves it", disabled: false },
    { value: "house/qwen", label: "qwen (house): Fills in a form, free", disabled: false },
    { value: "cloud/big", label: "big (cloud): cloud has no key", disabled: true },
  ]);
});
