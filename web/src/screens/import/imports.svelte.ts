// The import in this tab: its texts, their plans and corrections, then its progress. It outlives the
// page of the plan, so that a look at another screen loses nothing.

import { asProblem, Problem } from "../../api/problem";
import { router } from "../../app/router.svelte";
import { toasts } from "../../app/toasts.svelte";
import { t } from "../../i18n/index.svelte";
import { describeProblem } from "../../i18n/problem";
import { live } from "../../live/store.svelte";
import { applyLine, decoded, NO_PROGRESS, write, type Progress } from "./api";
import { canBeText, freeName, laidOut, MAX_BYTES, pastedName, SAMPLE_BYTES, utf8Text } from "./content";
import { PlannedText } from "./plannedText.svelte";
import type { AgentsFor, PlanRequest, PlanTask } from "./types";
import { undoing, type Undo } from "./undoing";

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
  because: "binary" | "encoding" | "tooLarge" | "unreadable" | "unanswered" | "same" | "empty" | "refused";
  /** What the server says of a file that it refused. */
  why?: string;
}

/** A plan that is not shown. */
export interface Plan {
  texts: readonly PlannedText[];
  skipped: readonly Skipped[];
  unopened: readonly Source[];
  undos: readonly Undo[];
}

/** Finished tasks get no agent. */
export const isOver = (task: PlanTask): boolean => task.status === "DONE" || task.status === "REJECTED";

/** Whether a task gets an agent. */
export function getsAgent(task: PlanTask, agentsFor: AgentsFor): boolean {
  if (isOver(task)) return false;
  if (task.agent !== null) return task.agent === "give";
  return agentsFor === "all" || (agentsFor === "suggested" && task.suggestsAgent);
}

/** What texts are called together: a file by its name, several by their number. */
export function nameOf(texts: readonly PlannedText[]): string {
  const [only, ...others] = texts;
  if (only === undefined || others.length > 0) return t("imports.fromFiles", { n: texts.length });
  return only.isPasted ? t("imports.fromList") : only.name;
}

/** The text of a file, or why it has none. */
async function openedFile(source: Source): Promise<{ text: string; guessedEncoding: string | null } | { because: Skipped["because"] }> {
  if (source.size > MAX_BYTES) return { because: "tooLarge" };
  let bytes;
  try {
    if (!canBeText(await source.head(SAMPLE_BYTES))) return { because: "binary" };
    bytes = await source.bytes();
  } catch {
    return { because: "unreadable" };
  }
  let read: { text: string; guessedEncoding?: string | null };
  const plain = utf8Text(bytes);
  try {
    read = plain === undefined ? await decoded(source.name, bytes) : { text: plain };
  } catch (error) {
    return { because: asProblem(error).status === 422 ? "encoding" : "unanswered" };
  }
  if (read.text.trim() === "") return { because: "empty" };
  return { text: laidOut(read.text), guessedEncoding: read.guessedEncoding ?? null };
}

class Imports {
  texts = $state.raw<readonly PlannedText[]>([]);
  skipped = $state.raw<readonly Skipped[]>([]);
  agentsFor = $state<AgentsFor>("suggested");
  /** Whether files are being opened. */
  isOpening = $state(false);
  /** `plan` until the person says yes, then `adding`, then `over`. */
  step = $state<"plan" | "adding" | "over">("plan");
  /** The plans that were there before another list came. */
  aside = $state.raw<readonly Plan[]>([]);
  /** Files that were added and not opened yet. */
  #unopened: readonly Source[] = [];
  #running: AbortController | undefined;
  /** The notification that the plan is kept. */
  #waiting = 0;
  /** Where the person came from. */
  #from = "/tasks";

  /** The texts that are not imported yet. */
  get unwritten(): readonly PlannedText[] {
    return this.texts.filter((text) => text.progress.state !== "done");
  }

  get isEmpty(): boolean {
    return this.texts.length === 0 && this.skipped.length === 0 && !this.isOpening;
  }

  /** Plans files. While an import runs they wait for nothing: they are refused. */
  async addFiles(sources: readonly Source[]): Promise<void> {
    if (this.step === "adding" || sources.length === 0) return;
    this.#show();
    this.#unopened = [...this.#unopened, ...sources];
    if (this.isOpening) return;
    this.isOpening = true;
    try {
      for (let next = this.#unopened[0]; next !== undefined; next = this.#unopened[0]) await this.#addFile(next);
    } finally {
      this.isOpening = false;
    }
  }

  async #addFile(source: Source): Promise<void> {
    const opened = await openedFile(source);
    // The plan was put away meanwhile, and the file with it.
    if (this.#unopened[0] !== source) return;
    this.#unopened = this.#unopened.slice(1);
    if ("because" in opened) return this.#skip(source.name, opened.because);
    const { text, guessedEncoding } = opened;
    if (this.texts.some((other) => other.name === source.name && other.text === text)) return this.#skip(source.name, "same");
    await this.#addText(source.name, text, "file", guessedEncoding);
    this.#skipRefused();
  }

  #skip(name: string, because: Skipped["because"], why = ""): void {
    this.skipped = [...this.skipped, { name, because, why }];
  }

  /** Leaves files aside that cannot be imported, so that the others can. */
  #skipRefused(): void {
    for (const { name, problem } of this.texts.filter((text) => text.isRefusedFile)) {
      this.#skip(name, "refused", problem === undefined ? "" : describeProblem(problem));
    }
    this.texts = this.texts.filter((text) => !text.isRefusedFile);
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

  /** Goes to the page of the plan. A list that is added from elsewhere begins a plan of its own. */
  #show(): void {
    if (this.step === "over") this.clear();
    if (router.path === "/import") return;
    this.#putAside();
    this.#from = router.address;
    router.go("/import");
  }

  /** Takes the plan from the page. */
  #takeOut(): Plan {
    const plan = { texts: this.texts, skipped: this.skipped, unopened: this.#unopened, undos: undoing.take() };
    this.texts = [];
    this.skipped = [];
    this.#unopened = [];
    return plan;
  }

  #putAside(): void {
    const plan = this.#takeOut();
    if (plan.texts.length > 0) this.aside = [...this.aside, plan];
  }

  /** Shows a plan in place of the one that is shown, which is put aside. */
  open(plan: Plan): void {
    if (this.step === "adding") return;
    if (this.step === "over") this.clear();
    this.aside = this.aside.filter((other) => other !== plan);
    this.#putAside();
    this.texts = plan.texts;
    this.skipped = plan.skipped;
    undoing.putBack(plan.undos);
    this.#skipRefused();
    for (const text of plan.texts) if (text.isCutOff) void text.read();
    void this.addFiles(plan.unopened);
  }

  /** Drops a plan that was put aside. */
  drop(plan: Plan): void {
    for (const text of plan.texts) text.stop();
    this.aside = this.aside.filter((other) => other !== plan);
    toasts.show(t("imports.dropped"), { label: t("do.undo"), run: () => (this.aside = [...this.aside, plan]) });
  }

  /** Leaves a text out of the import. */
  remove(text: PlannedText): void {
    const at = this.texts.indexOf(text);
    text.stop();
    this.texts = this.texts.filter((one) => one !== text);
    undoing.did(() => {
      this.texts = this.texts.toSpliced(at, 0, text);
      if (text.isCutOff) void text.read();
      return true;
    });
  }

  clear(): void {
    this.#running?.abort();
    for (const text of this.texts) text.stop();
    this.#takeOut();
    this.step = "plan";
  }

  /** Whether there is something that the person could not simply drop here again. */
  get hasWork(): boolean {
    const shown = this.step === "plan" ? this.texts : [];
    return [...shown, ...this.aside.flatMap((plan) => plan.texts)].some((text) => text.isWork);
  }

  /** Drops the plan and goes back to where it came from. */
  leave(): void {
    const isWork = this.texts.some((text) => text.isWork);
    for (const text of this.texts) text.stop();
    const plan = this.#takeOut();
    router.go(this.#from);
    if (!isWork) return;
    toasts.show(t("imports.dropped"), {
      label: t("do.undo"),
      run: () => {
        if (this.step === "adding") this.aside = [...this.aside, plan];
        else {
          this.#show();
          this.open(plan);
        }
      },
    });
  }

  /** Says that the plan is kept, when its page is left for another. */
  lookAway(): void {
    if (this.step !== "plan" || this.texts.length === 0) return;
    const show = { label: t("imports.showPlan"), run: () => router.go("/import") };
    this.#waiting = toasts.show(t("imports.waits", { name: nameOf(this.texts) }), undefined, "plain", show);
  }

  /** The page of the plan is shown: it says itself what is kept. */
  lookBack(): void {
    toasts.close(this.#waiting);
  }

  /** Undoes the last thing the person did to the plan. Returns whether there was any. */
  undoLast(): boolean {
    if (this.step !== "plan" || !undoing.undo()) return false;
    toasts.show(t("imports.undone"));
    return true;
  }

  /** Writes all plans, one after the other, and goes on with what an earlier try left. */
  async add(): Promise<void> {
    if (this.step === "adding") return;
    this.step = "adding";
    this.#running = new AbortController();
    const { signal } = this.#running;
    const open = this.unwritten;
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
    for (const text of this.unwritten) text.progress = NO_PROGRESS;
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
