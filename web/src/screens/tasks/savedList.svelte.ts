// The list as it was left, so that going back finds it unchanged.

import { session } from "../../app/session.svelte";
import { TaskList } from "./list.svelte";

class SavedList {
  #list = new TaskList();
  #of = session.token;
  current: string | undefined;

  /** The list of the signed-in person. */
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
