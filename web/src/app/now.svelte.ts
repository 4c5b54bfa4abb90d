// The current time for display. It pauses while the page is hidden.

class Now {
  #minute = $state.raw(new Date());
  #second = $state.raw(new Date());

  constructor() {
    setInterval(() => {
      if (!document.hidden) this.#minute = new Date();
    }, 30_000);
    setInterval(() => {
      if (!document.hidden) this.#second = new Date();
    }, 1_000);
  }

  /** For words such as "12 min ago". */
  get minute(): Date {
    return this.#minute;
  }

  /** For running durations. */
  get second(): Date {
    return this.#second;
  }
}

export const now = new Now();
