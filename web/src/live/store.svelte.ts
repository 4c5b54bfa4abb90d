// The one live store: what was read from the server, kept current while somebody looks at it.
//
// A resource is what one question was answered. Events of the line say which of them to ask again;
// edits lie over it until the server has said the same. What nobody looks at is kept for a while, so
// that going back shows it at once.

import { Problem, asProblem } from "../api/problem";
import type { LiveEvent } from "./socket";

/** A question to the server, and what makes its answer old. */
export interface Query<T> {
  /** Two questions with one key are one. */
  key: string;
  load: () => Promise<T>;
  /** Whether an event may have changed the answer. */
  invalidatedBy: (event: LiveEvent) => boolean;
}

/** Answers that nobody looks at are kept up to this number. */
const MAX_RESOURCES = 80;

export class Resource<T> {
  #loaded = $state.raw<T | undefined>();
  #overlays = $state.raw<((value: T) => T)[]>([]);
  /** Why the last reading failed; what was read before stays. */
  problem = $state.raw<Problem | undefined>();
  /** Whether it is being read for the first time. */
  isLoading = $state(false);
  /** What is shown: what was read, with the edits that are on their way laid over it. */
  get value(): T | undefined {
    // Not a derived: it would belong to the component that asked first, and end with it.
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

  constructor(public query: Query<T>) {}

  get isStale(): boolean {
    return this.#stale;
  }

  /** Marks it as old; read again at once when somebody looks. */
  invalidate(): void {
    this.#stale = true;
    if (this.watchers > 0) void this.refresh();
  }

  /** Reads it again. Asked while it is being read, it is read once more behind that. */
  async refresh(): Promise<void> {
    if (this.#loading !== undefined) {
      this.#reloadRequested = true;
      return this.#loading;
    }
    this.#loading = this.#loadUntilCurrent().finally(() => {
      this.#loading = undefined;
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
        this.#loaded = value;
        this.problem = undefined;
      } catch (error) {
        this.problem = asProblem(error);
        this.#stale = true;
      } finally {
        this.isLoading = false;
      }
    } while (this.#reloadRequested);
  }

  /** Puts an answer in that came by another way, such as that of an edit. */
  settle(value: T): void {
    this.#loaded = value;
    this.problem = undefined;
  }

  /** Lays an edit over what was read; gives what takes it off again. */
  addOverlay(edit: (value: T) => T): () => void {
    this.#overlays = [...this.#overlays, edit];
    return () => {
      this.#overlays = this.#overlays.filter((other) => other !== edit);
    };
  }
}

export class Live {
  /** Whether the line to the server stands. */
  isUp = $state(false);
  /** When it broke; none while it stands or before it first stood. */
  downSince = $state.raw<Date | undefined>();
  /** The version of the server, once it is known. */
  version = $state<string | undefined>();
  #resources = new Map<string, Resource<unknown>>();

  /** The resource of a question. */
  resourceFor<T>(query: Query<T>): Resource<T> {
    const known = this.#resources.get(query.key) as Resource<T> | undefined;
    // Keys in use move to the end: the first are those that were not looked at for longest.
    this.#resources.delete(query.key);
    const resource = known ?? new Resource(query);
    resource.query = query;
    this.#resources.set(query.key, resource as Resource<unknown>);
    return resource;
  }

  /** Keeps a resource current until what it gives is called. */
  watch<T>(resource: Resource<T>): () => void {
    resource.watchers += 1;
    if (resource.isStale) void resource.refresh();
    return () => {
      resource.watchers -= 1;
      this.#evict();
    };
  }

  /** Something happened: whatever it touches is read again. */
  onEvent(event: LiveEvent): void {
    for (const resource of this.#resources.values()) {
      if (resource.query.invalidatedBy(event)) resource.invalidate();
    }
  }

  /** Reads again whatever is looked at, and marks the rest as old. */
  resync(): void {
    for (const resource of this.#resources.values()) resource.invalidate();
  }

  /** Whatever has a key with this beginning is read again. */
  invalidatePrefix(prefix: string): void {
    for (const [key, resource] of this.#resources) {
      if (key.startsWith(prefix)) resource.invalidate();
    }
  }

  /** Forgets all of it: somebody else may sit here now. */
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
 * A question of a component: asked while the component stands, and another one as soon as its key is
 * another. None is asked while there is none.
 */
export function watch<T>(query: () => Query<T> | undefined): {
  readonly value: T | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  readonly resource: Resource<T> | undefined;
  refresh(): void;
} {
  // A question made anew with the same key is no change.
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
