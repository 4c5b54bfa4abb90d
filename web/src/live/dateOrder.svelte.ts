// The order of day and month in dates written in figures: what was chosen for the workspace, else that of the locale.

import { api, unwrap, type Schemas } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import { isOneOf } from "./queries";
import type { Query } from "./store.svelte";

export type DayOrder = Schemas["DayOrder"];

/** The order in which a locale writes day and month. */
export function orderOf(locale: string): DayOrder {
  const parts = new Intl.DateTimeFormat(locale, { day: "numeric", month: "numeric" }).formatToParts(new Date(2026, 2, 4));
  const place = (type: string): number => parts.findIndex((part) => part.type === type);
  return place("month") < place("day") ? "monthFirst" : "dayFirst";
}

const chosen = async (): Promise<DayOrder | null> => (await unwrap(api.GET("/api/settings", {}))).dateOrder ?? null;

/** What was chosen for the workspace, also in another tab or by somebody else; null if nobody chose. */
export const chosenDateOrder = (): Query<DayOrder | null> => ({
  key: "settings/dateOrder",
  load: chosen,
  invalidatedBy: (event) => isOneOf(event, "settings:changed"),
});

class DateOrder {
  /** What was chosen for the workspace; null if nobody chose. */
  chosen = $state<DayOrder | null>(null);

  /** The order that texts are read in. */
  get used(): DayOrder {
    return this.chosen ?? orderOf(navigator.language);
  }

  /** Why it could not be loaded; the order is that of the locale then. */
  problem = $state.raw<Problem | undefined>();

  async load(): Promise<void> {
    try {
      this.follow(await chosen(), undefined);
    } catch (error) {
      this.follow(undefined, asProblem(error));
    }
  }

  /** Takes what was loaded; undefined leaves what was loaded before. */
  follow(chosen: DayOrder | null | undefined, problem: Problem | undefined): void {
    if (chosen !== undefined) this.chosen = chosen;
    this.problem = problem;
  }

  /**
   * Sets it for everybody in the workspace.
   *
   * Throws: a `Problem`.
   */
  async choose(order: DayOrder | null): Promise<void> {
    this.chosen = (await unwrap(api.PATCH("/api/settings", { body: { dateOrder: order } }))).dateOrder ?? null;
  }
}

export const dateOrder = new DateOrder();

/** How a text with dates is read: the language of the browser, and the order. */
export function wording(): { lang: string; dayOrder: DayOrder } {
  return { lang: navigator.language, dayOrder: dateOrder.used };
}
