import { describe, expect, it } from "vitest";

import { type WebSocketLike, type LiveEvent, Socket, type SocketDeps } from "./socket";

/** A fake server of events over connections that break. Time passes when the test says so. */
class Stage implements SocketDeps {
  lines: (WebSocketLike & { url: string; isOpen: boolean })[] = [];
  waits: { ms: number; then: () => void }[] = [];
  tickets = 0;
  refuseTickets = false;

  ticket(): Promise<string> {
    if (this.refuseTickets) return Promise.reject(new Error("away"));
    this.tickets += 1;
    return Promise.resolve(`t${this.tickets}`);
  }

  open(url: string): WebSocketLike {
    const line = { url, isOpen: true, onopen: null, onmessage: null, onclose: null, close: () => undefined };
    this.lines.push(line);
    return line;
  }

  schedule(ms: number, then: () => void): () => void {
    const wait = { ms, then };
    this.waits.push(wait);
    return () => {
      this.waits = this.waits.filter((other) => other !== wait);
    };
  }

  random = (): number => 1;

  say(frame: object): void {
    this.lines.at(-1)?.onmessage?.({ data: JSON.stringify(frame) });
  }

  cut(code = 1006): void {
    this.lines.at(-1)?.onclose?.({ code });
  }

  async pass(): Promise<void> {
    const waits = this.waits;
    this.waits = [];
    for (const wait of waits) wait.then();
    await Promise.resolve();
    await Promise.resolve();
  }
}

class Heard {
  events: string[] = [];
  resyncs = 0;
  states: boolean[] = [];
  event(event: LiveEvent): void {
    this.events.push(event.cursor);
  }
  resync(): void {
    this.resyncs += 1;
  }
  state(up: boolean): void {
    this.states.push(up);
  }
  version(): void {}
}

async function begun(): Promise<{ stage: Stage; heard: Heard; socket: Socket }> {
  const [stage, heard] = [new Stage(), new Heard()];
  const socket = new Socket(stage, heard);
  socket.start();
  await Promise.resolve();
  await Promise.resolve();
  return { stage, heard, socket };
}

const event = (n: number): object => ({ type: "journal:changed", cursor: `c${n}`, tasks: [], at: "" });

describe("the line to the server", () => {
  it("goes on behind the last event after a break", async () => {
    const { stage, heard } = await begun();
    stage.say({ type: "hello", cursor: "c0", version: "1" });
    stage.say(event(1));
    stage.say(event(2));
    stage.cut();
    expect(heard.states).toEqual([true, false]);
    await stage.pass();
    expect(stage.lines.at(-1)?.url).toBe("/api/ws?ticket=t2&since=c2");
    stage.say({ type: "hello", cursor: "c2", version: "1" });
    stage.say(event(3));
    expect(heard.events).toEqual(["c1", "c2", "c3"]);
    expect(heard.resyncs).toBe(1);
  });

  it("has everything read again when events may be missing", async () => {
    const { stage, heard } = await begun();
    stage.say({ type: "hello", cursor: "c0", version: "1" });
    stage.say({ type: "resync", cursor: "c9" });
    expect(heard.resyncs).toBe(2);
    stage.cut();
    await stage.pass();
    expect(stage.lines.at(-1)?.url).toContain("since=c9");
  });

  it("waits longer with each failure, to a limit, and anew after a success", async () => {
    const { stage } = await begun();
    stage.refuseTickets = true;
    stage.cut();
    const waits: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      waits.push(stage.waits[0]?.ms ?? -1);
      await stage.pass();
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
    stage.refuseTickets = false;
    await stage.pass();
    stage.say({ type: "hello", cursor: "c0", version: "1" });
    stage.cut();
    expect(stage.waits[0]?.ms).toBe(500);
  });

  it("takes nothing from a line that was given up", async () => {
    const { stage, heard, socket } = await begun();
    stage.say({ type: "hello", cursor: "c0", version: "1" });
    const old = stage.lines[0];
    socket.stop();
    socket.start();
    await stage.pass();
    old?.onmessage?.({ data: JSON.stringify(event(1)) });
    old?.onclose?.({ code: 1000 });
    expect(heard.events).toEqual([]);
    expect(stage.waits).toEqual([]);
  });

  it("does not wait any longer when it is nudged", async () => {
    const { stage, socket } = await begun();
    stage.cut();
    expect(stage.waits.length).toBe(1);
    socket.reconnectNow();
    await stage.pass();
    expect(stage.lines.length).toBe(2);
    expect(stage.waits).toEqual([]);
  });

  it("counts as broken when the network goes, though it has not noticed, and tries another line", async () => {
    const { stage, heard, socket } = await begun();
    stage.say({ type: "hello", cursor: "c0", version: "1" });
    stage.say(event(1));
    const old = stage.lines[0];
    socket.markBroken();
    expect(heard.states).toEqual([true, false]);
    expect(stage.waits.length).toBe(1);
    old?.onclose?.({ code: 1006 });
    old?.onmessage?.({ data: JSON.stringify(event(2)) });
    expect(stage.waits.length).toBe(1);
    expect(heard.events).toEqual(["c1"]);
    await stage.pass();
    expect(stage.lines.at(-1)?.url).toContain("since=c1");
  });
});
