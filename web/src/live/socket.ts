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
function frameOf(data: unknown): Frame | undefined {
  let said: unknown;
  try {
    said = JSON.parse(String(data));
  } catch {
    return undefined;
  }
  if (typeof said !== "object" || said === null) return undefined;
  const { type, cursor, tasks } = said as Record<string, unknown>;
  if (typeof type !== "string" || typeof cursor !== "string") return undefined;
  if (type === "hello" || type === "resync") return said as Frame;
  return { ...(said as LiveEvent), tasks: Array.isArray(tasks) ? tasks : [] };
}

/** What the line needs of the world; a test brings its own. */
export interface World {
  /** A ticket for one socket. Throws when there is none: `final` says that asking again is vain. */
  ticket(): Promise<string>;
  open(url: string): Line;
  /** Calls back after so many milliseconds; gives what calls it off. */
  later(ms: number, then: () => void): () => void;
  random(): number;
}

/** The part of a WebSocket that is used. */
export interface Line {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  close(): void;
}

/** Who listens. */
export interface Ear {
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
  #line: Line | undefined;
  #calledOff: (() => void) | undefined;
  #failures = 0;
  #wanted = false;
  #attempt = 0;

  constructor(
    private readonly world: World,
    private readonly ear: Ear,
  ) {}

  start(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    void this.#connect();
  }

  stop(): void {
    this.#wanted = false;
    this.#attempt += 1;
    this.#calledOff?.();
    this.#line?.close();
    this.#line = undefined;
    this.#cursor = undefined;
    this.ear.state(false);
  }

  /** The world changed (the network is back, the page is looked at): does not wait any longer. */
  nudge(): void {
    if (!this.#wanted || this.#line !== undefined || this.#calledOff === undefined) return;
    this.#calledOff();
    this.#failures = 0;
    void this.#connect();
  }

  /** The network went: the line counts as broken before it notices, and another one is tried. */
  cut(): void {
    const line = this.#line;
    if (line === undefined) return;
    this.#attempt += 1;
    this.#line = undefined;
    line.close();
    this.ear.state(false);
    this.#wait();
  }

  async #connect(): Promise<void> {
    this.#calledOff = undefined;
    const attempt = ++this.#attempt;
    let ticket: string;
    try {
      ticket = await this.world.ticket();
    } catch {
      if (attempt === this.#attempt) {
        this.ear.state(false);
        this.#wait();
      }
      return;
    }
    if (attempt !== this.#attempt) return;
    const since = this.#cursor === undefined ? "" : `&since=${encodeURIComponent(this.#cursor)}`;
    const line = this.world.open(`/api/ws?ticket=${encodeURIComponent(ticket)}${since}`);
    this.#line = line;
    line.onmessage = (message) => {
      if (attempt === this.#attempt) this.#hear(message.data);
    };
    line.onclose = () => {
      if (attempt !== this.#attempt) return;
      this.#line = undefined;
      this.ear.state(false);
      this.#wait();
    };
  }

  #hear(data: unknown): void {
    const frame = frameOf(data);
    if (frame === undefined) return;
    this.#failures = 0;
    switch (frame.type) {
      case "hello": {
        const isFirst = this.#cursor === undefined;
        this.#cursor ??= frame.cursor;
        this.ear.state(true);
        this.ear.version((frame as Hello).version);
        // What was read before the line stood may be older than the place it begins at.
        if (isFirst) this.ear.resync();
        break;
      }
      case "resync":
        this.#cursor = frame.cursor;
        this.ear.resync();
        break;
      default:
        this.#cursor = frame.cursor;
        this.ear.event(frame as LiveEvent);
    }
  }

  #wait(): void {
    if (!this.#wanted) return;
    const longest = Math.min(FIRST_WAIT * 2 ** this.#failures, LONGEST_WAIT);
    this.#failures += 1;
    this.#calledOff = this.world.later(longest * (0.5 + this.world.random() / 2), () => {
      void this.#connect();
    });
  }
}
