// Light, dark, or the system's choice.

const STORAGE_KEY = "dormouse.theme";

export type Theme = "system" | "light" | "dark";

class Appearance {
  #theme = $state<Theme>((localStorage.getItem(STORAGE_KEY) as Theme | null) ?? "system");

  get theme(): Theme {
    return this.#theme;
  }

  set(theme: Theme): void {
    this.#theme = theme;
    localStorage.setItem(STORAGE_KEY, theme);
    this.apply();
  }

  apply(): void {
    const root = document.documentElement;
    if (this.#theme === "system") delete root.dataset["theme"];
    else root.dataset["theme"] = this.#theme;
  }
}

export const appearance = new Appearance();
