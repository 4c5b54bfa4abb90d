import { describe, expect, it } from "vitest";

import { type DraftFrame, type WebSocketLike, type LiveEvent, Socket, type SocketDeps } from "./socket";

/** A fake server of events over connections that break. Time passes when the test says so. */
class FakeServer implements SocketDeps {
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

class RecordingListener {
  events: string[] = [];
  resyncs = 0;
  states: boolean[] = [];
  onEvent(event: LiveEvent): void {
    this.events.push(event.cursor);
  }
  onResync(): void {
    this.resyncs += 1;
  }
  onStateChange(up: boolean): void {
    this.states.push(up);
  }
  onVersion(): void {}
  drafts: string[] = [];
  onDraft(frame: DraftFrame): void {
    if (frame.type === "agent:delta") this.drafts.push(`${frame.agent} ${frame.draft?.tldr ?? "-"}`);
    else this.drafts.push(`${frame.session} ${frame.draft?.text ?? "-"}`);
  }
}

async function begun(): Promise<{ server: FakeServer; listener: RecordingListener; socket: Socket }> {
  const [server, listener] = [new FakeServer(), new RecordingListener()];
  const socket = new Socket(server, listener);
  socket.start();
  await Promise.resolve();
  await Promise.resolve();
  return { server, listener, socket };
}

const event = (n: number): object => ({ type: "journal:changed", cursor: `c${n}`, tasks: [], at: "" });

describe("the live connection", () => {
  it("resumes after the last event when it reconnects", async () => {
    const { server, listener } = await begun();
    server.say({ type: "hello", cursor: "c0", version: "1" });
    server.say(event(1));
    server.say(event(2));
    server.cut();
    expect(listener.states).toEqual([true, false]);
    await server.pass();
    expect(server.lines.at(-1)?.url).toBe("/api/ws?ticket=t2&since=c2");
    server.say({ type: "hello", cursor: "c2", version: "1" });
    server.say(event(3));
    expect(listener.events).toEqual(["c1", "c2", "c3"]);
    expect(listener.resyncs).toBe(1);
  });

  it("reloads everything at the greeting, whatever came before it", async () => {
    const { server, listener } = await begun();
    server.say({ type: "of:tomorrow", cursor: "not-a-cursor-of-today" });
    server.say({ type: "hello", cursor: "c0", version: "1" });
    expect(listener.resyncs).toBe(1);
  });

  it("passes on what an agent is writing, which moves no cursor", async () => {
    const { server, listener } = await begun();
    server.say({ type: "hello", cursor: "c0", version: "1" });
    server.say({ type: "agent:delta", agent: "ag-1", runKey: "r", draft: { turn: 1, tldr: "A", content: "" } });
    server.say({ type: "agent:delta", agent: "ag-1", runKey: "r", draft: { tldr: 1, content: "" } });
    server.say({ type: "agent:delta", agent: "ag-1", draft: null });
    server.say({ type: "agent:delta", agent: "ag-1", runKey: "r", draft: null });
    server.say({ type: "evolution:delta", session: "evo-1", runKey: "r", draft: { turn: 1, text: "B" } });
    server.say({ type: "evolution:delta", session: "evo-1", runKey: "r", draft: { turn: 1 } });
    server.say({ type: "evolution:delta", session: "evo-1", runKey: "r", draft: null });
    expect(listener.drafts).toEqual(["ag-1 A", "ag-1 -", "evo-1 B", "evo-1 -"]);
    server.cut();
    await server.pass();
    expect(server.lines.at(-1)?.url).toBe("/api/ws?ticket=t2&since=c0");
    expect(listener.events).toEqual([]);
  });

  it("reloads everything when events may be missing", async () => {
    const { server, listener } = await begun();
    server.say({ type: "hello", cursor: "c0", version: "1" });
    server.say({ type: "resync", cursor: "c9" });
    expect(listener.resyncs).toBe(2);
    server.cut();
    await server.pass();
    expect(server.lines.at(-1)?.url).toContain("since=c9");
  });

  it("waits longer after each failure, up to a limit, and starts over after a success", async () => {
    const { server } = await begun();
    server.refuseTickets = true;
    server.cut();
    const waits: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      waits.push(server.waits[0]?.ms ?? -1);
      await server.pass();
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
    server.refuseTickets = false;
    await server.pass();
    server.say({ type: "hello", cursor: "c0", version: "1" });
    server.cut();
    expect(server.waits[0]?.ms).toBe(500);
  });

  it("ignores messages of a socket it gave up", async () => {
    const { server, listener, socket } = await begun();
    server.say({ type: "hello", cursor: "c0", version: "1" });
    const old = server.lines[0];
    socket.stop();
    socket.start();
    await server.pass();
    old?.onmessage?.({ data: JSON.stringify(event(1)) });
    old?.onclose?.({ code: 1000 });
    expect(listener.events).toEqual([]);
    expect(server.waits).toEqual([]);
  });

  it("reconnects at once when asked to", async () => {
    const { server, socket } = await begun();
    server.cut();
    expect(server.waits.length).toBe(1);
    socket.reconnectNow();
    await server.pass();
    expect(server.lines.length).toBe(2);
    expect(server.waits).toEqual([]);
  });

  it("treats the connection as broken when the network is gone, and reconnects", async () => {
    const { server, listener, socket } = await begun();
    server.say({ type: "hello", cursor: "c0", version: "1" });
    server.say(event(1));
    const old = server.lines[0];
    socket.markBroken();
    expect(listener.states).toEqual([true, false]);
    expect(server.waits.length).toBe(1);
    old?.onclose?.({ code: 1006 });
    old?.onmessage?.({ data: JSON.stringify(event(2)) });
    expect(server.waits.length).toBe(1);
    expect(listener.events).toEqual(["c1"]);
    await server.pass();
    expect(server.lines.at(-1)?.url).toContain("since=c1");
  });
});
