// The store of query results, kept current while a component uses them.
//
// A resource is the result of one query. Live events say which results are out of date; pending edits
// are overlays on the result until the server has confirmed them. Results without watchers are kept for
// a while, so that going back shows them at once.

import { Problem, asProblem } from "../api/problem";
import { isUpTo } from "./cursor";
import type { LiveEvent } from "./socket";

/** A request to the server, and the events that make its result out of date. */
export interface Query<T> {
  /** Queries with the same key share one result. */
  key: string;
  load: () => Promise<T>;
  /** Whether an event may have changed the result. `value` is the result so far, if there is one. */
  invalidatedBy: (event: LiveEvent, value: T | undefined) => boolean;
  /** The revision of a result, where it has one: an older result never replaces the answer of a write. */
  revisionOf?: (value: T) => number;
}

/** How many results to keep. Those without watchers are dropped first. */
const MAX_RESOURCES = 80;

export class Resource<T> {
  #loaded = $state.raw<T | undefined>();
  #overlays = $state.raw<((value: T) => T)[]>([]);
  /** Why the last load failed; the previous result stays. */
  problem = $state.raw<Problem | undefined>();
  /** Whether the first load is running. */
  isLoading = $state(false);
  /** The result with the pending edits applied. */
  get value(): T | undefined {
    // Not a $derived: that would belong to the component that read it first and be destroyed with it.
    const [loaded, overlays] = [this.#loaded, this.#overlays];
    if (loaded !== this.#cached.loaded || overlays !== this.#cached.overlays) {
      const value = loaded === undefined ? undefined : overlays.reduce<T>((now, edit) => edit(now), loaded);
      this.#cached = { loaded, overlays, value };
    }
    return this.#cached.value;
  }

  #cached: { loaded: T | undefined; overlays: ((value: T) => T)[]; value: T | undefined } = { loaded: undefined, overlays: [], value: undefined };
  watchers = 0;
  #stale = true;
  #loading: Promise<void> | undefined;
  #reloadRequested = false;
  /** The revision of the last write's answer; see `settle`. */
  #writtenRevision: number | undefined;
  /** Writes whose answers are awaited; see `hold`. */
  #holds = 0;
  /** Events that came meanwhile. */
  #heldEvents: LiveEvent[] = [];
  /** The result contains what events up to this cursor tell. */
  #settledCursor: string | undefined;
  /** Whether a load began before an answer that replaced the result. */
  #isLoadOld = false;

  constructor(public query: Query<T>) {}

  get isStale(): boolean {
    return this.#stale;
  }

  /** The result as it was loaded, without pending edits. */
  get loaded(): T | undefined {
    return this.#loaded;
  }

  /** Marks the result as stale, and reloads it if it has watchers. */
  invalidate(): void {
    this.#stale = true;
    if (this.watchers > 0) void this.refresh();
  }

  /** Invalidates the result if an event may have changed it, unless it contains what the event tells. */
  onEvent(event: LiveEvent): void {
    if (!this.query.invalidatedBy(event, this.#loaded)) return;
    if (this.#holds > 0) this.#heldEvents.push(event);
    else if (this.#settledCursor === undefined || !isUpTo(event, this.#settledCursor)) this.invalidate();
  }

  /**
   * Keeps events until the answer of a write is there: its own events come first, and the answer contains
   * what they tell. Returns a function that ends it; further calls do nothing.
   */
  hold(): () => void {
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      if (this.#holds > 0) return;
      for (const event of this.#heldEvents.splice(0)) this.onEvent(event);
    };
  }

  /** Reloads. If a load is already running, another one follows it: the running one may miss the change. */
  async refresh(): Promise<void> {
    if (this.#loading !== undefined) {
      this.#reloadRequested = true;
      return this.#loading;
    }
    this.#loading = this.#loadUntilCurrent().finally(() => {
      this.#loading = undefined;
      // Requested after the last load and before this.
      return this.#reloadRequested ? this.refresh() : undefined;
    });
    return this.#loading;
  }

  async #loadUntilCurrent(): Promise<void> {
    do {
      this.#reloadRequested = false;
      this.#stale = false;
      this.isLoading = this.#loaded === undefined;
      try {
        const value = await this.query.load();
        if (!this.#isLoadOld && !this.#isSuperseded(value)) this.#loaded = value;
        this.problem = undefined;
      } catch (error) {
        this.problem = asProblem(error);
        this.#stale = true;
      } finally {
        this.isLoading = false;
        this.#isLoadOld = false;
      }
    } while (this.#reloadRequested);
  }

  /** Whether a write has already answered with a newer revision than this. */
  #isSuperseded(value: T): boolean {
    const revision = this.query.revisionOf?.(value);
    return revision !== undefined && this.#writtenRevision !== undefined && revision < this.#writtenRevision;
  }

  /**
   * Takes the answer of a write as the result, so that it need not be fetched again.
   *
   * A load that is running may have been answered before the write; it is repeated, and its result is
   * dropped if its revision is older. The same holds for the answer of an earlier write that arrives late.
   * `cursor`: the answer contains what events up to it tell.
   */
  settle(value: T, cursor?: string): void {
    if (this.#isSuperseded(value)) return;
    this.#writtenRevision = this.query.revisionOf?.(value);
    this.#settledCursor = cursor;
    this.#loaded = value;
    this.problem = undefined;
    if (this.#loading === undefined) this.#stale = false;
    else {
      this.#reloadRequested = true;
      this.#isLoadOld = cursor !== undefined;
    }
  }

  /** Forgets the position of the last write: the server may have been restored from a backup. */
  forgetRevision(): void {
    this.#writtenRevision = undefined;
    this.#settledCursor = undefined;
  }

  /** Adds a pending edit on top of the result. Returns a function that removes it. */
  addOverlay(edit: (value: T) => T): () => void {
    this.#overlays = [...this.#overlays, edit];
    return () => {
      this.#overlays = this.#overlays.filter((other) => other !== edit);
    };
  }
}

export class Live {
  /** Whether the live connection is up. */
  isUp = $state(false);
  /** When the connection was lost; undefined while it is up and before it was first up. */
  downSince = $state.raw<Date | undefined>();
  /** The version of the server, once known. */
  version = $state<string | undefined>();
  #resources = new Map<string, Resource<unknown>>();

  /** The resource of a query. */
  resourceFor<T>(query: Query<T>): Resource<T> {
    const known = this.#resources.get(query.key) as Resource<T> | undefined;
    // A key in use moves to the end, so the first keys are the least recently used.
    this.#resources.delete(query.key);
    const resource = known ?? new Resource(query);
    resource.query = query;
    this.#resources.set(query.key, resource as Resource<unknown>);
    return resource;
  }

  /** Keeps a resource current. Returns a function that stops it. */
  watch<T>(resource: Resource<T>): () => void {
    resource.watchers += 1;
    if (resource.isStale) void resource.refresh();
    return () => {
      resource.watchers -= 1;
      this.#evict();
    };
  }

  /** Invalidates the resources that an event may have changed. */
  onEvent(event: LiveEvent): void {
    for (const resource of this.#resources.values()) {
      resource.onEvent(event);
    }
  }

  /** Invalidates everything: events may have been missed. */
  resync(): void {
    for (const resource of this.#resources.values()) {
      resource.forgetRevision();
      resource.invalidate();
    }
  }

  /** Invalidates the resources whose keys start with this prefix. */
  invalidatePrefix(prefix: string): void {
    for (const [key, resource] of this.#resources) {
      if (key.startsWith(prefix)) resource.invalidate();
    }
  }

  /** Drops all results, because another person may sign in. */
  clear(): void {
    this.#resources.clear();
    this.downSince = undefined;
  }

  #evict(): void {
    let spare = this.#resources.size - MAX_RESOURCES;
    for (const [key, resource] of this.#resources) {
      if (spare <= 0) return;
      if (resource.watchers === 0) {
        this.#resources.delete(key);
        spare -= 1;
      }
    }
  }
}

export const live = new Live();

/**
 * Runs a query for as long as the component exists, and switches when its key changes. While `query`
 * returns undefined, nothing is loaded.
 */
export function watch<T>(query: () => Query<T> | undefined): {
  readonly value: T | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  readonly resource: Resource<T> | undefined;
  refresh(): void;
} {
  // A new query object with the same key is not a change.
  const key = $derived(query()?.key);
  const resource = $derived.by(() => {
    if (key === undefined) return undefined;
    const current = query();
    return current === undefined ? undefined : live.resourceFor(current);
  });
  $effect(() => (resource === undefined ? undefined : live.watch(resource)));
  return {
    get value() {
      return resource?.value;
    },
    get problem() {
      return resource?.problem;
    },
    get isLoading() {
      return resource?.isLoading ?? false;
    },
    get resource() {
      return resource;
    },
    refresh() {
      void resource?.refresh();
    },
  };
}
