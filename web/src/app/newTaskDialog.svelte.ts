// Whether the dialog for a new task is open. It can appear over any screen.

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
