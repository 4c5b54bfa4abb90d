// A text of an import: what it becomes, and what the person corrected.

import { asProblem, type Problem } from "../../api/problem";
import { dateOrder } from "../../live/dateOrder.svelte";
import { NO_PROGRESS, planOf, refusedCorrection, type Progress } from "./api";
import { linesOf } from "./content";
import { moved, withCorrection, withoutPlace, type Made } from "./corrections";
import type { ColumnMeaning, Correction, DayOrder, Format, ImportPlan, PlanRequest } from "./types";
import { undoing } from "./undoing";

/** A correction that the server refused. */
export interface Refused {
  correction: Correction;
  problem: Problem;
}

/** Units: times. After so many refusals in a row a request is given up. */
const MAX_RETRIES = 5;

/** The statuses of the answer to a text that cannot be imported as it is. */
const REFUSALS: readonly number[] = [413, 422];

let lastId = 0;

/** What the person decided about a text. */
interface Decisions {
  name: string;
  text: string;
  format: Format | undefined;
  dayOrder: DayOrder;
  columns: readonly ColumnMeaning[] | undefined;
  made: readonly Made[];
}

/** A text, what it becomes, and what the person corrected. */
export class PlannedText {
  readonly id = ++lastId;
  readonly isPasted: boolean;
  /** The encoding that the file was read in, where its bytes do not say it. */
  readonly guessedEncoding: string | null;
  name = $state("");
  text = $state.raw("");
  lines = $state.raw<readonly string[]>([]);
  plan = $state.raw<ImportPlan | undefined>();
  /** The plan without the person's corrections. */
  base = $state.raw<ImportPlan | undefined>();
  /** The format that the content looks like. */
  detected = $state<Format | undefined>();
  format = $state<Format | undefined>();
  dayOrder = $state<DayOrder>(dateOrder.used);
  columns = $state.raw<readonly ColumnMeaning[] | undefined>();
  made = $state.raw<readonly Made[]>([]);
  isReading = $state(false);
  /** Whether what is being read is only what the person typed into the plan, so that it can be waited for. */
  isTaking = $state(false);
  /** The text while it is edited; undefined while its plan is shown. */
  draft = $state<string | undefined>();
  problem = $state.raw<Problem | undefined>();
  /** The server reads the text another way than the plan says. */
  isChanged = $state(false);
  refused = $state.raw<Refused | undefined>();
  progress = $state.raw<Progress>(NO_PROGRESS);
  /** The corrections of other ways to read the text. */
  readonly #aside = new Map<Format | undefined, readonly Made[]>();
  /** Whether its request was stopped before the answer. */
  isCutOff = false;
  #request: AbortController | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(name: string, text: string, kind: "file" | "pasted", guessedEncoding: string | null = null) {
    this.name = name;
    this.isPasted = kind === "pasted";
    this.guessedEncoding = guessedEncoding;
    this.#setText(text);
  }

  #setText(text: string): void {
    this.text = text;
    this.lines = linesOf(text);
  }

  /** What is sent; without a digest, a plan without corrections is requested. */
  request(digest: string | undefined): PlanRequest {
    const corrections = digest === undefined ? [] : this.made.map((one) => one.correction);
    return { name: this.name, text: this.text, format: this.format, dayOrder: this.dayOrder, digest, corrections, columns: this.columns };
  }

  /** Whether the person decided anything about it. */
  get hasDecisions(): boolean {
    return this.made.length > 0 || this.columns !== undefined || this.format !== undefined || this.hasUnreadText;
  }

  /** Whether there is something in it that the person could not simply drop here again. */
  get isWork(): boolean {
    return this.isPasted || this.hasDecisions;
  }

  /** Whether its text was edited and not read since. */
  get hasUnreadText(): boolean {
    return this.draft !== undefined && this.draft !== this.text;
  }

  /** Whether the server takes its text for no list, which another request does not change. */
  get isRefused(): boolean {
    return this.problem !== undefined && REFUSALS.includes(this.problem.status);
  }

  /** Whether it is a file of the computer that was refused as it is, before the person decided anything. */
  get isRefusedFile(): boolean {
    return this.isRefused && !this.isPasted && !this.hasDecisions && this.plan === undefined;
  }

  /** The format that the text is to be read as. */
  get readAsFormat(): Format | undefined {
    return this.format ?? this.detected;
  }

  /** The format that its plan was read in, where it cannot be read in the one that was chosen. */
  get readableFormat(): Format | undefined {
    return this.isRefused && this.plan?.format !== this.readAsFormat ? this.plan?.format : undefined;
  }

  /** The plan, unless the text is to be read in a way in which it cannot be. */
  get shownPlan(): ImportPlan | undefined {
    return this.readableFormat === undefined ? this.plan : undefined;
  }

  /** Whether its plan holds or soon will, without another decision of the person. */
  get isReady(): boolean {
    return this.plan !== undefined && (!this.isReading || this.isTaking) && !this.isChanged && this.problem === undefined;
  }

  /** Waits for what is being read. */
  async settled(): Promise<void> {
    for (let work: Promise<void> | undefined; work !== this.#work; ) {
      work = this.#work;
      await work;
    }
  }

  /** Reads the text again, and keeps the corrections that still fit. */
  read(): Promise<void> {
    return (this.#work = this.#read(false));
  }

  async #read(isTaking: boolean): Promise<void> {
    const signal = this.#begin(isTaking);
    this.isChanged = false;
    try {
      const base = await patiently(() => planOf(this.request(undefined), signal), signal);
      if (signal.aborted) return;
      this.base = base;
      if (this.format === undefined) this.detected = base.format;
      let plan = base;
      while (this.made.length > 0) {
        const request = this.request(base.digest);
        try {
          plan = await patiently(() => planOf(request, signal), signal);
          break;
        } catch (error) {
          const problem = asProblem(error);
          if (signal.aborted || problem.status !== 422) throw problem;
          const at = refusedCorrection(problem, request.corrections) ?? this.made.length - 1;
          this.made = this.made.toSpliced(at, 1);
        }
      }
      if (!signal.aborted) this.plan = plan;
    } catch (error) {
      this.#fail(error, signal);
    } finally {
      if (!signal.aborted) this.isReading = false;
    }
  }

  /** Makes another set of corrections; what the server refuses is reverted and shown. */
  #correct(made: readonly Made[]): void {
    this.#remember();
    this.#work = this.#take(made);
  }

  get #decisions(): Decisions {
    const { name, text, format, dayOrder, columns, made } = this;
    return { name, text, format, dayOrder, columns, made };
  }

  /** Makes what the person does next one step that can be undone. */
  #remember(): void {
    const before = this.#decisions;
    undoing.did(() => this.#restore(before));
  }

  /** Decides as before. Returns `false` if nothing is different, as after a correction that was refused. */
  #restore(before: Decisions): boolean {
    const { name, text, format, dayOrder, columns, made } = before;
    const isReadAlike =
      name === this.name && text === this.text && format === this.format && dayOrder === this.dayOrder && columns === this.columns;
    if (isReadAlike) {
      if (made === this.made) return false;
      this.#work = this.#take(made);
      return true;
    }
    if (text !== this.text) {
      this.#setText(text);
      this.#aside.clear();
    } else if (format !== this.format) this.#aside.set(this.format, this.made);
    this.name = name;
    this.format = format;
    this.dayOrder = dayOrder;
    this.columns = columns;
    this.made = made;
    void this.read();
    return true;
  }

  async #take(made: readonly Made[]): Promise<void> {
    const before = this.made;
    this.made = made;
    const base = this.base;
    if (base === undefined || this.isChanged) return;
    if (made.length === 0) {
      this.#begin(true);
      this.plan = base;
      this.isReading = false;
      return;
    }
    const signal = this.#begin(true);
    const request = this.request(base.digest);
    try {
      const plan = await patiently(() => planOf(request, signal), signal);
      if (!signal.aborted) this.plan = plan;
    } catch (error) {
      const problem = asProblem(error);
      if (signal.aborted) return;
      if (problem.status !== 422) return this.#fail(problem, signal);
      // What was just made goes. Without it, an earlier correction was refused.
      const last = made.findLast((one) => !before.includes(one));
      const at = refusedCorrection(problem, request.corrections) ?? made.length - 1;
      const refused = last ?? made[at];
      await this.#take(last === undefined ? made.toSpliced(at, 1) : before);
      if (refused !== undefined) this.refused = { correction: refused.correction, problem };
    } finally {
      if (!signal.aborted) this.isReading = false;
    }
  }

  #begin(isTaking: boolean): AbortSignal {
    this.#request?.abort();
    this.#request = new AbortController();
    // What was to be read again and is not yet is still not what the person saw.
    this.isTaking = isTaking && (this.isTaking || !this.isReading);
    this.isCutOff = false;
    this.isReading = true;
    this.problem = undefined;
    this.refused = undefined;
    return this.#request.signal;
  }

  #fail(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    const problem = asProblem(error);
    if (problem.status === 409) this.isChanged = true;
    else this.problem = problem;
  }

  /** Stops the request under way. */
  stop(): void {
    this.#request?.abort();
    this.isCutOff = this.isReading;
    this.isReading = false;
  }

  correct(correction: Correction, about: string): void {
    this.#correct(withCorrection(this.made, { correction, about }));
  }

  /** Makes several corrections, which are undone together. */
  correctAll(all: readonly Made[]): void {
    this.#correct(all.reduce((made: readonly Made[], one) => withCorrection(made, one), this.made));
  }

  undo(made: Made): void {
    this.undoAll([made]);
  }

  undoAll(made: readonly Made[]): void {
    this.#correct(this.made.filter((one) => !made.includes(one)));
  }

  /** Undoes what the person said about the place of some lines. Returns whether there was anything. */
  undoPlace(from: number, to: number): boolean {
    const made = withoutPlace(this.made, from, to);
    if (made.length === this.made.length) return false;
    this.#correct(made);
    return true;
  }

  /** Takes back what was left out at some lines, now or by an earlier import. */
  putBack(from: number, to: number, about: string): void {
    if (this.undoPlace(from, to)) return;
    const lines = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    this.correctAll(lines.map((line) => ({ correction: { line, edit: "putBack" }, about })));
  }

  /** Reads the text as another format. Each format has its own corrections. */
  readAs(format: Format): void {
    const wanted = format === this.detected ? undefined : format;
    if (wanted === this.format) return;
    this.#remember();
    this.#aside.set(this.format, this.made);
    this.made = this.#aside.get(wanted) ?? [];
    this.format = wanted;
    this.columns = undefined;
    void this.read();
  }

  setDayOrder(order: DayOrder): void {
    if (order === this.dayOrder) return;
    this.#remember();
    this.dayOrder = order;
    void this.read();
  }

  setColumn(at: number, column: ColumnMeaning): void {
    this.#remember();
    const now = this.plan?.sheet?.columns.map((one) => one.column) ?? [];
    this.columns = now.with(at, column);
    void this.read();
  }

  /** Opens the text in a field. */
  openText(): void {
    this.draft = this.text;
  }

  /** Closes the field and reads what was changed in it. */
  readDraft(): void {
    const { draft } = this;
    this.draft = undefined;
    if (draft !== undefined && draft !== this.text) this.edit(draft);
  }

  /** Reads an edited text; corrections move with their lines. */
  edit(text: string): void {
    this.#remember();
    const before = this.lines;
    this.#setText(text);
    this.made = moved(this.made, before, this.lines);
    this.#aside.clear();
    void this.read();
  }

  rename(name: string): void {
    if (name.trim() === "" || name === this.name) return;
    this.#remember();
    this.name = name.trim();
    this.#work = this.#read(true);
  }
}

/** Tries again when the server asks for patience. */
async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let n = 0; ; n += 1) {
    try {
      return await ask();
    } catch (error) {
      const problem = asProblem(error);
      if (problem.status !== 429 || n === MAX_RETRIES || signal.aborted) throw problem;
      await new Promise((go) => setTimeout(go, (problem.retryAfter ?? 1) * 1000));
    }
  }
}
