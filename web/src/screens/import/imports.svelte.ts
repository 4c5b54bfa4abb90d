// The import in this tab: its texts, their plans and corrections, then its progress. It outlives the
// page of the plan, so that a look at another screen loses nothing.

import { asProblem, Problem } from "../../api/problem";
import { router } from "../../app/router.svelte";
import { toasts } from "../../app/toasts.svelte";
import { t } from "../../i18n/index.svelte";
import { dateOrder } from "../../live/dateOrder.svelte";
import { live } from "../../live/store.svelte";
import { applyLine, decoded, NO_PROGRESS, planOf, refusedCorrection, write, type Progress } from "./api";
import { canBeText, freeName, laidOut, linesOf, MAX_BYTES, pastedName, SAMPLE_BYTES, utf8Text } from "./content";
import { moved, withCorrection, withoutPlace, type Made } from "./corrections";
import type { AgentsFor, ColumnMeaning, Correction, DayOrder, Format, ImportPlan, PlanRequest, PlanTask } from "./types";

/** A file as the browser hands it over. */
export interface Source {
  name: string;
  size: number;
  /** Some of its bytes, from the first. */
  head: (bytes: number) => Promise<Uint8Array>;
  bytes: () => Promise<Uint8Array<ArrayBuffer>>;
}

/** A file of the computer. `name` may hold the folders above it. */
export function sourceOf(file: File, name: string = file.name): Source {
  return {
    name,
    size: file.size,
    head: async (bytes) => new Uint8Array(await file.slice(0, bytes).arrayBuffer()),
    bytes: async () => new Uint8Array(await file.arrayBuffer()),
  };
}

/** A file that is left aside, and why. */
export interface Skipped {
  name: string;
  because: "binary" | "encoding" | "tooLarge" | "unreadable" | "unanswered" | "same";
}

/** A correction that the server refused. */
export interface Refused {
  correction: Correction;
  problem: Problem;
}

/** Tasks that are over get no agent. */
export const isOver = (task: PlanTask): boolean => task.status === "DONE" || task.status === "REJECTED";

/** Whether a task gets an agent. */
export function getsAgent(task: PlanTask, agentsFor: AgentsFor): boolean {
  if (isOver(task)) return false;
  if (task.agent !== null) return task.agent === "give";
  return agentsFor === "all" || (agentsFor === "suggested" && task.suggestsAgent);
}

/** Units: times. After so many refusals in a row a request is given up. */
const MAX_RETRIES = 5;

let lastId = 0;

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

  /** Whether its text was edited and not read since. */
  get hasUnreadText(): boolean {
    return this.draft !== undefined && this.draft !== this.text;
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

  /** Reads the text anew, and keeps the corrections that still fit. */
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
  #correct(made: readonly Made[]): Promise<void> {
    return (this.#work = this.#take(made));
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
    // What was to be read anew and is not yet is still not what the person saw.
    this.isTaking = isTaking && (this.isTaking || !this.isReading);
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
    this.isReading = false;
  }

  correct(correction: Correction, about: string): void {
    void this.#correct(withCorrection(this.made, { correction, about }));
  }

  undo(made: Made): void {
    void this.#correct(this.made.filter((one) => one !== made));
  }

  /** Undoes what the person said about the place of some lines. Returns whether there was anything. */
  undoPlace(from: number, to: number): boolean {
    const made = withoutPlace(this.made, from, to);
    if (made.length === this.made.length) return false;
    void this.#correct(made);
    return true;
  }

  /** Takes back what was left out at some lines, now or by an earlier import. */
  putBack(from: number, to: number, about: string): void {
    if (this.undoPlace(from, to)) return;
    const lines = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    void this.#correct(lines.reduce((all: readonly Made[], line) => withCorrection(all, { correction: { line, edit: "putBack" }, about }), this.made));
  }

  /** Reads the text as another format. Each format has its own corrections. */
  readAs(format: Format): void {
    const wanted = format === this.detected ? undefined : format;
    if (wanted === this.format) return;
    this.#aside.set(this.format, this.made);
    this.made = this.#aside.get(wanted) ?? [];
    this.format = wanted;
    this.columns = undefined;
    void this.read();
  }

  setDayOrder(order: DayOrder): void {
    if (order === this.dayOrder) return;
    this.dayOrder = order;
    void this.read();
  }

  setColumn(at: number, column: ColumnMeaning): void {
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
    const before = this.lines;
    this.#setText(text);
    this.made = moved(this.made, before, this.lines);
    this.#aside.clear();
    void this.read();
  }

  rename(name: string): void {
    if (name.trim() === "" || name === this.name) return;
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

class Imports {
  texts = $state.raw<readonly PlannedText[]>([]);
  skipped = $state.raw<readonly Skipped[]>([]);
  agentsFor = $state<AgentsFor>("suggested");
  /** Whether files are being opened. */
  isOpening = $state(false);
  /** `plan` until the person says yes, then `adding`, then `over`. */
  step = $state<"plan" | "adding" | "over">("plan");
  #running: AbortController | undefined;
  /** Where the person came from. */
  #from = "/tasks";

  /** The texts that are not imported yet. */
  get open(): readonly PlannedText[] {
    return this.texts.filter((text) => text.progress.state !== "done");
  }

  get isEmpty(): boolean {
    return this.texts.length === 0 && this.skipped.length === 0 && !this.isOpening;
  }

  /** Plans files. While an import runs they wait for nothing: they are refused. */
  async addFiles(sources: readonly Source[]): Promise<void> {
    if (this.step === "adding" || sources.length === 0) return;
    this.#show();
    this.isOpening = true;
    try {
      for (const source of sources) await this.#addFile(source);
    } finally {
      this.isOpening = false;
    }
  }

  async #addFile(source: Source): Promise<void> {
    const skip = (because: Skipped["because"]): void => {
      this.skipped = [...this.skipped, { name: source.name, because }];
    };
    if (source.size > MAX_BYTES) return skip("tooLarge");
    let bytes;
    try {
      if (!canBeText(await source.head(SAMPLE_BYTES))) return skip("binary");
      bytes = await source.bytes();
    } catch {
      return skip("unreadable");
    }
    let read: { text: string; guessedEncoding: string | null };
    const plain = utf8Text(bytes);
    try {
      read = plain === undefined ? await decoded(source.name, bytes) : { text: plain, guessedEncoding: null };
    } catch (error) {
      return skip(asProblem(error).status === 422 ? "encoding" : "unanswered");
    }
    const text = laidOut(read.text);
    if (this.texts.some((other) => other.name === source.name && other.text === text)) return skip("same");
    await this.#addText(source.name, text, "file", read.guessedEncoding);
  }

  /** Plans a text without a file. */
  async addPasted(pasted: string, day: string): Promise<void> {
    if (this.step === "adding" || pasted.trim() === "") return;
    this.#show();
    const text = laidOut(pasted);
    const name = pastedName(text, day);
    if (this.texts.some((other) => other.name === name && other.text === text)) return;
    await this.#addText(name, text, "pasted");
  }

  /** One text after the other is read, so that many files do not keep the server from anything else. */
  async #addText(name: string, text: string, kind: "file" | "pasted", guessedEncoding: string | null = null): Promise<void> {
    const free = freeName(name, new Set(this.texts.map((other) => other.name)));
    const planned = new PlannedText(free, text, kind, guessedEncoding);
    this.texts = [...this.texts, planned];
    await planned.read();
  }

  #show(): void {
    if (this.step === "over") this.clear();
    if (router.path === "/import") return;
    this.#from = router.address;
    router.go("/import");
  }

  /** Leaves a text out of the import. */
  remove(text: PlannedText): void {
    text.stop();
    this.texts = this.texts.filter((one) => one !== text);
  }

  clear(): void {
    this.#running?.abort();
    for (const text of this.texts) text.stop();
    this.texts = [];
    this.skipped = [];
    this.step = "plan";
  }

  /** Whether there is something that the person could not simply drop here again. */
  get hasWork(): boolean {
    return this.step === "plan" && this.texts.some((text) => text.isPasted || text.made.length > 0 || text.hasUnreadText);
  }

  /** Drops the plan and goes back to where it came from. */
  leave(): void {
    const { texts, skipped, hasWork } = this;
    const unread = texts.filter((text) => text.isReading);
    this.clear();
    router.go(this.#from);
    if (!hasWork) return;
    toasts.show(t("imports.dropped"), {
      label: t("do.undo"),
      run: () => {
        if (this.step === "adding") return;
        this.#show();
        this.texts = [...texts, ...this.texts];
        this.skipped = [...skipped, ...this.skipped];
        for (const text of unread) void text.read();
      },
    });
  }

  /** Writes all plans, one after the other, and goes on with what an earlier try left. */
  async add(): Promise<void> {
    if (this.step === "adding") return;
    this.step = "adding";
    this.#running = new AbortController();
    const { signal } = this.#running;
    const { open } = this;
    for (const text of open) text.progress = NO_PROGRESS;
    for (const text of open) {
      if (signal.aborted) text.progress = { ...text.progress, state: "stopped" };
      else await this.#write(text, signal);
    }
    this.step = open.some((text) => text.isChanged) ? "plan" : "over";
    live.resync();
  }

  /** The same request again goes on with what it began. */
  async #write(text: PlannedText, signal: AbortSignal): Promise<void> {
    if (text.base === undefined || text.isChanged) return;
    text.progress = { ...text.progress, state: "running", total: text.plan?.tasks.length ?? 0 };
    try {
      await write(text.request(text.base.digest), this.agentsFor, (line) => (text.progress = applyLine(text.progress, line)), signal);
      // An answer without its last line was interrupted.
      if (text.progress.state === "running") {
        const problem = new Problem({ status: 0, code: "import-broke-off", title: "The import broke off" });
        text.progress = { ...text.progress, state: "failed", problem };
      }
    } catch (error) {
      const problem = asProblem(error);
      if (signal.aborted) text.progress = { ...text.progress, state: "stopped" };
      else if (problem.status === 409) {
        text.isChanged = true;
        text.progress = { ...text.progress, state: "waiting" };
      } else text.progress = { ...text.progress, state: "failed", problem };
    }
  }

  /** Shows the plans of what was not written, to correct what was refused. */
  backToPlan(): void {
    for (const text of this.open) text.progress = NO_PROGRESS;
    this.step = "plan";
  }

  /** Stops writing; what was written stays. */
  cancel(): void {
    this.#running?.abort();
  }

  /** Imports a list without a plan: the sample, whose contents are known. */
  async addAtOnce(name: string, text: string): Promise<Progress> {
    let progress: Progress = { ...NO_PROGRESS, state: "running" };
    const request: PlanRequest = { name, text, format: undefined, dayOrder: "dayFirst", digest: undefined, corrections: [], columns: undefined };
    try {
      await write(request, "all", (line) => (progress = applyLine(progress, line)), new AbortController().signal);
    } catch (error) {
      progress = { ...progress, state: "failed", problem: asProblem(error) };
    }
    live.resync();
    return progress;
  }
}

export const imports = new Imports();
