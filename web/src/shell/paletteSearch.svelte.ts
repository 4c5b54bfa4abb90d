// What the command palette finds.

import { api, unwrap, type Schemas } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { IconName } from "../ui/icons";

export interface PaletteEntry {
  id: string;
  icon: IconName;
  text: string;
  hint?: string;
  run: () => void;
}

export interface PaletteGroup {
  name: string;
  entries: readonly PaletteEntry[];
}

/** Whether each typed word is the start of a word in the text. */
export function matchesWords(typed: string, text: string): boolean {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== "")
    .every((part) => words.some((word) => word.startsWith(part)));
}

const MAX_TASKS = 6;

/** Searches once typing pauses. */
export class PaletteSearch {
  tasks = $state.raw<readonly Pick<Schemas["TaskRow"], "id" | "title" | "status">[]>([]);
  agents = $state.raw<readonly Schemas["Agent"][]>([]);
  isAsking = $state(false);
  /** Why the search failed. */
  problem = $state.raw<Problem | undefined>();
  #requestId = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  type(typed: string): void {
    clearTimeout(this.#timer);
    const requestId = ++this.#requestId;
    const words = typed.trim();
    this.isAsking = words !== "";
    if (words === "") {
      this.tasks = [];
      this.agents = [];
      this.problem = undefined;
      return;
    }
    this.#timer = setTimeout(() => void this.#unwrap(words, requestId), 150);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#requestId += 1;
  }

  async #unwrap(words: string, requestId: number): Promise<void> {
    const query = { q: words, limit: MAX_TASKS };
    const [tasks, agents] = await Promise.allSettled([
      unwrap(api.GET("/api/journal/tasks", { params: { query } })),
      unwrap(api.GET("/api/agents", { params: { query: { find: words } } })),
    ]);
    if (requestId !== this.#requestId) return;
    this.tasks = tasks.status === "fulfilled" ? tasks.value.items.slice(0, MAX_TASKS) : [];
    this.agents = agents.status === "fulfilled" ? agents.value.items.slice(0, 4) : [];
    const failed = [tasks, agents].find((one) => one.status === "rejected");
    this.problem = failed === undefined ? undefined : asProblem(failed.reason);
    this.isAsking = false;
  }
}
