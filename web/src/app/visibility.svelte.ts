// Whether the page is in front: a hidden one tells the person nothing, and they see nothing on it.

class Visibility {
  #isVisible = $state(document.visibilityState === "visible");

  constructor() {
    document.addEventListener("visibilitychange", () => {
      this.#isVisible = document.visibilityState === "visible";
    });
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }
}

export const visibility = new Visibility();
