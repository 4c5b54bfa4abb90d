// Reports that agents are writing now, as far as they have come. In memory only: nothing is loaded.

import { isOneOf } from "./queries";
import type { DraftFrame, LiveEvent } from "./socket";

/** What an agent has written of its report so far. */
export interface ReportDraft {
  runKey: string;
  tldr: string;
  /** Markdown. */
  content: string;
}

export class Drafts {
  #byAgent = $state.raw<ReadonlyMap<string, ReportDraft>>(new Map());

  of(agent: string): ReportDraft | undefined {
    return this.#byAgent.get(agent);
  }

  /** A draft has grown, or is gone. A frame has all of it, so a lost one does no harm. */
  onDraft({ agent, runKey, draft }: DraftFrame): void {
    if (draft === null) this.#remove(agent, runKey);
    else this.#byAgent = new Map(this.#byAgent).set(agent, { runKey, ...draft });
  }

  /** An event says that a run began or ended: what that run has written is gone, or comes again. */
  onEvent(event: LiveEvent): void {
    if (!isOneOf(event, "agent:wake")) return;
    for (const [agent, { runKey }] of this.#byAgent) {
      if (runKey === event.subject) this.#remove(agent, runKey);
    }
  }

  /** The connection is lost: nobody says any more how a draft goes on. */
  clear(): void {
    if (this.#byAgent.size > 0) this.#byAgent = new Map();
  }

  #remove(agent: string, runKey: string): void {
    if (this.#byAgent.get(agent)?.runKey !== runKey) return;
    const rest = new Map(this.#byAgent);
    rest.delete(agent);
    this.#byAgent = rest;
  }
}

export const drafts = new Drafts();
