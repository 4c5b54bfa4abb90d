// The rows of the task list: loaded page by page, kept current, and held still while someone is working
// in it.

import { asProblem, type Problem } from "../../api/problem";
import type { LiveEvent } from "../../live/socket";
import { readPage, readRow, type Row } from "./data";
import { matchesFilters, type Filters, type Segment } from "./filters";
import { applyEdits, countNew, dropRows, keepOrder, missingIds, type LoadedSegment } from "./segments";

const FIRST = 100;
const NEXT = 200;
/** Up to this many rows, the whole list is reloaded after an event; beyond, only the affected rows. */
const MAX_FULL_RELOAD = 180;
/** Up to this many affected rows are reloaded one by one; of more, only the number is shown. */
const MAX_SINGLE_READS = 12;
/** Units: milliseconds. */
const MIN_INTERVAL = 600;

/** Rows that are deleted while live ones are shown, or live while deleted ones are shown. */
function goneOf(ids: readonly string[], read: readonly PromiseSettledResult<Row | undefined>[], isDeletedShown: boolean): Set<string> {
  return new Set(
    ids.filter((_, at) => {
      const one = read[at];
      return one?.status === "fulfilled" && (one.value === undefined || (one.value.deletedAt !== null) !== isDeletedShown);
    }),
  );
}

export class TaskList {
  #segments = $state.raw<LoadedSegment[]>([]);
  #edits = $state.raw<Map<string, Partial<Row>>>(new Map());
  #waiting = $state.raw<LoadedSegment[] | undefined>();
  #unseen = $state.raw<ReadonlySet<string>>(new Set());
  problem = $state.raw<Problem | undefined>();
  isReading = $state(false);
  /** Whether anything has been loaded. */
  isKnown = $state(false);
  #isHeld = false;
  #filters: Filters | undefined;
  #key = "";
  #requestId = 0;
  #touched = new Set<string>();
  #expected = new Set<string>();
  #readAt = 0;

  /** The segments to show: up to the first incomplete one, with pending edits applied. */
  segments: LoadedSegment[] = $derived.by(() => {
    const end = this.#segments.findIndex((part) => part.next !== null);
    const shown = end === -1 ? this.#segments : this.#segments.slice(0, end + 1);
    return this.#edits.size === 0 ? shown : shown.map((part) => applyEdits(part, this.#edits));
  });
  count = $derived(this.segments.reduce((sum, part) => sum + part.rows.length, 0));
  /** Whether the last row has been loaded. */
  isWhole = $derived(this.#segments.every((part) => part.next === null));
  /** Rows that wait to be shown because the list is held still. */
  newCount: number = $derived(
    this.#unseen.size + (this.#waiting === undefined ? 0 : countNew(this.#segments, this.#waiting)),
  );

  get key(): string {
    return this.#key;
  }

  /** Shows another list. The current one stays until the first rows have arrived. */
  async show(key: string, filters: Filters, segments: readonly Segment[]): Promise<void> {
    this.#key = key;
    this.#filters = filters;
    const requestId = ++this.#requestId;
    this.isReading = true;
    try {
      const loaded = await Promise.all(segments.map((segment) => this.#begin(segment, FIRST)));
      if (requestId !== this.#requestId) return;
      this.#take(loaded);
      this.problem = undefined;
    } catch (error) {
      if (requestId === this.#requestId) this.problem = asProblem(error);
    } finally {
      if (requestId === this.#requestId) this.isReading = false;
    }
  }

  async #begin(segment: Segment, limit: number): Promise<LoadedSegment> {
    const page = await readPage(segment, limit, undefined);
    return { segment, rows: page.items, next: page.nextCursor };
  }

  #take(segments: LoadedSegment[]): void {
    this.#segments = segments;
    this.#waiting = undefined;
    this.#unseen = new Set();
    this.isKnown = true;
    this.#readAt = Date.now();
  }

  /** Loads the next page, if there is one. */
  async more(): Promise<void> {
    const part = this.#segments.find((one) => one.next !== null);
    if (part === undefined || part.next === null || this.isReading) return;
    const requestId = this.#requestId;
    this.isReading = true;
    try {
      const page = await readPage(part.segment, NEXT, part.next);
      if (requestId !== this.#requestId) return;
      const known = new Set(part.rows.map((row) => row.id));
      const longer = {
        ...part,
        rows: [...part.rows, ...page.items.filter((row) => !known.has(row.id))],
        next: page.nextCursor,
      };
      this.#segments = this.#segments.map((one) => (one.segment.key === part.segment.key ? longer : one));
      this.problem = undefined;
    } catch (error) {
      if (requestId === this.#requestId) this.problem = asProblem(error);
    } finally {
      if (requestId === this.#requestId) this.isReading = false;
    }
  }

  /** Whether an event concerns the list; remembers the affected rows. */
  noteEvent(event: LiveEvent): boolean {
    for (const task of event.tasks) this.#touched.add(task);
    return event.tasks.length > 0;
  }

  /** Updates what is shown: all of it, or only the affected rows of a long list. */
  async renew(): Promise<void> {
    const wait = this.#readAt + MIN_INTERVAL - Date.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    if (!this.isKnown || this.isReading) return;
    const touched = this.#touched;
    this.#touched = new Set();
    this.#readAt = Date.now();
    const rows = this.#segments.reduce((sum, part) => sum + part.rows.length, 0);
    if (rows > MAX_FULL_RELOAD) return this.#renewRows(touched);
    const requestId = this.#requestId;
    try {
      const newCount = await Promise.all(
        this.#segments.map((part) => this.#begin(part.segment, Math.min(NEXT, Math.max(FIRST, part.rows.length + 20)))),
      );
      if (requestId !== this.#requestId) return;
      if (!this.#isHeld || this.#hasExpected(newCount)) return this.#take(newCount);
      this.#waiting = newCount;
      this.#segments = keepOrder(this.#segments, newCount);
      await this.#dropDeleted(missingIds(this.#segments, newCount));
    } catch {
      // Keep what is shown; the connection reports that the server is unreachable.
    }
  }

  /**
   * Expects a row because of something the person did: it is shown once loaded, even if the list is held
   * still.
   */
  expectRow(id: string): void {
    this.#expected.add(id);
  }

  #hasExpected(newCount: readonly LoadedSegment[]): boolean {
    const came = newCount.flatMap((part) => part.rows.map((row) => row.id)).filter((id) => this.#expected.delete(id));
    return came.length > 0;
  }

  /** Holding keeps the order, not deleted rows: remove those. */
  async #dropDeleted(ids: readonly string[]): Promise<void> {
    const requestId = this.#requestId;
    // Too many to check one by one: take the server's list as it is.
    const isMany = ids.length > MAX_SINGLE_READS;
    const read = await Promise.allSettled(isMany ? [] : ids.map((id) => readRow(id)));
    const gone = isMany ? new Set(ids) : goneOf(ids, read, this.#filters?.deleted ?? false);
    if (requestId === this.#requestId && gone.size > 0) this.#segments = this.#segments.map((part) => dropRows(part, gone));
  }

  async #renewRows(touched: ReadonlySet<string>): Promise<void> {
    const filters = this.#filters;
    if (filters === undefined) return;
    const ids = [...touched].slice(0, MAX_SINGLE_READS);
    const requestId = this.#requestId;
    const read = await Promise.allSettled(ids.map((id) => readRow(id)));
    if (requestId !== this.#requestId) return;
    const gone = goneOf(ids, read, filters.deleted);
    const rows = read.map((one) => (one.status === "fulfilled" ? one.value : undefined));
    const known = new Set(this.#segments.flatMap((part) => part.rows.map((row) => row.id)));
    const newCount = new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.id, row] as const])));
    const now = new Date();
    const unseen = new Set(this.#unseen);
    for (const row of newCount.values()) {
      if (!known.has(row.id) && filters.q === "" && matchesFilters(row, filters, now)) unseen.add(row.id);
    }
    this.#unseen = unseen;
    this.#segments = this.#segments.map((part) => dropRows(applyEdits(part, newCount), gone));
  }

  /** Keeps the order while the pointer or the focus is in the list. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld && this.#waiting !== undefined) this.#take(this.#waiting);
  }

  /** Shows the waiting rows. */
  async release(): Promise<void> {
    if (this.#waiting !== undefined) return this.#take(this.#waiting);
    const filters = this.#filters;
    if (filters !== undefined) await this.show(this.#key, filters, this.#segments.map((part) => part.segment));
  }

  /** Adds a pending edit to a row. Returns a function that removes it. */
  addOverlay(id: string, edit: Partial<Row>): () => void {
    this.#edits = new Map(this.#edits).set(id, { ...this.#edits.get(id), ...edit });
    return () => {
      const rest = new Map(this.#edits);
      rest.delete(id);
      this.#edits = rest;
    };
  }

  /** Applies what the server said about a row. */
  settle(id: string, edit: Partial<Row>): void {
    this.#segments = this.#segments.map((part) => applyEdits(part, new Map([[id, edit]])));
    this.#touched.add(id);
    void this.renew();
  }
}
