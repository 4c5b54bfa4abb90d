import { expect, it } from "vitest";

import { withCount } from "./attentionBadge.svelte";

it("puts the number in front of the title, and no zero", () => {
  expect(withCount("Dormouse", 6)).toBe("(6) Dormouse");
  expect(withCount("Tasks – Dormouse", 0)).toBe("Tasks – Dormouse");
});
