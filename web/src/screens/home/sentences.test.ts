import { describe, expect, it } from "vitest";

import type { AttentionItem } from "../../live/queries";
import { agentsSentence, byUrgency, inWords, attentionTitle } from "./sentences";

describe("the title", () => {
  it("says how many things need the person", () => {
    expect(attentionTitle(0, false)).toBe("Nothing needs you");
    expect(attentionTitle(1, false)).toBe("One thing needs you");
    expect(attentionTitle(5, false)).toBe("Five things need you");
    expect(attentionTitle(13, false)).toBe("13 things need you");
    expect(attentionTitle(100, true)).toBe("More than 100 things need you");
  });

  it("has words up to twelve", () => {
    expect([inWords(2), inWords(12), inWords(1300)]).toEqual(["two", "twelve", "1,300"]);
  });
});

describe("the sentence about agents", () => {
  it("tells of each state that somebody is in", () => {
    expect(agentsSentence(2, 1, 0, 11)).toBe("Two agents are awake, one is queued, and eleven are asleep.");
    expect(agentsSentence(0, 0, 0, 1)).toBe("One agent is asleep.");
    expect(agentsSentence(1, 0, 1, 0)).toBe("One agent is awake and one is dormant.");
    expect(agentsSentence(0, 0, 0, 0)).toBe("No task has an agent yet.");
  });
});

it("puts the newest first, and what expires last", () => {
  const need = (id: string, kind: string, hour: number) => ({ id, kind, since: `2026-11-22T0${hour}:00:00Z` }) as AttentionItem;
  const needs = [need("a", "changes", 1), need("b", "expiring", 9), need("c", "provider", 3), need("d", "expiring", 8)];
  expect(byUrgency(needs).map((one) => one.id)).toEqual(["c", "a", "b", "d"]);
  expect(needs[0]?.id).toBe("a");
});
