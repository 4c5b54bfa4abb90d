import { describe, expect, it } from "vitest";

import type { AttentionItem } from "../../live/queries";
import table from "../../i18n/attention.json";
import { agentCounts, agentsSentence, attentionTitle, attentionWords, byUrgency, worksOfSeveralRuns } from "./sentences";

describe("the heading", () => {
  it("says how many things need attention", () => {
    expect(attentionTitle(0, false)).toBe("Nothing needs you");
    expect(attentionTitle(1, false)).toBe("One thing needs you");
    expect(attentionTitle(5, false)).toBe("5 things need you");
    expect(attentionTitle(1300, false)).toBe("1,300 things need you");
    expect(attentionTitle(100, true)).toBe("More than 100 things need you");
  });
});

describe("the sentence about agents", () => {
  it("counts the agents in each state", () => {
    expect(agentsSentence({ awake: 2, queued: 1, dormant: 0, asleep: 11 })).toBe("14 agents: 2 awake, 1 queued and 11 asleep.");
    expect(agentsSentence({ awake: 0, queued: 0, dormant: 0, asleep: 1 })).toBe("One agent is asleep.");
    expect(agentsSentence({ awake: 0, queued: 0, dormant: 0, asleep: 7 })).toBe("All 7 agents are asleep.");
    expect(agentsSentence({ awake: 1, queued: 0, dormant: 1, asleep: 0 })).toBe("2 agents: 1 awake and 1 dormant.");
    expect(agentsSentence({ awake: 0, queued: 0, dormant: 0, asleep: 0 })).toBe("No agents yet.");
  });

  it("counts the agents that the list beside it shows as about to wake", () => {
    const overview = { agents: 3, dormantAgents: 0, queue: { running: 0, due: 0 } };
    const soon = { items: [{ activity: "queued" }], nextCursor: null };
    expect(agentCounts(overview, soon)).toEqual({ awake: 0, queued: 1, dormant: 0, asleep: 2 });
    expect(agentCounts({ ...overview, queue: { running: 1, due: 1 } }, undefined)).toEqual({ awake: 1, queued: 1, dormant: 0, asleep: 1 });
    const cut = { ...soon, nextCursor: "more" };
    expect(agentCounts({ ...overview, queue: { running: 2, due: 9 } }, cut)).toEqual({ awake: 2, queued: 1, dormant: 0, asleep: 0 });
  });
});

describe("the words for an entry", () => {
  const blank = { id: "x", since: "2026-11-26T10:00:00Z", taskId: null, taskTitle: null, agentId: null, agentName: null };
  const rest = { expiresAt: null, text: "", actions: [], work: null, acknowledgedAt: null };
  const now = new Date("2026-11-26T12:00:00Z");

  it.each(table)("are those of the table: $page.title", ({ entry, page }) => {
    expect(attentionWords({ ...blank, ...rest, ...entry } as AttentionItem, now, "UTC")).toEqual(page);
  });

  it("name the run where several runs of the same work wait", () => {
    const of = (id: string, run: number | null): AttentionItem => ({ ...blank, ...rest, kind: "workReview", error: null, summary: null, work: { id, title: "Digest", runId: "run-x", run, runState: "needs_review", question: null } }) as unknown as AttentionItem;
    const items = [of("task-a", 1), of("task-a", 2), of("task-b", 1), of("task-c", null), of("task-c", 3)];
    const several = worksOfSeveralRuns(items);
    const digest = "Digest ended without an outcome";
    expect(items.map((item) => attentionWords(item, now, "UTC", several).title)).toEqual(["Digest, run 1, ended without an outcome", "Digest, run 2, ended without an outcome", digest, digest, digest]);
  });

  it("are the server's for a kind that the page doesn't know, and say so without any", () => {
    const eclipse = { ...blank, ...rest, kind: "eclipse", taskTitle: "Water butt" } as unknown as AttentionItem;
    expect(attentionWords({ ...eclipse, text: "It is dark" }, now, "UTC")).toEqual({ title: "It is dark", detail: "Water butt" });
    expect(attentionWords(eclipse, now, "UTC").title).toBe("Something that this page doesn’t know yet");
  });
});

it("puts the newest first, and what is about to expire last", () => {
  const need = (id: string, kind: string, hour: number) => ({ id, kind, since: `2026-11-22T0${hour}:00:00Z` }) as AttentionItem;
  const needs = [need("a", "changes", 1), need("b", "expiring", 9), need("c", "provider", 3), need("d", "expiring", 8)];
  expect(byUrgency(needs).map((one) => one.id)).toEqual(["c", "a", "b", "d"]);
  expect(needs[0]?.id).toBe("a");
});
