// The list as it was when one left it, so that going back finds it in its place.

import { session } from "../../app/session.svelte";
import { TaskList } from "./list.svelte";

class SavedList {
  #list = new TaskList();
  #of = session.token;
  current: string | undefined;

  /** The list of whoever sits here. */
  get list(): TaskList {
    if (this.#of !== session.token) {
      this.#of = session.token;
      this.#list = new TaskList();
      this.current = undefined;
    }
    return this.#list;
  }
}

export const savedList = new SavedList();
