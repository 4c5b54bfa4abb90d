// The width of the page where the markup depends on it: hidden elements could take the focus.

class Viewport {
  isPhone = $state(false);
  /** Up to the width at which a text fits next to what it becomes. */
  isNarrow = $state(false);
  /** Up to the width at which the properties fit next to the content. */
  isMedium = $state(false);

  constructor() {
    const follow = (query: string, tell: (matches: boolean) => void): void => {
      const list = matchMedia(query);
      tell(list.matches);
      list.addEventListener("change", () => tell(list.matches));
    };
    follow("(width < 48rem)", (matches) => (this.isPhone = matches));
    follow("(width < 56rem)", (matches) => (this.isNarrow = matches));
    follow("(max-width: 64rem)", (matches) => (this.isMedium = matches));
  }
}

export const viewport = new Viewport();
