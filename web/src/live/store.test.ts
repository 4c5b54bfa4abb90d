import { describe, expect, it } from "vitest";

import { Problem } from "../api/problem";
import type { LiveEvent } from "./socket";
import { Live, type Query } from "./store.svelte";

const about = (task: string): LiveEvent => ({ type: "journal:changed", cursor: "", tasks: [task], at: "" });

function asking(key: string, load: () => Promise<string>, task = "t"): Query<string> {
  return { key, load, invalidatedBy: (event) => event.tasks.includes(task) };
}

describe("the live store", () => {
  it("loads once for all watchers, and again for an event that touches the result", async () => {
    const live = new Live();
    let nRequests = 0;
    const resource = live.resourceFor(asking("k", () => Promise.resolve(`answer ${++nRequests}`)));
    live.watch(resource);
    live.watch(live.resourceFor(asking("k", () => Promise.resolve(`answer ${++nRequests}`))));
    await resource.refresh();
    const before = nRequests;
    live.onEvent(about("other"));
    expect(nRequests).toBe(before);
    live.onEvent(about("t"));
    await resource.refresh();
    expect(nRequests).toBeGreaterThan(before);
    expect(resource.value).toBe(`answer ${nRequests}`);
  });

  it("loads once more if something happens while it loads", async () => {
    const live = new Live();
    const gates: ((text: string) => void)[] = [];
    const resource = live.resourceFor(asking("k", () => new Promise((done) => gates.push(done))));
    live.watch(resource);
    live.onEvent(about("t"));
    live.onEvent(about("t"));
    gates[0]?.("old");
    await new Promise((done) => setTimeout(done));
    expect(gates.length).toBe(2);
    gates[1]?.("new");
    await new Promise((done) => setTimeout(done));
    expect([resource.value, gates.length]).toEqual(["new", 2]);
  });

  it("keeps the result when a later load fails", async () => {
    const live = new Live();
    let fails = false;
    const problem = new Problem({ status: 0, code: "offline", title: "away" });
    const resource = live.resourceFor(asking("k", () => (fails ? Promise.reject(problem) : Promise.resolve("seen"))));
    live.watch(resource);
    await resource.refresh();
    fails = true;
    await resource.refresh();
    expect([resource.value, resource.problem]).toEqual(["seen", problem]);
  });

  it("shows a pending edit on top of the result, and of newer results, until it is removed", async () => {
    const live = new Live();
    let stored = "a";
    const resource = live.resourceFor(asking("k", () => Promise.resolve(stored)));
    await resource.refresh();
    const takeOff = resource.addOverlay((value) => `${value}!`);
    expect(resource.value).toBe("a!");
    stored = "b";
    await resource.refresh();
    expect(resource.value).toBe("b!");
    takeOff();
    expect(resource.value).toBe("b");
  });

  it("does not load without watchers, but loads for the next one", async () => {
    const live = new Live();
    let nRequests = 0;
    const resource = live.resourceFor(asking("k", () => Promise.resolve(String(++nRequests))));
    const leave = live.watch(resource);
    await resource.refresh();
    leave();
    const before = nRequests;
    live.resync();
    expect(nRequests).toBe(before);
    live.watch(resource);
    await resource.refresh();
    expect(nRequests).toBeGreaterThan(before);
  });

  it("takes the answer of a write, and no older result after it", async () => {
    const live = new Live();
    const gates: ((value: { revision: number }) => void)[] = [];
    const query: Query<{ revision: number }> = {
      key: "k",
      load: () => new Promise((done) => gates.push(done)),
      invalidatedBy: () => true,
      revisionOf: (value) => value.revision,
    };
    const resource = live.resourceFor(query);
    live.watch(resource);
    resource.settle({ revision: 5 });
    gates[0]?.({ revision: 4 });
    await new Promise((done) => setTimeout(done));
    expect([resource.value?.revision, gates.length]).toEqual([5, 2]);
    resource.settle({ revision: 3 });
    expect(resource.value?.revision).toBe(5);
    gates[1]?.({ revision: 6 });
    await new Promise((done) => setTimeout(done));
    expect([resource.value?.revision, gates.length]).toEqual([6, 2]);
  });

  it("takes an older revision again once everything is reloaded, as after a restored backup", async () => {
    const live = new Live();
    const query: Query<{ revision: number }> = {
      key: "k",
      load: () => Promise.resolve({ revision: 1 }),
      invalidatedBy: () => true,
      revisionOf: (value) => value.revision,
    };
    const resource = live.resourceFor(query);
    resource.settle({ revision: 5 });
    live.watch(resource);
    expect(resource.isStale).toBe(false);
    live.resync();
    await resource.refresh();
    expect(resource.value?.revision).toBe(1);
  });
});
