// The one live store: what was read from the server, kept current while somebody looks at it.
//
// A resource is what one question was answered. Events of the line say which of them to ask again;
// edits lie over it until the server has said the same. What nobody looks at is kept for a while, so
// that going back shows it at once.

import { Problem, asProblem } from "../api/problem";
import type { LiveEvent } from "./socket";

/** A question to the server, and what makes its answer old. */
export interface Question<T> {
  /** Two questions with one key are one. */
  key: string;
  load: () => Promise<T>;
  /** Whether an event may have changed the answer. */
  on: (event: LiveEvent) => boolean;
}

/** Answers that nobody looks at are kept up to this number. */
const KEPT = 80;

export class Resource<T> {
  #read = $state.raw<T | undefined>();
  #over = $state.raw<((value: T) => T)[]>([]);
  /** Why the last reading failed; what was read before stays. */
  problem = $state.raw<Problem | undefined>();
  /** Whether it is being read for the first time. */
  isLoading = $state(false);
  /** What is shown: what was read, with the edits that are on their way laid over it. */
  get value(): T | undefined {
    // Not a derived: it would belong to the component that asked first, and end with it.
    const [read, over] = [this.#read, this.#over];
    if (read !== this.#laid.read || over !== this.#laid.over) {
      const value = read === undefined ? undefined : over.reduce<T>((now, edit) => edit(now), read);
      this.#laid = { read, over, value };
    }
    return this.#laid.value;
  }

  #laid: { read: T | undefined; over: ((value: T) => T)[]; value: T | undefined } = { read: undefined, over: [], value: undefined };
  watchers = 0;
  #stale = true;
  #reading: Promise<void> | undefined;
  #again = false;

  constructor(public question: Question<T>) {}

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
    if (this.#reading !== undefined) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#readUntilCurrent().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readUntilCurrent(): Promise<void> {
    do {
      this.#again = false;
      this.#stale = false;
      this.isLoading = this.#read === undefined;
      try {
        const value = await this.question.load();
        this.#read = value;
        this.problem = undefined;
      } catch (error) {
        this.problem = asProblem(error);
        this.#stale = true;
      } finally {
        this.isLoading = false;
      }
    } while (this.#again);
  }

  /** Puts an answer in that came by another way, such as that of an edit. */
  settle(value: T): void {
    this.#read = value;
    this.problem = undefined;
  }

  /** Lays an edit over what was read; gives what takes it off again. */
  lay(edit: (value: T) => T): () => void {
    this.#over = [...this.#over, edit];
    return () => {
      this.#over = this.#over.filter((other) => other !== edit);
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
  of<T>(question: Question<T>): Resource<T> {
    const known = this.#resources.get(question.key) as Resource<T> | undefined;
    // Keys in use move to the end: the first are those that were not looked at for longest.
    this.#resources.delete(question.key);
    const resource = known ?? new Resource(question);
    resource.question = question;
    this.#resources.set(question.key, resource as Resource<unknown>);
    return resource;
  }

  /** Keeps a resource current until what it gives is called. */
  watch<T>(resource: Resource<T>): () => void {
    resource.watchers += 1;
    if (resource.isStale) void resource.refresh();
    return () => {
      resource.watchers -= 1;
      this.#forget();
    };
  }

  /** Something happened: whatever it touches is read again. */
  hear(event: LiveEvent): void {
    for (const resource of this.#resources.values()) {
      if (resource.question.on(event)) resource.invalidate();
    }
  }

  /** Reads again whatever is looked at, and marks the rest as old. */
  resync(): void {
    for (const resource of this.#resources.values()) resource.invalidate();
  }

  /** Whatever has a key with this beginning is read again. */
  touch(prefix: string): void {
    for (const [key, resource] of this.#resources) {
      if (key.startsWith(prefix)) resource.invalidate();
    }
  }

  /** Forgets all of it: somebody else may sit here now. */
  clear(): void {
    this.#resources.clear();
    this.downSince = undefined;
  }

  #forget(): void {
    let spare = this.#resources.size - KEPT;
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
export function watch<T>(question: () => Question<T> | undefined): {
  readonly value: T | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  readonly resource: Resource<T> | undefined;
  refresh(): void;
} {
  // A question made anew with the same key is no change.
  const key = $derived(question()?.key);
  const resource = $derived.by(() => {
    if (key === undefined) return undefined;
    const asked = question();
    return asked === undefined ? undefined : live.of(asked);
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
