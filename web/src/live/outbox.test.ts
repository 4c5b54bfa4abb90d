import { describe, expect, it } from "vitest";

import { Problem } from "../api/problem";
import { type Errand, Outbox, type Post } from "./outbox.svelte";

const away = new Problem({ status: 0, code: "offline", title: "away" });
const refusal = new Problem({ status: 409, code: "already-decided", title: "decided" });

class Office implements Post {
  sent: string[] = [];
  kept: Errand[] = [];
  answer: (errand: Errand) => unknown = () => "done";
  send(errand: Errand): Promise<unknown> {
    this.sent.push(errand.what);
    const answer = this.answer(errand);
    return answer instanceof Problem ? Promise.reject(answer) : Promise.resolve(answer);
  }
  load(): Errand[] {
    return this.kept;
  }
  save(errands: Errand[]): void {
    this.kept = errands;
  }
  waits: { ms: number; then: () => void }[] = [];
  later(ms: number, then: () => void): void {
    this.waits.push({ ms, then });
  }
}

const edit = (what: string): Omit<Errand, "id" | "at"> => ({ method: "PATCH", path: `/api/${what}`, what });

describe("the outbox", () => {
  it("sends in order and gives the answer", async () => {
    const office = new Office();
    const box = new Outbox(office);
    const answers = await Promise.all([box.send(edit("a")), box.send(edit("b"))]);
    expect(answers).toEqual(["done", "done"]);
    expect(office.sent).toEqual(["a", "b"]);
    expect(office.kept).toEqual([]);
  });

  it("keeps what the server did not hear, under its key, and sends it when it is back", async () => {
    const office = new Office();
    office.answer = () => away;
    const box = new Outbox(office);
    const sent = box.send(edit("a"));
    await box.flush();
    expect(box.waiting).toBe(1);
    const id = office.kept[0]?.id;
    office.answer = (errand) => errand.id;
    await box.flush();
    expect(await sent).toBe(id);
    expect(box.waiting).toBe(0);
  });

  it("tries again by itself, once at a time and not before it may", async () => {
    const office = new Office();
    office.answer = () => new Problem({ status: 429, code: "rate-limited", title: "wait", retryAfter: 9 });
    const box = new Outbox(office);
    const sent = box.send(edit("a"));
    await box.flush();
    await box.flush();
    expect(office.waits.map((wait) => wait.ms)).toEqual([9_000]);
    office.answer = () => "done";
    office.waits[0]?.then();
    expect(await sent).toBe("done");
  });

  it("tells its sender of a refusal, and goes on with the next", async () => {
    const office = new Office();
    office.answer = (errand) => (errand.what === "a" ? refusal : "done");
    const box = new Outbox(office);
    const [first, second] = await Promise.allSettled([box.send(edit("a")), box.send(edit("b"))]);
    expect(first).toMatchObject({ status: "rejected", reason: refusal });
    expect(second).toMatchObject({ status: "fulfilled" });
    expect(box.refused).toEqual([]);
  });

  it("brings back one from before a reload that is refused at last", async () => {
    const office = new Office();
    office.kept = [{ id: "k", at: "", ...edit("a") }];
    office.answer = () => refusal;
    const box = new Outbox(office);
    expect(box.waiting).toBe(1);
    await box.flush();
    expect(box.refused.map((refused) => [refused.errand.id, refused.problem.code])).toEqual([["k", "already-decided"]]);
    expect(office.kept).toEqual([]);
  });

  it("keeps an edit while nobody is signed in or the server asks to wait", async () => {
    for (const status of [401, 429, 503]) {
      const office = new Office();
      office.answer = () => new Problem({ status, code: "later", title: "later" });
      const box = new Outbox(office);
      void box.send(edit("a"));
      await box.flush();
      await Promise.resolve();
      expect([status, box.waiting]).toEqual([status, 1]);
    }
  });
});
