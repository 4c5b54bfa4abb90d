// Edits on their way: sent in order, kept while the server is away, told when one is refused.

import { onceKey } from "../api/client";
import { Problem, asProblem, problemOf } from "../api/problem";
import type { Resource } from "./store.svelte";

/** An edit as it is kept: plain data, so that it outlives the page. */
export interface Errand {
  /** Under this key it has one effect, however often it is sent. */
  id: string;
  method: "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  ifMatch?: string;
  /** What it does, in the words of the person's language: "Priority of Order tiles". */
  what: string;
  at: string;
}

/** One that was refused when it was sent at last. */
export interface Refused {
  errand: Errand;
  problem: Problem;
}

/** Where errands are kept, and how they are sent; a test brings its own. */
export interface Post {
  send(errand: Errand): Promise<unknown>;
  load(): Errand[];
  save(errands: Errand[]): void;
  /** Calls back after so many milliseconds. */
  later(ms: number, then: () => void): void;
}

/** Units: milliseconds. What was not heard is sent again after this, if nothing else brings it up. */
const AGAIN = 5_000;

interface Waiting {
  errand: Errand;
  done: (answer: unknown) => void;
  failed: (problem: Problem) => void;
  /** Whether its sender waits for it still: one from before a reload has nobody. */
  isOwn: boolean;
}

export class Outbox {
  #queue = $state.raw<Waiting[]>([]);
  /** Edits that were made while the server was away and that it refused later. */
  refused = $state.raw<Refused[]>([]);
  #isSending = false;
  #isToTryAgain = false;
  #post: Post;

  constructor(post: Post) {
    this.#post = post;
    this.#queue = post.load().map((errand) => ({
      errand,
      done: () => undefined,
      failed: (problem: Problem) => {
        this.refused = [...this.refused, { errand, problem }];
      },
      isOwn: false,
    }));
  }

  /** Edits that the server has not heard of yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Sends an edit behind those before it. While the server is away it waits, also over a reload.
   *
   * Throws: the problem with which it was refused.
   */
  send<T>(errand: Omit<Errand, "id" | "at"> & { id?: string }): Promise<T> {
    const whole: Errand = { ...errand, id: errand.id ?? onceKey(), at: new Date().toISOString() };
    return new Promise<T>((done, failed) => {
      const waiting = { errand: whole, done: done as (answer: unknown) => void, failed, isOwn: true };
      this.#queue = [...this.#queue, waiting];
      this.#keep();
      void this.flush();
    });
  }

  /** Lets an edit that was refused go. */
  drop(refused: Refused): void {
    this.refused = this.refused.filter((other) => other !== refused);
  }

  /** Sends what waits, as far as the server answers. */
  async flush(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
        let answer: unknown;
        let problem: Problem | undefined;
        try {
          answer = await this.#post.send(next.errand);
        } catch (error) {
          problem = asProblem(error);
        }
        // Nothing is known of it: it is sent again, under the same key. 401: the person signs in
        // again first; 429 and 503 say themselves that later is better.
        if (problem !== undefined && (problem.isOffline || [401, 429, 503].includes(problem.status))) {
          this.#tryAgain(problem);
          return;
        }
        this.#queue = this.#queue.slice(1);
        this.#keep();
        if (problem === undefined) next.done(answer);
        else next.failed(problem);
      }
    } finally {
      this.#isSending = false;
    }
  }

  #tryAgain(problem: Problem): void {
    if (this.#isToTryAgain) return;
    this.#isToTryAgain = true;
    this.#post.later(Math.max(AGAIN, (problem.retryAfter ?? 0) * 1_000), () => {
      this.#isToTryAgain = false;
      void this.flush();
    });
  }

  #keep(): void {
    this.#post.save(this.#queue.map((waiting) => waiting.errand));
  }
}

const PLACE = "dormouse.outbox";

/** What a refusal says; nothing when it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends over HTTP, keeps in the storage of this origin. */
export function httpPost(token: () => string | undefined, refusedToken: () => void): Post {
  /** Errands that this tab had in hand: it alone takes them out of the storage. */
  const own = new Set<string>();
  const read = (): Errand[] => JSON.parse(localStorage.getItem(PLACE) ?? "[]") as Errand[];
  return {
    async send(errand) {
      const headers: Record<string, string> = {};
      const own = token();
      if (own !== undefined) headers["Authorization"] = `Bearer ${own}`;
      if (errand.body !== undefined) headers["Content-Type"] = "application/json";
      if (errand.method === "POST") headers["Idempotency-Key"] = errand.id;
      if (errand.ifMatch !== undefined) headers["If-Match"] = errand.ifMatch;
      const init: RequestInit = { method: errand.method, headers, signal: AbortSignal.timeout(30_000) };
      if (errand.body !== undefined) init.body = JSON.stringify(errand.body);
      const response = await fetch(errand.path, init);
      if (response.status === 401) refusedToken();
      const text = await response.text();
      if (!response.ok) throw problemOf(response.status, parsed(text), response.headers.get("Retry-After"));
      return text === "" ? undefined : JSON.parse(text);
    },
    load() {
      const kept = read();
      for (const errand of kept) own.add(errand.id);
      return kept;
    },
    save(errands) {
      for (const errand of errands) own.add(errand.id);
      // What other tabs wait with stays.
      const all = [...read().filter((errand) => !own.has(errand.id)), ...errands];
      if (all.length === 0) localStorage.removeItem(PLACE);
      else localStorage.setItem(PLACE, JSON.stringify(all));
    },
    later(ms, then) {
      setTimeout(then, ms);
    },
  };
}

/**
 * Sends an edit and shows at once what it will do: the edits lie over what was read until the server
 * has said the same, and are taken off when it refuses.
 *
 * Throws: the problem with which it was refused; the caller tells the person.
 */
export async function optimistically<T>(
  over: { resource: Resource<T> | undefined; edit: (value: T) => T }[],
  send: () => Promise<unknown>,
): Promise<void> {
  const takeOff = over.map(({ resource, edit }) => resource?.lay(edit));
  try {
    await send();
    await Promise.all(over.map(({ resource }) => resource?.refresh()));
  } finally {
    for (const off of takeOff) off?.();
  }
}
