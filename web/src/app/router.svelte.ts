// Addresses: which screen stands, with what, and what its query says. Every view can be linked to.

import type { Component } from "svelte";

/** A screen, loaded when it is first needed. */
export interface Route {
  name: string;
  /** `/tasks/:id`; a part with a colon is given to the screen as a prop. */
  path: string;
  load: () => Promise<{ default: Component<Record<string, string>> }>;
}

export interface Match {
  route: Route;
  params: Record<string, string>;
}

/** The route of a path; none when no screen is there. */
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

class Router {
  path = $state(location.pathname);
  #search = $state(location.search);
  /** What the query says. */
  query: URLSearchParams = $derived(new URLSearchParams(this.#search));
  /** Where the page was before this one; none on the first. */
  before = $state<string | undefined>();

  /** The address behind the host. */
  get here(): string {
    return this.path + this.#search;
  }

  go(to: string, how: { replace?: boolean } = {}): void {
    const url = new URL(to, location.origin);
    if (url.pathname === this.path && url.search === this.#search) return;
    if (how.replace) history.replaceState(history.state, "", url);
    else {
      this.before = this.here;
      history.pushState({}, "", url);
    }
    const moved = url.pathname !== this.path;
    this.#follow();
    if (moved && !how.replace) scrollTo(0, 0);
  }

  /** Goes back where the person came from, or there when they came from nowhere. */
  back(otherwise: string): void {
    if (this.before === undefined) this.go(otherwise);
    else history.back();
  }

  /** Sets or clears parts of the query, without a step in the history. */
  set(parts: Record<string, string | undefined>): void {
    const query = new URLSearchParams(this.#search);
    for (const [key, value] of Object.entries(parts)) {
      if (value === undefined || value === "") query.delete(key);
      else query.set(key, value);
    }
    const text = query.toString();
    this.go(this.path + (text === "" ? "" : `?${text}`), { replace: true });
  }

  /** Follows the address bar and links from here on. */
  start(): void {
    addEventListener("popstate", () => {
      this.before = undefined;
      this.#follow();
    });
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

  #follow(): void {
    this.path = location.pathname;
    this.#search = location.search;
  }
}

export const router = new Router();
