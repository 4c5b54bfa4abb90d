import { describe, expect, it } from "vitest";

import type { Row } from "./data";
import { OPEN_STATUSES, STATUSES, dayFrom, dueGroup, dueTone, matchesFilters, isNarrowed, readFilters, segmentsOf, toQuery } from "./filters";

const read = (query: string) => readFilters(new URLSearchParams(query));
const now = new Date(2026, 10, 22, 23, 30);
const row = (over: Partial<Row> = {}): Row =>
  ({ id: "t1", title: "A", status: "OPEN", priority: "P1", dueOn: null, agent: null, labels: [], category: null, deletedAt: null, ...over }) as Row;

describe("the query of the address", () => {
  it("means the open statuses if it names none", () => {
    expect(read("").status).toEqual(OPEN_STATUSES);
    expect(read("status=any").status).toEqual([]);
    expect(read("status=DONE,OPEN&status=OPEN").status).toEqual(["DONE", "OPEN"]);
  });

  it("accepts only known sort orders and groups", () => {
    expect(read("sort=title&group=due")).toMatchObject({ sort: "title", group: "due" });
    expect(read("sort=evil&group=")).toMatchObject({ sort: "updated", group: "status" });
  });

  it("is as short as possible", () => {
    expect(toQuery("status", [...OPEN_STATUSES].reverse())).toBeUndefined();
    expect(toQuery("status", [])).toBe("any");
    expect(toQuery("status", STATUSES)).toBe("any");
    expect(toQuery("status", ["DONE"])).toBe("DONE");
    expect(toQuery("label", [])).toBeUndefined();
    expect(toQuery("label", ["a", "b"])).toBe("a,b");
  });

  it("is read as it was written", () => {
    for (const chosen of [["DONE"], ["ON HOLD", "OPEN"], [...STATUSES.slice(0, 5)]]) {
      const text = toQuery("status", chosen);
      expect(read(text === undefined ? "" : `status=${encodeURIComponent(text)}`).status).toEqual(chosen);
    }
  });

  it("is narrowed by anything but the status", () => {
    expect(isNarrowed(read("status=DONE"))).toBe(false);
    expect(isNarrowed(read("due=week"))).toBe(true);
    expect(isNarrowed(read("proposals=open"))).toBe(true);
    expect(isNarrowed(read("q=%20x"))).toBe(true);
    expect(isNarrowed(read("q=%20"))).toBe(false);
  });
});

describe("the segments of the list", () => {
  it("are one per selected status, in working order", () => {
    const parts = segmentsOf(read("status=DONE,BLOCKED,IN+PROGRESS&priority=P0&q=tile"), []);
    expect(parts.map((part) => part.key)).toEqual(["IN PROGRESS", "BLOCKED", "DONE"]);
    expect(parts[1]?.query).toEqual({ q: "tile", status: ["BLOCKED"], priority: ["P0"], sort: "updated" });
  });

  it("are all statuses if any will do", () => {
    expect(segmentsOf(read("status=any"), [])).toHaveLength(STATUSES.length);
  });

  it("are one sorted by due date, whatever the sort order was", () => {
    const [part, ...rest] = segmentsOf(read("group=due&sort=title&status=any"), []);
    expect(rest).toEqual([]);
    expect(part?.query).toEqual({ sort: "due" });
  });

  it("are one per category, and one without", () => {
    const keys = (query: string) => segmentsOf(read(query), ["c1", "c2"]).map((part) => part.key);
    expect(keys("group=category")).toEqual(["c1", "c2", "none"]);
    expect(keys("group=category&category=c2")).toEqual(["c2"]);
    expect(keys("group=category&category=c2,none")).toEqual(["c2", "none"]);
    const none = segmentsOf(read("group=category"), ["c1"])[1];
    expect(none?.query.category).toEqual(["none"]);
  });

  it("are one of deleted tasks with any status", () => {
    const [part] = segmentsOf(read("deleted=true"), []);
    expect(part?.query).toEqual({ sort: "updated", deleted: "only" });
  });

  it("filter for suggested changes whatever the groups are", () => {
    for (const group of ["status", "due", "category"]) {
      const parts = segmentsOf(read(`proposals=open&group=${group}`), ["c1"]);
      expect(parts.map((part) => part.query.proposals)).toEqual(parts.map(() => "open"));
    }
    expect(segmentsOf(read(""), [])[0]?.query).not.toHaveProperty("proposals");
  });
});

describe("a due date", () => {
  it("is local, even late in the evening", () => {
    expect(dayFrom(now)).toBe("2026-11-22");
    expect(dayFrom(now, 9)).toBe("2026-12-01");
  });

  it("has a group", () => {
    const groups = ["2026-11-21", "2026-11-22", "2026-11-29", "2026-11-30", null].map((day) => dueGroup(day, now));
    expect(groups).toEqual(["overdue", "week", "week", "later", "none"]);
  });

  it("is amber within five days, red when overdue, and plain for a finished task", () => {
    expect(dueTone("2026-11-21", "OPEN", now)).toBe("danger");
    expect(dueTone("2026-11-27", "OPEN", now)).toBe("caution");
    expect(dueTone("2026-11-28", "OPEN", now)).toBe("plain");
    expect(dueTone("2026-11-21", "DONE", now)).toBe("plain");
    expect(dueTone("2026-11-21", "REJECTED", now)).toBe("plain");
  });
});

describe("whether a row matches", () => {
  const cases: [string, Partial<Row>, boolean][] = [
    ["", {}, true],
    ["", { status: "DONE" }, false],
    ["", { deletedAt: "2026-11-01T00:00:00Z" }, false],
    ["deleted=true", { deletedAt: "2026-11-01T00:00:00Z", status: "DONE" }, true],
    ["deleted=true", {}, false],
    ["priority=P0,P1", {}, true],
    ["priority=P0", { priority: null }, false],
    ["priority=P2", { priority: null }, true],
    ["label=l2,l3", { labels: [{ id: "l3", name: "x" }] } as unknown as Partial<Row>, true],
    ["label=l2", {}, false],
    ["category=c1", { category: { id: "c1", name: "x" } } as unknown as Partial<Row>, true],
    ["category=none", {}, true],
    ["category=c1,none", {}, true],
    ["category=none", { category: { id: "c1", name: "x" } } as unknown as Partial<Row>, false],
    ["proposals=open", { openProposals: 2 }, true],
    ["proposals=open", { openProposals: 0 }, false],
    ["due=none", {}, true],
    ["due=week,overdue", { dueOn: "2026-12-30" }, false],
    ["agent=without", {}, true],
    ["agent=with", {}, false],
    ["agent=with", { agent: "a1" } as Partial<Row>, true],
    ["agent=awake", { agent: "a1" } as Partial<Row>, false],
    ["agent=awake", { agent: "a1", agentActivity: "running" } as Partial<Row>, true],
    ["priority=P1&agent=with", {}, false],
  ];
  it.each(cases)("%s of %o: %s", (query, over, belongs) => {
    expect(matchesFilters(row(over), read(query), now)).toBe(belongs);
  });
});
