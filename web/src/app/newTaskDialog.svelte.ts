// Whether a task is being made: the dialog stands over whichever screen is there.

import { awaitField } from "./shortcuts";

class Creating {
  isOpen = $state(false);

  open(): void {
    this.isOpen = true;
    awaitField();
  }

  close(): void {
    this.isOpen = false;
  }
}

export const newTaskDialog = new Creating();
