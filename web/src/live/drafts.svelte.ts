// Reports that agents are writing now, and answers in sessions about templates, as far as they have come. In memory only: nothing is loaded.

import { isOneOf } from "./queries";
import type { DraftFrame, LiveEvent } from "./socket";

/** What an agent has written of its report so far. */
export interface ReportDraft {
  runKey: string;
  tldr: string;
  /** Markdown. */
  content: string;
}

/** What a model has written of its answer in a session so far. */
export interface AnswerDraft {
  runKey: string;
  text: string;
}

/** The newest draft of each writer. */
class Newest<T extends { runKey: string }> {
  #byWriter = $state.raw<ReadonlyMap<string, T>>(new Map());

  of(writer: string): T | undefined {
    return this.#byWriter.get(writer);
  }

  set(writer: string, draft: T): void {
    this.#byWriter = new Map(this.#byWriter).set(writer, draft);
  }

  removeRun(runKey: string): void {
    const rest = [...this.#byWriter].filter(([, draft]) => draft.runKey !== runKey);
    if (rest.length < this.#byWriter.size) this.#byWriter = new Map(rest);
  }

  clear(): void {
    if (this.#byWriter.size > 0) this.#byWriter = new Map();
  }
}

export class Drafts {
  #reports = new Newest<ReportDraft>();
  #answers = new Newest<AnswerDraft>();

  of(agent: string): ReportDraft | undefined {
    return this.#reports.of(agent);
  }

  answerIn(session: string): AnswerDraft | undefined {
    return this.#answers.of(session);
  }

  /** A draft has grown, or is gone. A frame has all of it, so a lost one does no harm. */
  onDraft(frame: DraftFrame): void {
    if (frame.draft === null) this.#removeRun(frame.runKey);
    else if (frame.type === "agent:delta") this.#reports.set(frame.agent, { runKey: frame.runKey, ...frame.draft });
    else this.#answers.set(frame.session, { runKey: frame.runKey, ...frame.draft });
  }

  /** An event says that a run began or ended: what that run has written is gone, or comes again. */
  onEvent(event: LiveEvent): void {
    if (isOneOf(event, "agent:wake") && typeof event.subject === "string") this.#removeRun(event.subject);
  }

  /** The connection is lost: nobody says any more how a draft goes on. */
  clear(): void {
    this.#reports.clear();
    this.#answers.clear();
  }

  #removeRun(runKey: string): void {
    this.#reports.removeRun(runKey);
    this.#answers.removeRun(runKey);
  }
}

export const drafts = new Drafts();
