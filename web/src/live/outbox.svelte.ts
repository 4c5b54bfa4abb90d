// Edits on their way: sent in order, kept while the server is away, told when one is refused.

import { idempotencyKey } from "../api/client";
import { Problem, asProblem, problemOf } from "../api/problem";
import type { Resource } from "./store.svelte";

/** An edit as it is kept: plain data, so that it outlives the page. */
export interface PendingRequest {
  /** Under this key it has one effect, however often it is sent. */
  id: string;
  method: "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  ifMatch?: string;
  /** What it does, in the words of the person's language: "Priority of Order tiles". */
  description: string;
  at: string;
}

/** One that was refused when it was sent at last. */
export interface RefusedRequest {
  request: PendingRequest;
  problem: Problem;
}

/** Where errands are kept, and how they are sent; a test brings its own. */
export interface Transport {
  send(request: PendingRequest): Promise<unknown>;
  load(): PendingRequest[];
  save(requests: PendingRequest[]): void;
  /** Calls back after so many milliseconds. */
  later(ms: number, then: () => void): void;
}

/** Units: milliseconds. What was not heard is sent again after this, if nothing else brings it up. */
const RETRY_MS = 5_000;

interface QueueEntry {
  request: PendingRequest;
  done: (answer: unknown) => void;
  failed: (problem: Problem) => void;
}

export class Outbox {
  #queue = $state.raw<QueueEntry[]>([]);
  /** Edits that were made while the server was away and that it refused later. */
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

  /** Edits that the server has not heard of yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Sends an edit behind those before it. While the server is away it waits, also over a reload.
   *
   * Throws: the problem with which it was refused.
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

  /** Lets an edit that was refused go. */
  dismiss(refused: RefusedRequest): void {
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
          answer = await this.#transport.send(next.request);
        } catch (error) {
          problem = asProblem(error);
        }
        // Nothing is known of it: it is sent again, under the same key. 401: the person signs in
        // again first; 429 and 503 say themselves that later is better.
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

/** What a refusal says; nothing when it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends over HTTP, keeps in the storage of this origin. */
export function httpTransport(token: () => string | undefined, refusedToken: () => void): Transport {
  /** Errands that this tab had in hand: it alone takes them out of the storage. */
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
      // What other tabs wait with stays.
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
}

/**
 * Sends an edit and shows its effect immediately. The overlays stay until the server has answered and
 * the resources hold its answer; they are removed if it rejects the edit.
 *
 * Throws: the problem of a rejection; the caller tells the person.
 */
export async function optimistically<T>(overlays: readonly Overlay<T>[], send: () => Promise<unknown>): Promise<void> {
  const removers = overlays.map(({ resource, edit }) => resource?.addOverlay(edit));
  try {
    const answer = await send();
    await Promise.all(
      overlays.map(({ resource, fromAnswer }) => {
        const value = fromAnswer?.(answer);
        if (value === undefined) return resource?.refresh();
        return resource?.settle(value);
      }),
    );
  } finally {
    for (const remove of removers) remove?.();
  }
}
