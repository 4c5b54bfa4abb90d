import { describe, expect, it, vi } from "vitest";

import { Problem } from "../api/problem";
import { type PendingRequest, Outbox, optimistically, type Transport } from "./outbox.svelte";
import type { LiveEvent } from "./socket";
import { Live } from "./store.svelte";

const away = new Problem({ status: 0, code: "offline", title: "away" });
const refusal = new Problem({ status: 409, code: "already-decided", title: "decided" });

class FakeTransport implements Transport {
  sent: string[] = [];
  stored: PendingRequest[] = [];
  answer: (request: PendingRequest) => unknown = () => "done";
  send(request: PendingRequest): Promise<unknown> {
    this.sent.push(request.description);
    const answer = this.answer(request);
    return answer instanceof Problem ? Promise.reject(answer) : Promise.resolve(answer);
  }
  load(): PendingRequest[] {
    return this.stored;
  }
  save(requests: PendingRequest[]): void {
    this.stored = requests;
  }
  waits: { ms: number; then: () => void }[] = [];
  later(ms: number, then: () => void): void {
    this.waits.push({ ms, then });
  }
}

const edit = (description: string): Omit<PendingRequest, "id" | "at"> => ({ method: "PATCH", path: `/api/${description}`, description });

describe("the outbox", () => {
  it("sends requests in order and returns the answers", async () => {
    const transport = new FakeTransport();
    const outbox = new Outbox(transport);
    const answers = await Promise.all([outbox.send(edit("a")), outbox.send(edit("b"))]);
    expect(answers).toEqual(["done", "done"]);
    expect(transport.sent).toEqual(["a", "b"]);
    expect(transport.stored).toEqual([]);
  });

  it("keeps an unanswered request with its key and sends it when the server is back", async () => {
    const transport = new FakeTransport();
    transport.answer = () => away;
    const outbox = new Outbox(transport);
    const sent = outbox.send(edit("a"));
    await outbox.flush();
    expect(outbox.waiting).toBe(1);
    const id = transport.stored[0]?.id;
    transport.answer = (request) => request.id;
    await outbox.flush();
    expect(await sent).toBe(id);
    expect(outbox.waiting).toBe(0);
  });

  it("retries on its own, once at a time and not too early", async () => {
    const transport = new FakeTransport();
    transport.answer = () => new Problem({ status: 429, code: "rate-limited", title: "wait", retryAfter: 9 });
    const outbox = new Outbox(transport);
    const sent = outbox.send(edit("a"));
    await outbox.flush();
    await outbox.flush();
    expect(transport.waits.map((wait) => wait.ms)).toEqual([9_000]);
    transport.answer = () => "done";
    transport.waits[0]?.then();
    expect(await sent).toBe("done");
  });

  it("reports a rejection to the sender and continues with the next request", async () => {
    const transport = new FakeTransport();
    transport.answer = (request) => (request.description === "a" ? refusal : "done");
    const outbox = new Outbox(transport);
    const [first, second] = await Promise.allSettled([outbox.send(edit("a")), outbox.send(edit("b"))]);
    expect(first).toMatchObject({ status: "rejected", reason: refusal });
    expect(second).toMatchObject({ status: "fulfilled" });
    expect(outbox.refused).toEqual([]);
  });

  it("returns a request from before a reload that is finally rejected", async () => {
    const transport = new FakeTransport();
    transport.stored = [{ id: "k", at: "", ...edit("a") }];
    transport.answer = () => refusal;
    const outbox = new Outbox(transport);
    expect(outbox.waiting).toBe(1);
    await outbox.flush();
    expect(outbox.refused.map((refused) => [refused.request.id, refused.problem.code])).toEqual([["k", "already-decided"]]);
    expect(transport.stored).toEqual([]);
  });

  it("keeps requests while nobody is signed in or the server asks to wait", async () => {
    for (const status of [401, 429, 503]) {
      const transport = new FakeTransport();
      transport.answer = () => new Problem({ status, code: "timeout", title: "later" });
      const outbox = new Outbox(transport);
      void outbox.send(edit("a"));
      await outbox.flush();
      await Promise.resolve();
      expect([status, outbox.waiting]).toEqual([status, 1]);
    }
  });
});

describe("an optimistic edit", () => {
  async function loaded(live = new Live()): Promise<{ resource: ReturnType<Live["resourceFor"]>; loads: () => number }> {
    let count = 0;
    const resource = live.resourceFor<unknown>({ key: "k", load: () => Promise.resolve(`loaded ${++count}`), invalidatedBy: () => true });
    await resource.refresh();
    return { resource, loads: () => count };
  }

  it("keeps the answer of the write, and loads nothing", async () => {
    const { resource, loads } = await loaded();
    const sent = optimistically([{ resource, edit: () => "edited", fromAnswer: (answer) => answer }], () => Promise.resolve("answered"));
    expect(resource.value).toBe("edited");
    await sent;
    expect([resource.value, loads()]).toEqual(["answered", 1]);
  });

  it("loads again where the answer is something else", async () => {
    const { resource, loads } = await loaded();
    await optimistically([{ resource, edit: () => "edited", fromAnswer: () => undefined }], () => Promise.resolve({}));
    expect([resource.value, loads()]).toEqual(["loaded 2", 2]);
  });

  describe("whose answer says what it contains", () => {
    const event = (agentSeq: number): LiveEvent => ({ type: "change-set:item", cursor: `ho-j.1.ho-a.${agentSeq}`, tasks: [], at: "" });
    const settled = { fromAnswer: (answer: unknown) => answer, cursorOf: () => "ho-j.1.ho-a.5" };

    async function watched() {
      const live = new Live();
      const { resource, loads } = await loaded(live);
      live.watch(resource);
      return { live, resource, loads };
    }

    it("loads nothing for its own events, whether they come before the answer or after it", async () => {
      const { live, resource, loads } = await watched();
      await optimistically([{ resource, edit: () => "edited", ...settled }], () => {
        live.onEvent(event(4));
        return Promise.resolve("answered");
      });
      live.onEvent(event(5));
      expect([resource.value, loads()]).toEqual(["answered", 1]);
    });

    it("loads nothing for the event of each of two edits that wait for each other", async () => {
      const { live, resource, loads } = await watched();
      const edited = (journalSeq: number): LiveEvent => ({ type: "journal:changed", cursor: `ho-j.${journalSeq}.ho-a.1`, tasks: [], at: "" });
      let answerSecond: (answer: unknown) => void = () => undefined;
      const edit = (journalSeq: number, send: () => Promise<unknown>): Promise<unknown> =>
        optimistically([{ resource, edit: () => "edited", fromAnswer: (answer) => answer, cursorOf: () => `ho-j.${journalSeq}.ho-a.1` }], send);
      const first = edit(2, () => Promise.resolve("first"));
      const second = edit(3, () => new Promise((done) => (answerSecond = done)));
      live.onEvent(edited(2));
      await first;
      live.onEvent(edited(3));
      answerSecond("second");
      await second;
      expect([resource.value, loads()]).toEqual(["second", 1]);
    });

    it("loads again for an event that the answer does not contain", async () => {
      const { live, resource, loads } = await watched();
      await optimistically([{ resource, edit: () => "edited", ...settled }], () => {
        live.onEvent(event(6));
        return Promise.resolve("answered");
      });
      await resource.refresh();
      expect([resource.value, loads()]).toEqual(["loaded 3", 3]);
    });

    it("loads again for events that came before it was rejected", async () => {
      const { live, resource, loads } = await watched();
      const sent = optimistically([{ resource, edit: () => "edited", ...settled }], () => {
        live.onEvent(event(4));
        return Promise.reject(refusal);
      });
      await expect(sent).rejects.toBe(refusal);
      await resource.refresh();
      expect(loads()).toBeGreaterThan(1);
    });

    it("does not keep events while it waits for the server for long", async () => {
      vi.useFakeTimers();
      const { live, resource, loads } = await watched();
      void optimistically([{ resource, edit: () => "edited", ...settled }], () => new Promise(() => undefined));
      live.onEvent(event(4));
      expect(loads()).toBe(1);
      await vi.advanceTimersByTimeAsync(3_000);
      expect(loads()).toBe(2);
      vi.useRealTimers();
    });

    it("is not replaced by a load that began before it", async () => {
      const gates: ((text: string) => void)[] = [];
      const resource = new Live().resourceFor<unknown>({ key: "k", load: () => new Promise((done) => gates.push(done)), invalidatedBy: () => true });
      void resource.refresh();
      await optimistically([{ resource, edit: () => "edited", ...settled }], () => Promise.resolve("answered"));
      gates[0]?.("old");
      await new Promise((done) => setTimeout(done));
      expect([resource.value, gates.length]).toEqual(["answered", 2]);
      gates[1]?.("new");
      await new Promise((done) => setTimeout(done));
      expect(resource.value).toBe("new");
    });
  });

  it("is removed when it is rejected", async () => {
    const { resource, loads } = await loaded();
    const sent = optimistically([{ resource, edit: () => "edited" }], () => Promise.reject(refusal));
    await expect(sent).rejects.toBe(refusal);
    expect([resource.value, loads()]).toEqual(["loaded 1", 1]);
  });
});
