// The live connection: one WebSocket that reconnects after every failure and resumes where it stopped.

import type { Schemas } from "../api/client";

/** A kind of event. The socket is not in the API's description; the list is. */
export type EventKind = Schemas["EventKind"];

/** Something that happened. The resource it refers to is loaded again. */
export interface LiveEvent {
  /** A newer server may send other kinds. */
  type: EventKind | "needs-attention" | (string & Record<never, never>);
  cursor: string;
  subject?: string | null;
  tasks: string[];
  at: string;
}

interface Hello {
  type: "hello";
  cursor: string;
  version: string;
}

interface Resync {
  type: "resync";
  cursor: string;
}

/** What an agent has written of its report so far, or `null` once that is gone. It has no cursor. */
export interface ReportFrame {
  type: "agent:delta";
  agent: string;
  runKey: string;
  draft: { tldr: string; content: string } | null;
}

/** What a model has written so far of its answer in a session about a template, or `null` once that is gone. It has no cursor. */
export interface AnswerFrame {
  type: "evolution:delta";
  session: string;
  runKey: string;
  draft: { text: string } | null;
}

/** What a model is writing. */
export type DraftFrame = ReportFrame | AnswerFrame;

type Frame = LiveEvent | Hello | Resync | DraftFrame;

/** A frame about a report whose fields are what they should be. */
function parseReport({ agent, runKey, draft }: Record<string, unknown>): ReportFrame | undefined {
  if (typeof agent !== "string" || typeof runKey !== "string" || typeof draft !== "object") return undefined;
  if (draft === null) return { type: "agent:delta", agent, runKey, draft };
  const { tldr, content } = draft as Record<string, unknown>;
  if (typeof tldr !== "string" || typeof content !== "string") return undefined;
  return { type: "agent:delta", agent, runKey, draft: { tldr, content } };
}

/** The same of an answer. */
function parseAnswer({ session, runKey, draft }: Record<string, unknown>): AnswerFrame | undefined {
  if (typeof session !== "string" || typeof runKey !== "string" || typeof draft !== "object") return undefined;
  if (draft === null) return { type: "evolution:delta", session, runKey, draft };
  const { text } = draft as Record<string, unknown>;
  return typeof text === "string" ? { type: "evolution:delta", session, runKey, draft: { text } } : undefined;
}

/** Parses a frame. A newer server may send frames of other types. */
function parseFrame(data: unknown): Frame | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(String(data));
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const { type, cursor, tasks } = parsed as Record<string, unknown>;
  if (type === "agent:delta") return parseReport(parsed as Record<string, unknown>);
  if (type === "evolution:delta") return parseAnswer(parsed as Record<string, unknown>);
  if (typeof type !== "string" || typeof cursor !== "string") return undefined;
  if (type === "hello" || type === "resync") return parsed as Frame;
  return { ...(parsed as LiveEvent), tasks: Array.isArray(tasks) ? tasks : [] };
}

/** What the socket needs from its environment; tests provide their own. */
export interface SocketDeps {
  /** Gets a ticket for one socket. Throws if there is none. */
  ticket(): Promise<string>;
  open(url: string): WebSocketLike;
  /** Runs a callback after this many milliseconds. Returns a function that cancels it. */
  schedule(ms: number, then: () => void): () => void;
  random(): number;
}

/** The part of the WebSocket interface that is used. */
export interface WebSocketLike {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  close(): void;
}

/** Receives what the socket reports. */
export interface Listener {
  /** Called once for each event, in order. */
  onEvent(event: LiveEvent): void;
  /** A report or an answer is being written. */
  onDraft(frame: DraftFrame): void;
  /** Events may have been missed: everything on screen must be loaded again. */
  onResync(): void;
  /** The connection is up or down. */
  onStateChange(up: boolean): void;
  /** The server's version. */
  onVersion(version: string): void;
}

/** Units: milliseconds. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

export class Socket {
  #cursor: string | undefined;
  /** Whether the server's greeting was received, on this connection or an earlier one. */
  #isGreeted = false;
  #socket: WebSocketLike | undefined;
  #cancelReconnect: (() => void) | undefined;
  #failures = 0;
  #isWanted = false;
  #attempt = 0;

  constructor(
    private readonly deps: SocketDeps,
    private readonly listener: Listener,
  ) {}

  start(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    void this.#connect();
  }

  stop(): void {
    this.#isWanted = false;
    this.#attempt += 1;
    this.#cancelReconnect?.();
    this.#socket?.close();
    this.#socket = undefined;
    this.#cursor = undefined;
    this.#isGreeted = false;
    this.listener.onStateChange(false);
  }

  /** The network is back or the page is visible again: reconnects without waiting. */
  reconnectNow(): void {
    if (!this.#isWanted || this.#socket !== undefined || this.#cancelReconnect === undefined) return;
    this.#cancelReconnect();
    this.#failures = 0;
    void this.#connect();
  }

  /** The network is gone: treats the connection as broken before it notices, and reconnects. */
  markBroken(): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#attempt += 1;
    this.#socket = undefined;
    socket.close();
    this.listener.onStateChange(false);
    this.#scheduleReconnect();
  }

  async #connect(): Promise<void> {
    this.#cancelReconnect = undefined;
    const attempt = ++this.#attempt;
    let ticket: string;
    try {
      ticket = await this.deps.ticket();
    } catch {
      if (attempt === this.#attempt) {
        this.listener.onStateChange(false);
        this.#scheduleReconnect();
      }
      return;
    }
    if (attempt !== this.#attempt) return;
    const since = this.#cursor === undefined ? "" : `&since=${encodeURIComponent(this.#cursor)}`;
    const socket = this.deps.open(`/api/ws?ticket=${encodeURIComponent(ticket)}${since}`);
    this.#socket = socket;
    socket.onmessage = (message) => {
      if (attempt === this.#attempt) this.#onMessage(message.data);
    };
    socket.onclose = () => {
      if (attempt !== this.#attempt) return;
      this.#socket = undefined;
      this.listener.onStateChange(false);
      this.#scheduleReconnect();
    };
  }

  #onMessage(data: unknown): void {
    const frame = parseFrame(data);
    if (frame === undefined) return;
    this.#failures = 0;
    switch (frame.type) {
      case "hello": {
        const isFirst = !this.#isGreeted;
        this.#isGreeted = true;
        this.#cursor ??= (frame as Hello).cursor;
        this.listener.onStateChange(true);
        this.listener.onVersion((frame as Hello).version);
        // What was loaded before the connection was up may be older than its first event.
        if (isFirst) this.listener.onResync();
        break;
      }
      case "resync":
        this.#cursor = (frame as Resync).cursor;
        this.listener.onResync();
        break;
      case "agent:delta":
      case "evolution:delta":
        this.listener.onDraft(frame as DraftFrame);
        break;
      default:
        this.#cursor = (frame as LiveEvent).cursor;
        this.listener.onEvent(frame as LiveEvent);
    }
  }

  #scheduleReconnect(): void {
    if (!this.#isWanted) return;
    const delay = Math.min(FIRST_WAIT * 2 ** this.#failures, LONGEST_WAIT);
    this.#failures += 1;
    this.#cancelReconnect = this.deps.schedule(delay * (0.5 + this.deps.random() / 2), () => {
      void this.#connect();
    });
  }
}
