// What words mean to the server, requested while they are typed: a date, a schedule, or a whole task in one line.

import { getFor, type Schemas } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import { wording } from "./dateOrder.svelte";

export type UnderstoodDate = Schemas["UnderstoodDate"];
export type QuickAdd = Schemas["QuickAdd"];

/** The day that a task is due by: of a range the last one, as in a task that is written in one line. */
export function dueDay(date: UnderstoodDate): string | null {
  return date.endDay ?? date.day;
}

/** Units: milliseconds. The pause in typing after which a request is sent. */
const PAUSE_MS = 180;

/** The answer about the words typed last. */
export class Understanding<T> {
  value = $state.raw<T | undefined>();
  problem = $state.raw<Problem | undefined>();
  isAsking = $state(false);
  readonly #path: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #request: AbortController | undefined;
  #text = "";
  /** The text that the answer is about. */
  #answered = "";
  #reply: Promise<void> = Promise.resolve();

  constructor(path: "/api/dates" | "/api/quick-add" | "/api/schedules") {
    this.#path = path;
  }

  /** Asks about a text once typing pauses. */
  type(text: string): void {
    const wanted = text.trim();
    if (wanted === this.#text) return;
    this.stop();
    this.#text = wanted;
    this.problem = undefined;
    if (wanted === "") {
      this.value = undefined;
      this.#answered = "";
      return;
    }
    this.isAsking = true;
    this.#timer = setTimeout(() => void this.#ask(), PAUSE_MS);
  }

  /** The answer about the text typed last, at once. Undefined if there is none. */
  async settled(): Promise<T | undefined> {
    if (this.#text === "") return undefined;
    if (this.#answered !== this.#text && this.problem === undefined) {
      clearTimeout(this.#timer);
      if (this.#request === undefined) void this.#ask();
      await this.#reply;
    }
    return this.#answered === this.#text ? this.value : undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#request?.abort();
    this.#request = undefined;
    this.isAsking = false;
  }

  #ask(): Promise<void> {
    const text = this.#text;
    const request = new AbortController();
    this.#request = request;
    this.#reply = getFor<T>(`${this.#path}?${new URLSearchParams({ text, ...wording() })}`, request.signal).then(
      (value) => {
        if (request.signal.aborted) return;
        this.value = value;
        this.#answered = text;
        this.isAsking = false;
      },
      (error: unknown) => {
        if (request.signal.aborted) return;
        this.value = undefined;
        this.problem = asProblem(error);
        this.isAsking = false;
      },
    );
    return this.#reply;
  }
}
