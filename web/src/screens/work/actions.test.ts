import { afterEach, expect, it, vi } from "vitest";
import { live } from "../../live/store.svelte";
import { archiveWork, cancelRun, pauseWork } from "./actions";
import { queries, type Run, type Work, type WorkDetail } from "./data";

// The client takes `Request` when it is loaded, and that of Node knows no address of the page.
vi.hoisted(() => {
  const Whole = class extends Request {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(typeof input === "string" ? new URL(input, "http://localhost/") : input, init);
    }
  };
  vi.stubGlobal("Request", Whole);
});

const work = (state: string): Work => ({ id: "task-1", title: "Agenda", state }) as unknown as Work;
const run = (runState: string): Run => ({ id: "run-1", taskId: "task-1", runState }) as unknown as Run;

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { "Content-Type": status < 400 ? "application/json" : "application/problem+json" } });

/** The work on the screen, with what the server answers to a write and the requests it gets. */
async function shown(answer: () => Response) {
  live.clear();
  const requests: string[] = [];
  vi.stubGlobal("fetch", ({ method }: Request) => {
    requests.push(method);
    const detail = { task: work("active"), runs: [run("running")], questions: [] };
    return Promise.resolve(method === "GET" ? json(detail) : answer());
  });
  const resource = live.resourceFor(queries.detail("task-1"));
  live.watch(resource);
  await vi.waitFor(() => expect(resource.loaded).toBeDefined());
  requests.length = 0;
  return { requests, detail: (): WorkDetail | undefined => resource.value };
}

afterEach(() => {
  live.clear();
});

it("shows what a write answered, without reading it again", async () => {
  const page = await shown(() => json(work("paused")));
  await pauseWork(work("active"));
  expect(page.detail()?.task.state).toBe("paused");
  expect(page.detail()?.runs).toHaveLength(1);
  expect(page.requests).toEqual(["PATCH"]);
});

it("shows a run as a write left it", async () => {
  const page = await shown(() => json(run("cancelled")));
  await cancelRun("run-1", "Agenda");
  expect(page.detail()?.runs.map((one) => one.runState)).toEqual(["cancelled"]);
  expect(page.requests).toEqual(["POST"]);
});

it("reads everything again after a refusal", async () => {
  const page = await shown(() => json({ type: "about:blank", title: "No", status: 409 }, 409));
  expect(await archiveWork(work("active"))).toBe(false);
  await vi.waitFor(() => expect(page.requests).toContain("GET"));
});
