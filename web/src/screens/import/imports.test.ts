import { beforeEach, describe, expect, it, vi } from "vitest";

vi.hoisted(() => {
  const location = new URL("http://localhost/");
  vi.stubGlobal("location", location);
  vi.stubGlobal("navigator", { language: "en-GB" });
  vi.stubGlobal("history", { pushState: (_state: unknown, _title: string, to: URL) => (location.href = to.href) });
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
});

vi.mock("../../app/scrolling", () => ({ scrollPosition: () => ({ y: 0 }), restoreScroll: () => undefined }));

import { applyLine, NO_PROGRESS, refusedCorrection, type ImportLine } from "./api";
import { Problem } from "../../api/problem";
import { router } from "../../app/router.svelte";
import { toasts } from "../../app/toasts.svelte";
import { getsAgent, imports, nameOf, type Source } from "./imports.svelte";
import { PlannedText } from "./plannedText.svelte";
import type { Correction, ImportPlan, PlanTask } from "./types";
import { undoing } from "./undoing";

interface Sent {
  query: URLSearchParams;
  digest: string | undefined;
  corrections: Correction[];
}

const sent: Sent[] = [];
let answer: (request: Sent) => { status: number; body: unknown };

const planFor = (request: Sent): ImportPlan => ({
  file: "a.md", format: (request.query.get("format") ?? "markdown") as ImportPlan["format"], digest: "d1", lines: [], remarks: [], sheet: null,
  tasks: request.corrections.map(({ line, edit }) => ({ line, title: edit }) as PlanTask),
});
const refusal = (at: number) => ({
  status: 422,
  body: {
    type: "/problems/validation-failed", title: "No",
    errors: [{ pointer: `/corrections/${at}`, code: "correction", message: "there is no task above to join" }],
  },
});

const refusedAt = (request: Sent, is: (correction: Correction) => boolean): ReturnType<typeof answer> => {
  const at = request.corrections.findIndex(is);
  return at < 0 ? { status: 200, body: planFor(request) } : refusal(at);
};

beforeEach(() => {
  undoing.take();
  sent.length = 0;
  answer = (request) => ({ status: 200, body: planFor(request) });
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    const body = String(init.body);
    const json = new Headers(init.headers).get("Content-Type")?.includes("json") === true ? (JSON.parse(body) as Partial<Sent>) : {};
    const request: Sent = { query: new URL(path, "http://localhost").searchParams, digest: json.digest, corrections: json.corrections ?? [] };
    sent.push(request);
    const { status, body: said } = answer(request);
    return Promise.resolve(new Response(JSON.stringify(said), { status }));
  });
});

const settle = (text: PlannedText) => vi.waitFor(() => expect(text.isReading).toBe(false));
const edits = (text: PlannedText): string[] => text.made.map(({ correction }) => `${correction.line} ${correction.edit}`);

async function read(text = "# A\n- one\n- two\n"): Promise<PlannedText> {
  const planned = new PlannedText("a.md", text, "file");
  await planned.read();
  return planned;
}

describe("the plan of a text", () => {
  it("is requested without writing, and corrected with its digest", async () => {
    const text = await read();
    text.correct({ line: 2, edit: "split" }, "one");
    await settle(text);
    expect(sent.map(({ query, digest, corrections }) => [query.get("dryRun"), digest, corrections.length])).toEqual([
      ["true", undefined, 0],
      ["true", "d1", 1],
    ]);
    expect(text.plan?.tasks).toMatchObject([{ line: 2, title: "split" }]);
  });

  it("without corrections is the first one again, which is not requested", async () => {
    const text = await read();
    text.correct({ line: 2, edit: "split" }, "one");
    await settle(text);
    text.undoPlace(2, 2);
    await settle(text);
    expect(sent).toHaveLength(2);
    expect(text.plan).toBe(text.base);
  });

  it("loses a correction that is refused, keeps the others, and says why", async () => {
    const text = await read();
    text.correct({ line: 3, edit: "leaveOut" }, "two");
    await settle(text);
    answer = (request) => refusedAt(request, ({ edit }) => edit === "join");
    text.correct({ line: 1, edit: "join" }, "A");
    await vi.waitFor(() => expect(text.refused).toBeDefined());
    await settle(text);
    expect(edits(text)).toEqual(["3 leaveOut"]);
    expect(text.refused).toMatchObject({ correction: { line: 1, edit: "join" }, problem: { status: 422 } });
    expect(text.plan?.tasks).toMatchObject([{ line: 3 }]);
  });

  it("that is read again keeps the corrections that still fit", async () => {
    const text = await read();
    for (const line of [1, 2, 3]) text.correct({ line, edit: "leaveOut" }, "");
    await settle(text);
    answer = (request) => refusedAt(request, ({ line }) => line === 2);
    await text.read();
    expect(edits(text)).toEqual(["1 leaveOut", "3 leaveOut"]);
  });

  it("is stale once the server reads the text another way", async () => {
    const text = await read();
    answer = () => ({ status: 409, body: { type: "/problems/plan-changed", title: "Changed" } });
    text.correct({ line: 2, edit: "split" }, "one");
    await vi.waitFor(() => expect(text.isChanged).toBe(true));
    expect(edits(text)).toEqual(["2 split"]);
    answer = (request) => ({ status: 200, body: planFor(request) });
    await text.read();
    expect(text.isChanged).toBe(false);
    expect(edits(text)).toEqual(["2 split"]);
  });

  it("of another format has corrections of its own", async () => {
    const text = await read();
    text.correct({ line: 2, edit: "split" }, "one");
    await settle(text);
    text.readAs("plainLines");
    await settle(text);
    expect(edits(text)).toEqual([]);
    expect(sent.at(-1)?.query.get("format")).toBe("plainLines");
    text.readAs("markdown");
    await settle(text);
    expect(edits(text)).toEqual(["2 split"]);
    expect(sent.at(-1)?.query.get("format")).toBeNull();
  });

  it("shows a failure in place", async () => {
    answer = () => ({ status: 503, body: { type: "/problems/overloaded", title: "Busy" } });
    const text = await read();
    expect(text.problem).toMatchObject({ status: 503 });
    expect(text.plan).toBeUndefined();
  });
});

describe("what is typed into the plan", () => {
  it("can be waited for, but a text that is read again cannot: the person has not seen its plan", async () => {
    const text = await read();
    expect(text.isReady).toBe(true);
    text.correct({ line: 2, edit: "split" }, "one");
    expect([text.isReading, text.isReady]).toEqual([true, true]);
    await text.settled();
    expect([text.isReading, text.plan?.tasks]).toEqual([false, [{ line: 2, title: "split" }]]);
    text.readAs("plainLines");
    text.correct({ line: 3, edit: "leaveOut" }, "two");
    expect(text.isReady).toBe(false);
    await text.settled();
    expect(text.isReady).toBe(true);
  });

  it("is no plan yet while the text is edited, and the same text is not read again", async () => {
    const text = await read("# A\n");
    text.openText();
    expect(text.hasUnreadText).toBe(false);
    text.readDraft();
    expect(sent).toHaveLength(1);
    text.openText();
    text.draft = "# B\n";
    expect(text.hasUnreadText).toBe(true);
    text.readDraft();
    await text.settled();
    expect([text.text, text.draft, sent.length]).toEqual(["# B\n", undefined, 2]);
  });
});

describe("the last thing done to a text", () => {
  it("is undone step by step: corrections, columns, format and text", async () => {
    const text = await read();
    text.correct({ line: 2, edit: "split" }, "one");
    text.correct({ line: 3, edit: "leaveOut" }, "two");
    text.readAs("plainLines");
    text.edit("# A\n- one\n- two\n- three\n");
    await text.settled();
    const states = [];
    while (undoing.undo()) {
      await text.settled();
      states.push([text.lines.length, text.format, edits(text)]);
    }
    expect(states).toEqual([
      [3, "plainLines", []],
      [3, undefined, ["2 split", "3 leaveOut"]],
      [3, undefined, ["2 split"]],
      [3, undefined, []],
    ]);
    expect(text.plan).toBe(text.base);
  });

  it("is several corrections, if they were made together", async () => {
    const text = await read();
    text.correctAll([2, 3].map((line) => ({ correction: { line, edit: "setRole", role: "item" }, about: "" })));
    await text.settled();
    expect(edits(text)).toEqual(["2 setRole", "3 setRole"]);
    undoing.undo();
    expect(edits(text)).toEqual([]);
  });

  it("is not a correction that was refused", async () => {
    const text = await read();
    text.correct({ line: 3, edit: "leaveOut" }, "two");
    await text.settled();
    answer = (request) => refusedAt(request, ({ edit }) => edit === "join");
    text.correct({ line: 1, edit: "join" }, "A");
    await vi.waitFor(() => expect(text.refused).toBeDefined());
    await text.settled();
    undoing.undo();
    expect(edits(text)).toEqual([]);
  });
});

describe("a text that cannot be read as it was chosen", () => {
  it("shows no plan until it is read in another way", async () => {
    const text = await read();
    answer = (request) => (request.query.get("format") === "iCalendar" ? unreadable("a.md") : { status: 200, body: planFor(request) });
    text.readAs("iCalendar");
    await text.settled();
    expect([text.isRefused, text.isReady, text.shownPlan, text.readableFormat]).toEqual([true, false, undefined, "markdown"]);
    text.readAs("markdown");
    await text.settled();
    expect([text.isRefused, text.isReady, text.readableFormat]).toEqual([false, true, undefined]);
    expect(text.shownPlan).toBe(text.plan);
  });
});

const file = (name: string, text: string): Source => {
  const bytes = new TextEncoder().encode(text);
  return { name, size: bytes.length, head: (n) => Promise.resolve(bytes.slice(0, n)), bytes: () => Promise.resolve(bytes) };
};
const unreadable = (name: string) => ({
  status: 422,
  body: { type: "/problems/import-failed", title: "The file cannot be imported", detail: `${name} is a web page (HTML), which is not read` },
});

describe("files", () => {
  beforeEach(() => {
    imports.clear();
    imports.aside = [];
    toasts.visible = [];
    router.go("/tasks");
  });
  const shown = (): string[] => imports.texts.map((text) => text.name);

  it("that cannot be imported are named with the reason, and keep no other from being added", async () => {
    answer = (request) => (request.query.get("name") === "page.html" ? unreadable("page.html") : { status: 200, body: planFor(request) });
    await imports.addFiles([file("one.md", "# A\n"), file("page.html", "<html>"), file("empty.md", " \n"), file("two.md", "# B\n")]);
    expect(shown()).toEqual(["one.md", "two.md"]);
    expect(imports.texts.every((text) => text.isReady)).toBe(true);
    expect(imports.skipped).toEqual([
      { name: "page.html", because: "refused", why: "page.html is a web page (HTML), which is not read" },
      { name: "empty.md", because: "empty", why: "" },
    ]);
  });

  it("stay in the plan if the server could not answer", async () => {
    answer = () => ({ status: 503, body: { type: "/problems/overloaded", title: "Busy" } });
    await imports.addFiles([file("one.md", "# A\n")]);
    expect([shown(), imports.skipped, imports.texts[0]?.isReady]).toEqual([["one.md"], [], false]);
  });

  it("from elsewhere begin a plan of their own; the other one is kept", async () => {
    await imports.addFiles([file("old.md", "# A\n")]);
    imports.texts[0]?.correct({ line: 1, edit: "leaveOut" }, "A");
    router.go("/agents");
    await imports.addFiles([file("new.md", "# B\n")]);
    expect([shown(), imports.aside.map((plan) => nameOf(plan.texts))]).toEqual([["new.md"], ["old.md"]]);
    expect(imports.undoLast()).toBe(false);
    const [old] = imports.aside;
    if (old !== undefined) imports.open(old);
    expect([shown(), imports.aside.map((plan) => nameOf(plan.texts))]).toEqual([["old.md"], ["new.md"]]);
    expect(imports.undoLast()).toBe(true);
    expect(imports.texts[0]?.made).toEqual([]);
  });

  it("that are added on the page of the plan join it", async () => {
    await imports.addFiles([file("one.md", "# A\n")]);
    await imports.addFiles([file("two.md", "# B\n")]);
    expect([shown(), imports.aside]).toEqual([["one.md", "two.md"], []]);
  });

  it("that are left out come back by undo, in their place", async () => {
    await imports.addFiles([file("one.md", "# A\n"), file("two.md", "# B\n")]);
    const [first] = imports.texts;
    if (first !== undefined) imports.remove(first);
    expect(shown()).toEqual(["two.md"]);
    expect(imports.undoLast()).toBe(true);
    expect(shown()).toEqual(["one.md", "two.md"]);
  });

  it("that were corrected are not dropped without a way back", async () => {
    await imports.addFiles([file("one.md", "# A\n")]);
    imports.texts[0]?.correct({ line: 1, edit: "leaveOut" }, "A");
    imports.leave();
    expect([shown(), router.path, toasts.visible.length]).toEqual([[], "/tasks", 1]);
    toasts.undo();
    expect([shown(), router.path, imports.texts[0]?.made.length]).toEqual([["one.md"], "/import", 1]);
  });

  it("of a plan that is dropped while they are opened are opened when it is back", async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((open) => (go = open));
    const slow = { ...file("slow.md", "# S\n"), head: async () => (await gate, new Uint8Array()) };
    const adding = imports.addFiles([file("one.md", "# A\n"), slow, file("two.md", "# B\n")]);
    await vi.waitFor(() => expect(imports.texts[0]?.isReady).toBe(true));
    imports.texts[0]?.correct({ line: 1, edit: "leaveOut" }, "A");
    imports.leave();
    go();
    await adding;
    expect(shown()).toEqual([]);
    toasts.undo();
    await vi.waitFor(() => expect(imports.isOpening).toBe(false));
    expect(shown()).toEqual(["one.md", "slow.md", "two.md"]);
  });
});

it.each<[string, Partial<PlanTask>, boolean[]]>([
  ["a task with a lot of text", { suggestsAgent: true }, [true, true, false]],
  ["a short task", {}, [false, true, false]],
  ["a finished task", { suggestsAgent: true, status: "DONE", agent: "give" }, [false, false, false]],
  ["a task that was given one", { agent: "give" }, [true, true, true]],
  ["a task that was refused one", { suggestsAgent: true, agent: "refuse" }, [false, false, false]],
])("an agent for %s", (_, given, expected) => {
  const task = { suggestsAgent: false, status: null, agent: null, ...given } as PlanTask;
  expect((["suggested", "all", "none"] as const).map((agents) => getsAgent(task, agents))).toEqual(expected);
});

describe("the refused one of several corrections", () => {
  const corrections: Correction[] = [{ line: 4, edit: "join" }, { line: 9, edit: "split" }];
  it.each([
    ["its place", [{ pointer: "/corrections/1", message: "no" }], 1],
    ["no place", [{ message: "line 9: no" }], undefined],
    ["another field", [{ pointer: "/digest", message: "no" }], undefined],
    ["a place that does not exist", [{ pointer: "/corrections/2", message: "no" }], undefined],
  ])("is known by %s", (_, fields, expected) => {
    const problem = new Problem({ status: 422, code: "validation-failed", title: "", fields });
    expect(refusedCorrection(problem, corrections)).toBe(expected);
  });
});

describe("an import on its way", () => {
  const all = (...lines: ImportLine[]) => lines.reduce(applyLine, NO_PROGRESS);
  const task = (done: number, kept: string[] = []): ImportLine => ({ event: "task", done, total: 3, title: "Shed", kept });

  it("reports its progress, remarks and result", () => {
    const state = all({ event: "read", tasks: 3 }, { event: "remark", line: 2, message: "a rule" }, task(1, ["dueDate"]), task(2));
    expect(state).toMatchObject({ done: 2, total: 3, remarks: [{ line: 2, message: "a rule" }], kept: [{ title: "Shed", parts: ["dueDate"] }] });
    const done = applyLine(state, { event: "done", created: 1, updated: 1, unchanged: 0, refused: 1 });
    expect(done).toMatchObject({ state: "done", created: 1, updated: 1, refused: 1 });
    expect(applyLine(state, { event: "done", created: 2, updated: 1, unchanged: 0 }).refused).toBe(0);
  });

  it("fails with the server's problem and keeps its progress", () => {
    const broken = { status: 507, type: "/problems/disk-full", title: "The disk is full" };
    expect(all(task(2), { event: "problem", problem: broken })).toMatchObject({
      state: "failed", done: 2, problem: { code: "disk-full", status: 507 },
    });
  });

  it("ignores unknown lines", () => expect(applyLine(NO_PROGRESS, { event: "later" } as unknown as ImportLine)).toBe(NO_PROGRESS));
});
