// Light, dark, or as the system has it.

const PLACE = "dormouse.theme";

export type Theme = "system" | "light" | "dark";

class Appearance {
  #theme = $state<Theme>((localStorage.getItem(PLACE) as Theme | null) ?? "system");

  get theme(): Theme {
    return this.#theme;
  }

  set(theme: Theme): void {
    this.#theme = theme;
    localStorage.setItem(PLACE, theme);
    this.apply();
  }

  apply(): void {
    const root = document.documentElement;
    if (this.#theme === "system") delete root.dataset["theme"];
    else root.dataset["theme"] = this.#theme;
  }
}

export const appearance = new Appearance();
