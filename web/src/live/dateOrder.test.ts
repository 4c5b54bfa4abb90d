import { expect, it, vi } from "vitest";

vi.hoisted(() => {
  vi.stubGlobal("location", new URL("http://localhost/"));
  vi.stubGlobal("navigator", { language: "en-US" });
  // The client takes `Request` when it is loaded, and that of Node knows no address of the page.
  const Whole = class extends Request {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(typeof input === "string" ? new URL(input, "http://localhost/") : input, init);
    }
  };
  vi.stubGlobal("Request", Whole);
});

import { dateOrder, orderOf, wording } from "./dateOrder.svelte";

it("knows the order of a locale", () => {
  expect(["en-US", "en-GB", "de-AT", "fr-FR", "ja-JP"].map(orderOf)).toEqual(["monthFirst", "dayFirst", "dayFirst", "dayFirst", "monthFirst"]);
});

it("reads by the order of the workspace, and by that of the locale until one is chosen", async () => {
  expect(wording()).toEqual({ lang: "en-US", dayOrder: "monthFirst" });
  const bodies: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const body = request.method === "PATCH" ? await request.text() : '{"dateOrder":"monthFirst"}';
    bodies.push(body);
    return new Response(body, { status: 200, headers: { "Content-Type": "application/json" } });
  });
  await dateOrder.choose("dayFirst");
  expect(wording().dayOrder).toBe("dayFirst");
  await dateOrder.load();
  expect(wording().dayOrder).toBe("monthFirst");
  await dateOrder.choose(null);
  expect(wording().dayOrder).toBe("monthFirst");
  expect(bodies).toEqual(['{"dateOrder":"dayFirst"}', '{"dateOrder":"monthFirst"}', '{"dateOrder":null}']);
});
