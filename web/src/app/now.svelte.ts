// The time on screen. It ticks only while somebody looks at a time.

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

  /** For seconds that pass. */
  get second(): Date {
    return this.#second;
  }
}

export const now = new Now();
