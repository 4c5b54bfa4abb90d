// How wide the page is, where markup depends on it: what is not there takes no focus.

class Viewport {
  isPhone = $state(false);
  /** Up to the width at which the properties stand beside the content. */
  isMedium = $state(false);

  constructor() {
    const follow = (query: string, tell: (matches: boolean) => void): void => {
      const list = matchMedia(query);
      tell(list.matches);
      list.addEventListener("change", () => tell(list.matches));
    };
    follow("(max-width: 48rem)", (matches) => (this.isPhone = matches));
    follow("(max-width: 64rem)", (matches) => (this.isMedium = matches));
  }
}

export const viewport = new Viewport();
