// Whether a task is being made: the dialog stands over whichever screen is there.

import { fieldOpens } from "./keys";

class Creating {
  isOpen = $state(false);

  open(): void {
    this.isOpen = true;
    fieldOpens();
  }

  close(): void {
    this.isOpen = false;
  }
}

export const creating = new Creating();
