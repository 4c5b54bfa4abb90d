// The rows of the task list: read page by page, kept current, and still while somebody is at them.

import { asProblem, type Problem } from "../../api/problem";
import type { LiveEvent } from "../../live/socket";
import { readPage, readRow, type Row } from "./data";
import { fits, type Filters, type Segment } from "./filters";
import { apply, countNew, drop, keepOrder, missing, type Part } from "./parts";

const FIRST = 100;
const NEXT = 200;
/** Up to so many rows the list is read anew after an event; beyond, only the rows that were touched. */
const READ_WHOLE = 180;
/** So many touched rows are read one by one; more are only told of. */
const READ_EACH = 12;
/** Units: milliseconds. */
const QUIET = 600;

/** Those that are deleted where live ones are shown, or live where deleted ones are. */
function goneOf(ids: readonly string[], read: readonly PromiseSettledResult<Row | undefined>[], isDeletedShown: boolean): Set<string> {
  return new Set(
    ids.filter((_, at) => {
      const one = read[at];
      return one?.status === "fulfilled" && (one.value === undefined || (one.value.deletedAt !== null) !== isDeletedShown);
    }),
  );
}

export class TaskList {
  #parts = $state.raw<Part[]>([]);
  #edits = $state.raw<Map<string, Partial<Row>>>(new Map());
  #waiting = $state.raw<Part[] | undefined>();
  #unseen = $state.raw<ReadonlySet<string>>(new Set());
  problem = $state.raw<Problem | undefined>();
  isReading = $state(false);
  /** Whether anything was read yet. */
  isKnown = $state(false);
  #isHeld = false;
  #filters: Filters | undefined;
  #key = "";
  #asked = 0;
  #touched = new Set<string>();
  #expected = new Set<string>();
  #readAt = 0;

  /** The parts to show: up to the first that has more to read, with edits on their way laid over. */
  parts: Part[] = $derived.by(() => {
    const end = this.#parts.findIndex((part) => part.next !== null);
    const shown = end === -1 ? this.#parts : this.#parts.slice(0, end + 1);
    return this.#edits.size === 0 ? shown : shown.map((part) => apply(part, this.#edits));
  });
  count = $derived(this.parts.reduce((sum, part) => sum + part.rows.length, 0));
  /** Whether the last row is the last there is. */
  isWhole = $derived(this.#parts.every((part) => part.next === null));
  /** Rows that wait to be shown because the list is held. */
  fresh: number = $derived(
    this.#unseen.size + (this.#waiting === undefined ? 0 : countNew(this.#parts, this.#waiting)),
  );

  get key(): string {
    return this.#key;
  }

  /** Shows something else; what is there stays until the first rows of it have come. */
  async show(key: string, filters: Filters, segments: readonly Segment[]): Promise<void> {
    this.#key = key;
    this.#filters = filters;
    const asked = ++this.#asked;
    this.isReading = true;
    try {
      const parts = await Promise.all(segments.map((segment) => this.#begin(segment, FIRST)));
      if (asked !== this.#asked) return;
      this.#take(parts);
      this.problem = undefined;
    } catch (error) {
      if (asked === this.#asked) this.problem = asProblem(error);
    } finally {
      if (asked === this.#asked) this.isReading = false;
    }
  }

  async #begin(segment: Segment, limit: number): Promise<Part> {
    const page = await readPage(segment, limit, undefined);
    return { segment, rows: page.items, next: page.nextCursor };
  }

  #take(parts: Part[]): void {
    this.#parts = parts;
    this.#waiting = undefined;
    this.#unseen = new Set();
    this.isKnown = true;
    this.#readAt = Date.now();
  }

  /** Reads the next page, if there is one. */
  async more(): Promise<void> {
    const part = this.#parts.find((one) => one.next !== null);
    if (part === undefined || part.next === null || this.isReading) return;
    const asked = this.#asked;
    this.isReading = true;
    try {
      const page = await readPage(part.segment, NEXT, part.next);
      if (asked !== this.#asked) return;
      const known = new Set(part.rows.map((row) => row.id));
      const longer = {
        ...part,
        rows: [...part.rows, ...page.items.filter((row) => !known.has(row.id))],
        next: page.nextCursor,
      };
      this.#parts = this.#parts.map((one) => (one.segment.key === part.segment.key ? longer : one));
      this.problem = undefined;
    } catch (error) {
      if (asked === this.#asked) this.problem = asProblem(error);
    } finally {
      if (asked === this.#asked) this.isReading = false;
    }
  }

  /** Whether an event concerns the list; remembers which rows. */
  hears(event: LiveEvent): boolean {
    for (const task of event.tasks) this.#touched.add(task);
    return event.tasks.length > 0;
  }

  /** Brings what is shown up to date: all of it, or what events touched when it is long. */
  async renew(): Promise<void> {
    const wait = this.#readAt + QUIET - Date.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    if (!this.isKnown || this.isReading) return;
    const touched = this.#touched;
    this.#touched = new Set();
    this.#readAt = Date.now();
    const rows = this.#parts.reduce((sum, part) => sum + part.rows.length, 0);
    if (rows > READ_WHOLE) return this.#renewRows(touched);
    const asked = this.#asked;
    try {
      const fresh = await Promise.all(
        this.#parts.map((part) => this.#begin(part.segment, Math.min(NEXT, Math.max(FIRST, part.rows.length + 20)))),
      );
      if (asked !== this.#asked) return;
      if (!this.#isHeld || this.#brings(fresh)) return this.#take(fresh);
      this.#waiting = fresh;
      this.#parts = keepOrder(this.#parts, fresh);
      await this.#dropDeleted(missing(this.#parts, fresh));
    } catch {
      // What is shown stays; the line tells when the server is away.
    }
  }

  /** A row comes by the hand of the person: it is shown as soon as it is read, whatever is held. */
  expect(id: string): void {
    this.#expected.add(id);
  }

  #brings(fresh: readonly Part[]): boolean {
    const came = fresh.flatMap((part) => part.rows.map((row) => row.id)).filter((id) => this.#expected.delete(id));
    return came.length > 0;
  }

  /** The order is held, not the existence: of rows that are shown no more, the deleted ones go. */
  async #dropDeleted(ids: readonly string[]): Promise<void> {
    const asked = this.#asked;
    // More at once than can be asked for: what the server shows is taken as it is.
    const isMany = ids.length > READ_EACH;
    const read = await Promise.allSettled(isMany ? [] : ids.map((id) => readRow(id)));
    const gone = isMany ? new Set(ids) : goneOf(ids, read, this.#filters?.deleted ?? false);
    if (asked === this.#asked && gone.size > 0) this.#parts = this.#parts.map((part) => drop(part, gone));
  }

  async #renewRows(touched: ReadonlySet<string>): Promise<void> {
    const filters = this.#filters;
    if (filters === undefined) return;
    const ids = [...touched].slice(0, READ_EACH);
    const asked = this.#asked;
    const read = await Promise.allSettled(ids.map((id) => readRow(id)));
    if (asked !== this.#asked) return;
    const gone = goneOf(ids, read, filters.deleted);
    const rows = read.map((one) => (one.status === "fulfilled" ? one.value : undefined));
    const known = new Set(this.#parts.flatMap((part) => part.rows.map((row) => row.id)));
    const fresh = new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.id, row] as const])));
    const now = new Date();
    const unseen = new Set(this.#unseen);
    for (const row of fresh.values()) {
      if (!known.has(row.id) && filters.q === "" && fits(row, filters, now)) unseen.add(row.id);
    }
    this.#unseen = unseen;
    this.#parts = this.#parts.map((part) => drop(apply(part, fresh), gone));
  }

  /** The order stays while the pointer or the focus is in the list. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld && this.#waiting !== undefined) this.#take(this.#waiting);
  }

  /** Shows what waits. */
  async release(): Promise<void> {
    if (this.#waiting !== undefined) return this.#take(this.#waiting);
    const filters = this.#filters;
    if (filters !== undefined) await this.show(this.#key, filters, this.#parts.map((part) => part.segment));
  }

  /** Lays an edit over a row; gives what takes it off. */
  lay(id: string, edit: Partial<Row>): () => void {
    this.#edits = new Map(this.#edits).set(id, { ...this.#edits.get(id), ...edit });
    return () => {
      const rest = new Map(this.#edits);
      rest.delete(id);
      this.#edits = rest;
    };
  }

  /** Puts in what the server said of a row. */
  settle(id: string, edit: Partial<Row>): void {
    this.#parts = this.#parts.map((part) => apply(part, new Map([[id, edit]])));
    this.#touched.add(id);
    void this.renew();
  }
}
