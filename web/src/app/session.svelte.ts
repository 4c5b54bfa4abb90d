// The session: this browser's token, and how to get one.

import { api, unwrap, setCredentials, type Schemas } from "../api/client";
import { asProblem, type Problem } from "../api/problem";

const STORAGE_KEY = "dormouse.token";

class Session {
  #token = $state<string | undefined>(localStorage.getItem(STORAGE_KEY) ?? undefined);
  /** Why signing in failed, if it did. */
  problem = $state.raw<Problem | undefined>();
  isExchanging = $state(false);

  get token(): string | undefined {
    return this.#token;
  }

  /** Takes the code from the address and exchanges it for a token. */
  async signInFromUrl(): Promise<void> {
    const code = new URLSearchParams(location.hash.slice(1)).get("code");
    if (code === null) return;
    // A used code is worthless, but it should not stay in the history.
    history.replaceState(history.state, "", location.pathname + location.search);
    await this.exchange(code);
  }

  /** Exchanges a one-time code for a token. */
  async exchange(code: string): Promise<boolean> {
    this.isExchanging = true;
    this.problem = undefined;
    try {
      const answer = await unwrap(api.POST("/api/access/exchange", { body: { code } }));
      this.setToken((answer as { token: string }).token);
      return true;
    } catch (error) {
      this.problem = asProblem(error);
      return false;
    } finally {
      this.isExchanging = false;
    }
  }

  setToken(token: string): void {
    localStorage.setItem(STORAGE_KEY, token);
    this.#token = token;
    this.problem = undefined;
  }

  /** Forgets the token, because the person signed out or the server rejected it. */
  signOut(): void {
    localStorage.removeItem(STORAGE_KEY);
    this.#token = undefined;
  }
}

export const session = new Session();

setCredentials({ token: () => session.token, refused: () => session.signOut() });

// Follow sign-in and sign-out in other tabs.
addEventListener("storage", (event) => {
  if (event.key !== STORAGE_KEY) return;
  if (event.newValue === null) session.signOut();
  else session.setToken(event.newValue);
});

export type Access = Schemas extends { Access: infer A } ? A : unknown;
