// A list whose first page is live; older pages are loaded on request.

import { asProblem, type Problem } from "../../api/problem";
import type { Paged } from "./data";

export class PagedList<T> {
  items = $state.raw<T[]>([]);
  problem = $state.raw<Problem | undefined>();
  isLoading = $state(false);
  #next = $state.raw<string | null | undefined>();

  constructor(private readonly load: (cursor: string) => Promise<Paged<T>>) {}

  /** Where the next page starts, given the first page. */
  next(first: Paged<T> | undefined): string | null {
    return this.#next === undefined ? (first?.nextCursor ?? null) : this.#next;
  }

  async more(first: Paged<T> | undefined): Promise<void> {
    const cursor = this.next(first);
    if (cursor === null || this.isLoading) return;
    this.isLoading = true;
    try {
      const page = await this.load(cursor);
      this.items = [...this.items, ...page.items];
      this.#next = page.nextCursor;
      this.problem = undefined;
    } catch (error) {
      this.problem = asProblem(error);
    } finally {
      this.isLoading = false;
    }
  }
}
