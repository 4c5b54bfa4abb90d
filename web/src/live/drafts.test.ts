import { expect, it } from "vitest";

import { Drafts } from "./drafts.svelte";

const frame = (tldr: string | null, runKey = "r", agent = "ag-1") => ({
  type: "agent:delta" as const,
  agent,
  runKey,
  draft: tldr === null ? null : { tldr, content: "All." },
});

it("shows the newest draft of each agent", () => {
  const drafts = new Drafts();
  drafts.onDraft(frame("A"));
  drafts.onDraft(frame("A report"));
  drafts.onDraft(frame("Other", "r2", "ag-2"));
  expect(drafts.of("ag-1")).toEqual({ runKey: "r", tldr: "A report", content: "All." });
  expect(drafts.of("ag-2")?.tldr).toBe("Other");
  expect(drafts.of("ag-3")).toBeUndefined();
});

it("removes a draft when it is gone, when its run ends and when the connection is lost", () => {
  const drafts = new Drafts();
  const wake = (subject: string) => ({ type: "agent:wake", cursor: "", subject, tasks: [], at: "" });
  drafts.onDraft(frame("A"));
  drafts.onDraft(frame(null, "an earlier run"));
  drafts.onEvent(wake("an earlier run"));
  drafts.onEvent({ ...wake("r"), type: "agent:report" });
  expect(drafts.of("ag-1")?.tldr).toBe("A");
  drafts.onDraft(frame(null));
  expect(drafts.of("ag-1")).toBeUndefined();
  drafts.onDraft(frame("A"));
  drafts.onEvent(wake("r"));
  expect(drafts.of("ag-1")).toBeUndefined();
  drafts.onDraft(frame("A"));
  drafts.clear();
  expect(drafts.of("ag-1")).toBeUndefined();
});

it("keeps the answers of sessions apart from reports", () => {
  const drafts = new Drafts();
  const answer = (text: string | null) => ({ type: "evolution:delta" as const, session: "evo-1", runKey: "r", draft: text === null ? null : { text } });
  drafts.onDraft(answer("The re"));
  drafts.onDraft(answer("The record"));
  drafts.onDraft(frame("A", "r2", "evo-1"));
  expect(drafts.answerIn("evo-1")).toEqual({ runKey: "r", text: "The record" });
  expect(drafts.of("evo-1")?.tldr).toBe("A");
  drafts.onDraft(answer(null));
  expect(drafts.answerIn("evo-1")).toBeUndefined();
  expect(drafts.of("evo-1")?.tldr).toBe("A");
  drafts.onDraft(answer("Again"));
  drafts.clear();
  expect(drafts.answerIn("evo-1")).toBeUndefined();
});
