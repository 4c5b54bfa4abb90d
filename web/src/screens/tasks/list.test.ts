import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Page, Row } from "./data";
import { readFilters, type Segment } from "./filters";

const readers = vi.hoisted(() => ({ page: vi.fn(), row: vi.fn() }));
vi.mock("./data", () => ({ readPage: readers.page, readRow: readers.row }));

import { TaskList } from "./list.svelte";

const row = (id: string, over: Partial<Row> = {}): Row =>
  ({ id, title: id, status: "OPEN", dueOn: null, agent: null, deletedAt: null, ...over }) as Row;
const page = (ids: string[], nextCursor: string | null = null): Page => ({ items: ids.map((id) => row(id)), nextCursor });
const filters = readFilters(new URLSearchParams("status=any"));
const part = (key: string): Segment => ({ key, query: {} });
const ids = (list: TaskList) => list.segments.map((one) => one.rows.map((each) => each.id).join("")).join("|");
const touches = (...tasks: string[]) => ({ type: "journal:changed", cursor: "1", tasks, at: "" });

beforeEach(() => {
  readers.page.mockReset();
  readers.row.mockReset();
  vi.useFakeTimers({ now: 1_000_000 });
});

async function shown(...pages: Page[]): Promise<TaskList> {
  const list = new TaskList();
  for (const one of pages) readers.page.mockResolvedValueOnce(one);
  await list.show("k", filters, pages.map((_, at) => part(`p${at}`)));
  vi.advanceTimersByTime(5_000);
  return list;
}

describe("the list", () => {
  it("shows its segments up to the first incomplete one", async () => {
    const list = await shown(page(["a"]), page(["b"], "2"), page(["c"]));
    expect(ids(list)).toBe("a|b");
    expect(list.isWhole).toBe(false);
    readers.page.mockResolvedValueOnce(page(["b", "d"]));
    await list.more();
    expect(ids(list)).toBe("a|bd|c");
    expect(list.isWhole).toBe(true);
  });

  it("shows what was requested last, whichever answer comes first", async () => {
    const list = new TaskList();
    let slow: (answer: Page) => void = () => undefined;
    readers.page.mockReturnValueOnce(new Promise<Page>((done) => (slow = done)));
    const first = list.show("1", filters, [part("p")]);
    readers.page.mockResolvedValueOnce(page(["new"]));
    await list.show("2", filters, [part("p")]);
    slow(page(["old"]));
    await first;
    expect(ids(list)).toBe("new");
    expect(list.isReading).toBe(false);
  });

  it("keeps its rows when the server is unreachable, and reports it", async () => {
    const list = await shown(page(["a"]));
    readers.page.mockRejectedValueOnce(new TypeError("gone"));
    await list.show("2", filters, [part("p")]);
    expect(ids(list)).toBe("a");
    expect(list.problem?.isOffline).toBe(true);
  });
});

describe("an event", () => {
  it("is applied at once while nobody is in the list", async () => {
    const list = await shown(page(["a", "b"]));
    list.noteEvent(touches("c"));
    readers.page.mockResolvedValueOnce(page(["c", "b", "a"]));
    await list.renew();
    expect(ids(list)).toBe("cba");
    expect(list.newCount).toBe(0);
  });

  it("waits while somebody is, and is applied when they leave", async () => {
    const list = await shown(page(["a", "b"]));
    list.hold(true);
    readers.page.mockResolvedValueOnce({ items: [row("c"), row("b", { title: "B" }), row("a")], nextCursor: null });
    await list.renew();
    expect(ids(list)).toBe("ab");
    expect(list.segments[0]?.rows[1]?.title).toBe("B");
    expect(list.newCount).toBe(1);
    list.hold(false);
    expect(ids(list)).toBe("cba");
  });

  it("reloads only the affected rows of a long list", async () => {
    const many = Array.from({ length: 200 }, (_, at) => `r${at}`);
    const list = await shown(page(many));
    readers.page.mockClear();
    list.noteEvent(touches("r7", "x", "gone"));
    readers.row.mockImplementation((id: string) =>
      Promise.resolve(id === "gone" ? undefined : row(id, { title: "changed" })),
    );
    await list.renew();
    expect(readers.page).not.toHaveBeenCalled();
    expect(list.segments[0]?.rows[7]?.title).toBe("changed");
    expect(list.count).toBe(200);
    expect(list.newCount).toBe(1);
  });
});

describe("an edit", () => {
  it("is shown on top of the row until it is removed", async () => {
    const list = await shown(page(["a"]));
    const off = list.addOverlay("a", { status: "DONE" });
    expect(list.segments[0]?.rows[0]?.status).toBe("DONE");
    off();
    expect(list.segments[0]?.rows[0]?.status).toBe("OPEN");
  });
});
