// Routing: which screen is shown, with which parameters, and the query of the address. Every view has a
// link.

import type { Component } from "svelte";

import { scrollPosition, restoreScroll, type ScrollPosition } from "./scrolling";
import { lastOutside, isBelow, saveHistory, loadHistory } from "./tabHistory";

/** A screen that is loaded on first use. */
export interface Route {
  name: string;
  /** `/tasks/:id`; a segment with a colon is passed to the screen as a prop. */
  path: string;
  load: () => Promise<{ default: Component<Record<string, string>> }>;
}

export interface Match {
  route: Route;
  params: Record<string, string>;
}

/** The route of a path, or undefined if there is no such screen. */
export function match(routes: readonly Route[], path: string): Match | undefined {
  const given = path.split("/").filter((part) => part !== "");
  for (const route of routes) {
    const wanted = route.path.split("/").filter((part) => part !== "");
    if (wanted.length !== given.length) continue;
    const params: Record<string, string> = {};
    const fits = wanted.every((part, at) => {
      const value = given[at] ?? "";
      if (!part.startsWith(":")) return part === value;
      params[part.slice(1)] = decode(value);
      return true;
    });
    if (fits) return { route, params };
  }
  return undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** An entry of this tab's history. */
interface Entry {
  address: string;
  place?: ScrollPosition;
}

/** The screen of a path, without dialogs and tabs. */
const screenOf = (path: string): string => path.split("/").slice(0, 3).join("/");

class Router {
  /** What Back closes before it leaves the page, the topmost last. */
  readonly #closers: (() => void)[] = [];
  path = $state(location.pathname);
  #search = $state(location.search);
  /** The query parameters. */
  query: URLSearchParams = $derived(new URLSearchParams(this.#search));
  #entries: (Entry | undefined)[] = [];
  #index = 0;
  /** Paths of deleted things: Back and Forward skip them. */
  #deletedPaths = new Set<string>();

  /** The path and the query. */
  get address(): string {
    return this.path + this.#search;
  }

  /** Whether the person comes back to where they were on this page: by Back, Forward or a reload. */
  get isReturning(): boolean {
    return this.#entries[this.#index]?.place !== undefined;
  }

  go(to: string, how: { replace?: boolean } = {}): void {
    const url = new URL(to, location.origin);
    if (url.pathname === this.path && url.search === this.#search) return;
    const address = url.pathname + url.search;
    if (how.replace) history.replaceState({ at: this.#index }, "", url);
    else {
      this.#saveScroll();
      this.#index += 1;
      this.#entries = this.#entries.slice(0, this.#index);
      history.pushState({ at: this.#index }, "", url);
    }
    this.#entries[this.#index] = { address };
    const moved = screenOf(url.pathname) !== screenOf(this.path);
    this.#readLocation();
    if (moved) restoreScroll(undefined);
  }

  /** Goes back as the button of the browser does; without a page before this one, to `otherwise`. */
  back(otherwise: string): void {
    if (this.#entries[this.#index - 1] === undefined) this.go(otherwise);
    else history.back();
  }

  /** Closes a dialog that has its own address, and leaves no history entry for it. */
  close(to: string): void {
    if (this.#entries[this.#index - 1]?.address === to) history.back();
    else this.go(to, { replace: true });
  }

  /**
   * Leaves the pages of something deleted for the last page about something else; Back and Forward skip
   * them.
   */
  leaveDeleted(paths: readonly string[], otherwise: string): void {
    for (const path of paths) this.#deletedPaths.add(path);
    const to = lastOutside(this.#entries.map((entry) => entry?.address), this.#index, paths);
    if (to === undefined) this.go(otherwise, { replace: true });
    else history.go(to - this.#index);
  }

  /** Undoes `leaveDeleted`: the pages exist again. */
  unmarkDeleted(paths: readonly string[]): void {
    for (const path of paths) this.#deletedPaths.delete(path);
  }

  /** Sets or clears query parameters without a new history entry. */
  setQuery(parts: Record<string, string | undefined>): void {
    const query = new URLSearchParams(this.#search);
    for (const [key, value] of Object.entries(parts)) {
      if (value === undefined || value === "") query.delete(key);
      else query.set(key, value);
    }
    const text = query.toString();
    this.go(this.path + (text === "" ? "" : `?${text}`), { replace: true });
  }

  /** Starts following the address bar and links. */
  start(): void {
    history.scrollRestoration = "manual";
    const at: unknown = (history.state as { at?: unknown } | null)?.at;
    if (typeof at === "number") {
      this.#index = at;
      this.#entries = loadHistory<Entry | undefined>();
      restoreScroll(this.#entries[at]?.place);
    }
    history.replaceState({ at: this.#index }, "");
    this.#entries[this.#index] = { address: this.address };
    addEventListener("pagehide", () => {
      this.#saveScroll();
      saveHistory(this.#entries);
    });
    addEventListener("popstate", (event) => this.#onPopState((event.state as { at?: number } | null)?.at ?? 0));
    document.addEventListener("click", (event) => {
      if (event.defaultPrevented || event.button !== 0) return;
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      const link = (event.target as Element | null)?.closest?.("a[href]");
      if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.hasAttribute("download")) return;
      if (link.origin !== location.origin || link.pathname.startsWith("/api")) return;
      if (link.hash !== "" && link.pathname === location.pathname) return;
      event.preventDefault();
      this.go(link.pathname + link.search);
    });
  }

  /**
   * Lets Back close what is on top of the page, such as a dialog, and keep the page. The last one
   * registered closes first. Returns the function that unregisters it.
   */
  onBack(close: () => void): () => void {
    this.#closers.push(close);
    return () => {
      const at = this.#closers.lastIndexOf(close);
      if (at >= 0) this.#closers.splice(at, 1);
    };
  }

  #onPopState(at: number): void {
    const close = at < this.#index ? this.#closers.at(-1) : undefined;
    if (close !== undefined) {
      history.go(this.#index - at);
      close();
      return;
    }
    const way = at < this.#index ? -1 : 1;
    if (isBelow(location.pathname, this.#deletedPaths)) {
      const next = this.#entries[at + way];
      // There is nothing beyond the last entry, so stay here.
      if (next !== undefined) history.go(way);
      else if (at !== this.#index) history.go(this.#index - at);
      return;
    }
    if (at === this.#index && this.address === location.pathname + location.search) return;
    this.#saveScroll();
    this.#index = at;
    const moved = screenOf(location.pathname) !== screenOf(this.path);
    this.#readLocation();
    if (moved) restoreScroll(this.#entries[at]?.place);
  }

  /** Saves the scroll position of the entry that is being left. */
  #saveScroll(): void {
    const entry = this.#entries[this.#index];
    if (entry !== undefined) entry.place = scrollPosition();
  }

  #readLocation(): void {
    this.path = location.pathname;
    this.#search = location.search;
  }
}

export const router = new Router();
