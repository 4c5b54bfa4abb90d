// What new work would be, requested while it is typed: as the rules read it, and when it would run.

import { api, unwrap, type Schemas } from "../../api/client";
import { asProblem, type Problem } from "../../api/problem";
import { t } from "../../i18n/index.svelte";
import { wording } from "../../live/dateOrder.svelte";

export type WorkPreview = Schemas["WorkPreview"];

/** Units: milliseconds. The pause in typing after which a request is sent. */
const PAUSE_MS = 400;

/** The answer about the words typed last. */
export class WorkReading {
  value = $state.raw<WorkPreview | undefined>();
  problem = $state.raw<Problem | undefined>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #request: AbortController | undefined;
  #wanted = "";

  /** Asks about instructions, and a schedule beside them, once typing pauses. */
  type(instructions: string, schedule: string): void {
    const body = { title: t("work.newTitle"), instructions: instructions.trim(), ...(schedule.trim() === "" ? {} : { schedule: schedule.trim() }) };
    const wanted = JSON.stringify(body);
    if (wanted === this.#wanted) return;
    this.stop();
    this.#wanted = wanted;
    this.problem = undefined;
    if (body.instructions === "") this.value = undefined;
    else this.#timer = setTimeout(() => void this.#ask(body), PAUSE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#request?.abort();
    this.#request = undefined;
  }

  async #ask(body: Schemas["WorkParams"]): Promise<void> {
    const request = new AbortController();
    this.#request = request;
    try {
      const value = await unwrap(api.POST("/api/work/preview", { body: { ...body, ...wording() }, signal: request.signal }));
      if (!request.signal.aborted) this.value = value;
    } catch (error) {
      if (request.signal.aborted) return;
      this.value = undefined;
      this.problem = asProblem(error);
    }
  }
}
