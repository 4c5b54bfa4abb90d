// The outbox: edits are sent in order, kept while the server is unreachable, and reported if rejected.

import { idempotencyKey } from "../api/client";
import { Problem, asProblem, problemOf } from "../api/problem";
import type { Resource } from "./store.svelte";

/** A stored edit: plain data, so it survives a reload. */
export interface PendingRequest {
  /** The idempotency key: however often the request is sent, it takes effect once. */
  id: string;
  method: "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  ifMatch?: string;
  /** What it does, in the person's language: "Changing the title of “Order tiles”". */
  description: string;
  at: string;
}

/** A request that the server rejected when it was finally sent. */
export interface RefusedRequest {
  request: PendingRequest;
  problem: Problem;
}

/** Where requests are stored and how they are sent; tests provide their own. */
export interface Transport {
  send(request: PendingRequest): Promise<unknown>;
  load(): PendingRequest[];
  save(requests: PendingRequest[]): void;
  /** Runs a callback after this many milliseconds. */
  later(ms: number, then: () => void): void;
}

/**
 * Units: milliseconds. An unanswered request is repeated after this time, unless something else triggers
 * it earlier.
 */
const RETRY_MS = 5_000;

interface QueueEntry {
  request: PendingRequest;
  done: (answer: unknown) => void;
  failed: (problem: Problem) => void;
}

export class Outbox {
  #queue = $state.raw<QueueEntry[]>([]);
  /** Edits made while the server was unreachable that it later rejected. */
  refused = $state.raw<RefusedRequest[]>([]);
  #isSending = false;
  #isRetryScheduled = false;
  #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.#queue = transport.load().map((request) => ({
      request,
      done: () => undefined,
      failed: (problem: Problem) => {
        this.refused = [...this.refused, { request, problem }];
      },
    }));
  }

  /** The number of edits that haven't been sent. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Queues an edit after those before it. While the server is unreachable it waits, even across a
   * reload.
   *
   * Throws: the problem of a rejection.
   */
  send<T>(request: Omit<PendingRequest, "id" | "at"> & { id?: string }): Promise<T> {
    const complete: PendingRequest = { ...request, id: request.id ?? idempotencyKey(), at: new Date().toISOString() };
    return new Promise<T>((done, failed) => {
      const waiting = { request: complete, done: done as (answer: unknown) => void, failed };
      this.#queue = [...this.#queue, waiting];
      this.#persist();
      void this.flush();
    });
  }

  /** Dismisses a rejected edit. */
  dismiss(refused: RefusedRequest): void {
    this.refused = this.refused.filter((other) => other !== refused);
  }

  /** Sends what is queued, for as long as the server responds. */
  async flush(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
        let answer: unknown;
        let problem: Problem | undefined;
        try {
          answer = await this.#transport.send(next.request);
        } catch (error) {
          problem = asProblem(error);
        }
        // The outcome is unknown, so the request is repeated with the same key. After 401 the person
        // must sign in first; 429 and 503 ask to try later.
        if (problem !== undefined && (problem.isOffline || [401, 429, 503].includes(problem.status))) {
          this.#scheduleRetry(problem);
          return;
        }
        this.#queue = this.#queue.slice(1);
        this.#persist();
        if (problem === undefined) next.done(answer);
        else next.failed(problem);
      }
    } finally {
      this.#isSending = false;
    }
  }

  #scheduleRetry(problem: Problem): void {
    if (this.#isRetryScheduled) return;
    this.#isRetryScheduled = true;
    this.#transport.later(Math.max(RETRY_MS, (problem.retryAfter ?? 0) * 1_000), () => {
      this.#isRetryScheduled = false;
      void this.flush();
    });
  }

  #persist(): void {
    this.#transport.save(this.#queue.map((waiting) => waiting.request));
  }
}

const STORAGE_KEY = "dormouse.outbox";

/** The body of a rejection; undefined if it isn't JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends over HTTP and stores requests in local storage. */
export function httpTransport(token: () => string | undefined, refusedToken: () => void): Transport {
  /** Requests this tab is responsible for: only this tab removes them from storage. */
  const own = new Set<string>();
  const read = (): PendingRequest[] => {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]") as (PendingRequest & { what?: string })[];
    // An older page stored the description as `what`.
    return stored.map(({ what, ...request }) => ({ ...request, description: request.description ?? what ?? "" }));
  };
  return {
    async send(request) {
      const headers: Record<string, string> = {};
      const own = token();
      if (own !== undefined) headers["Authorization"] = `Bearer ${own}`;
      if (request.body !== undefined) headers["Content-Type"] = "application/json";
      if (request.method === "POST") headers["Idempotency-Key"] = request.id;
      if (request.ifMatch !== undefined) headers["If-Match"] = request.ifMatch;
      const init: RequestInit = { method: request.method, headers, signal: AbortSignal.timeout(30_000) };
      if (request.body !== undefined) init.body = JSON.stringify(request.body);
      const response = await fetch(request.path, init);
      if (response.status === 401) refusedToken();
      const text = await response.text();
      if (!response.ok) throw problemOf(response.status, parsed(text), response.headers.get("Retry-After"));
      return text === "" ? undefined : JSON.parse(text);
    },
    load() {
      const stored = read();
      for (const request of stored) own.add(request.id);
      return stored;
    },
    save(requests) {
      for (const request of requests) own.add(request.id);
      // Keep what other tabs have queued.
      const all = [...read().filter((request) => !own.has(request.id)), ...requests];
      if (all.length === 0) localStorage.removeItem(STORAGE_KEY);
      else localStorage.setItem(STORAGE_KEY, JSON.stringify(all));
    },
    later(ms, then) {
      setTimeout(then, ms);
    },
  };
}

/** A pending edit of one resource. */
export interface Overlay<T> {
  resource: Resource<T> | undefined;
  edit: (value: T) => T;
  /** The resource's new value, if the answer to the write contains it. Otherwise the resource is reloaded. */
  fromAnswer?: (answer: unknown) => T | undefined;
  /** The cursor up to which that value contains what events tell, if the answer has one. */
  cursorOf?: (answer: unknown) => string | undefined;
}

/**
 * Units: milliseconds. A write that waits longer than this, such as one behind a connection that is lost,
 * no longer keeps its resource from following other events.
 */
const HOLD_MS = 3_000;

/**
 * Sends an edit and shows its effect immediately. The overlays stay until the server has answered and
 * the resources hold its answer, which is returned; they are removed if it rejects the edit.
 *
 * Throws: the problem of a rejection; the caller tells the person.
 */
export async function optimistically<T, A>(overlays: readonly Overlay<T>[], send: () => Promise<A>): Promise<A> {
  const removers = overlays.map(({ resource, edit }) => resource?.addOverlay(edit));
  // The events of this write come before its answer; what they tell need not be loaded if it is in there.
  const holds = overlays.map(({ resource, cursorOf }) => (cursorOf === undefined ? undefined : resource?.hold()));
  const release = (): void => holds.forEach((end) => end?.());
  const timer = setTimeout(release, HOLD_MS);
  try {
    const answer = await send();
    await Promise.all(
      overlays.map(({ resource, fromAnswer, cursorOf }) => {
        const value = fromAnswer?.(answer);
        if (value === undefined) return resource?.refresh();
        return resource?.settle(value, cursorOf?.(answer));
      }),
    );
    return answer;
  } finally {
    clearTimeout(timer);
    release();
    for (const remove of removers) remove?.();
  }
}
