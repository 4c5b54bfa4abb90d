// The line to the server: one WebSocket that comes back after every break and goes on where it was.

/** Something that happened; what it is about is read anew. */
export interface LiveEvent {
  type: string;
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

type Frame = LiveEvent | Hello | Resync;

/** A frame that can be read; a newer server may send others. */
function parseFrame(data: unknown): Frame | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(String(data));
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const { type, cursor, tasks } = parsed as Record<string, unknown>;
  if (typeof type !== "string" || typeof cursor !== "string") return undefined;
  if (type === "hello" || type === "resync") return parsed as Frame;
  return { ...(parsed as LiveEvent), tasks: Array.isArray(tasks) ? tasks : [] };
}

/** What the line needs of the world; a test brings its own. */
export interface SocketDeps {
  /** A ticket for one socket. Throws when there is none: `final` says that asking again is vain. */
  ticket(): Promise<string>;
  open(url: string): WebSocketLike;
  /** Calls back after so many milliseconds; gives what calls it off. */
  schedule(ms: number, then: () => void): () => void;
  random(): number;
}

/** The part of a WebSocket that is used. */
export interface WebSocketLike {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  close(): void;
}

/** Who listens. */
export interface Listener {
  /** Each event once, in order. */
  event(event: LiveEvent): void;
  /** Events may have been missed: everything on screen is read again. */
  resync(): void;
  /** The line stands, or it does not. */
  state(up: boolean): void;
  /** The version that answers. */
  version(version: string): void;
}

/** Units: milliseconds. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

export class Socket {
  #cursor: string | undefined;
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
    this.listener.state(false);
  }

  /** The world changed (the network is back, the page is looked at): does not wait any longer. */
  reconnectNow(): void {
    if (!this.#isWanted || this.#socket !== undefined || this.#cancelReconnect === undefined) return;
    this.#cancelReconnect();
    this.#failures = 0;
    void this.#connect();
  }

  /** The network went: the line counts as broken before it notices, and another one is tried. */
  markBroken(): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#attempt += 1;
    this.#socket = undefined;
    socket.close();
    this.listener.state(false);
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
        this.listener.state(false);
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
      this.listener.state(false);
      this.#scheduleReconnect();
    };
  }

  #onMessage(data: unknown): void {
    const frame = parseFrame(data);
    if (frame === undefined) return;
    this.#failures = 0;
    switch (frame.type) {
      case "hello": {
        const isFirst = this.#cursor === undefined;
        this.#cursor ??= frame.cursor;
        this.listener.state(true);
        this.listener.version((frame as Hello).version);
        // What was read before the line stood may be older than the place it begins at.
        if (isFirst) this.listener.resync();
        break;
      }
      case "resync":
        this.#cursor = frame.cursor;
        this.listener.resync();
        break;
      default:
        this.#cursor = frame.cursor;
        this.listener.event(frame as LiveEvent);
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
