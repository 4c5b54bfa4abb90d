// What was done to the plan of an import, so that the last of it can be undone.

/** Undoes something. Returns `false` if there was nothing to undo any more. */
export type Undo = () => boolean;

export class Undoing {
  #undos: readonly Undo[] = [];

  did(undo: Undo): void {
    this.#undos = [...this.#undos, undo];
  }

  /** Undoes what was done last. Returns whether there was anything. */
  undo(): boolean {
    for (;;) {
      const last = this.#undos.at(-1);
      if (last === undefined) return false;
      this.#undos = this.#undos.slice(0, -1);
      if (last()) return true;
    }
  }

  /** Takes out everything, for when the plan is put away. */
  take(): readonly Undo[] {
    const undos = this.#undos;
    this.#undos = [];
    return undos;
  }

  /** Puts back what was taken out: it was done before what is here. */
  putBack(undos: readonly Undo[]): void {
    this.#undos = [...undos, ...this.#undos];
  }
}

export const undoing = new Undoing();
