import { beforeAll, describe, expect, it, vi } from "vitest";

import type { Route, match as matching } from "./router.svelte";

let match: typeof matching;

beforeAll(async () => {
  vi.stubGlobal("location", { pathname: "/", search: "", origin: "http://here" });
  ({ match } = await import("./router.svelte"));
});

const load = (() => Promise.reject(new Error("not loaded here"))) as unknown as Route["load"];
const routes: Route[] = ["/", "/tasks", "/tasks/:id", "/tasks/:id/changes", "/agents/:id/:tab"].map((path) => ({
  name: path,
  path,
  load,
}));

describe("routes", () => {
  it.each([
    ["/", "/", {}],
    ["/tasks/", "/tasks", {}],
    ["/tasks/jt-1", "/tasks/:id", { id: "jt-1" }],
    ["/tasks/jt-1/changes", "/tasks/:id/changes", { id: "jt-1" }],
    ["/agents/ag%201/wakes", "/agents/:id/:tab", { id: "ag 1", tab: "wakes" }],
    ["/tasks/%E0%A4%A", "/tasks/:id", { id: "%E0%A4%A" }],
  ])("%s is %s", (path, route, params) => {
    const found = match(routes, path);
    expect([found?.route.path, found?.params]).toEqual([route, params]);
  });

  it("match nothing else", () => {
    for (const path of ["/task", "/tasks/a/b", "/agents/a/b/c"]) expect(match(routes, path)).toBeUndefined();
  });
});
