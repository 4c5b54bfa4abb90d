// Whether a task is being made: the dialog stands over whichever screen is there.

class Creating {
  isOpen = $state(false);

  open(): void {
    this.isOpen = true;
  }

  close(): void {
    this.isOpen = false;
  }
}

export const creating = new Creating();
