// Who sits here: the token of this browser, and how one is come by.

import { api, ask, useKeyring, type Schemas } from "../api/client";
import { asProblem, type Problem } from "../api/problem";

const PLACE = "dormouse.token";

class Session {
  #token = $state<string | undefined>(localStorage.getItem(PLACE) ?? undefined);
  /** Why there is none, where that is to be told. */
  problem = $state.raw<Problem | undefined>();
  isExchanging = $state(false);

  get token(): string | undefined {
    return this.#token;
  }

  /** Takes the code out of the address, and exchanges it for a token. */
  async begin(): Promise<void> {
    const code = new URLSearchParams(location.hash.slice(1)).get("code");
    if (code === null) return;
    // The code is worth nothing once it is used, and stands in no history before.
    history.replaceState(history.state, "", location.pathname + location.search);
    await this.exchange(code);
  }

  /** Exchanges a one-time code. */
  async exchange(code: string): Promise<boolean> {
    this.isExchanging = true;
    this.problem = undefined;
    try {
      const answer = await ask(api.POST("/api/access/exchange", { body: { code } }));
      this.keep((answer as { token: string }).token);
      return true;
    } catch (error) {
      this.problem = asProblem(error);
      return false;
    } finally {
      this.isExchanging = false;
    }
  }

  keep(token: string): void {
    localStorage.setItem(PLACE, token);
    this.#token = token;
    this.problem = undefined;
  }

  /** Forgets the token: signed out, or refused by the server. */
  end(): void {
    localStorage.removeItem(PLACE);
    this.#token = undefined;
  }
}

export const session = new Session();

useKeyring({ token: () => session.token, refused: () => session.end() });

// What another tab does counts here too.
addEventListener("storage", (event) => {
  if (event.key !== PLACE) return;
  if (event.newValue === null) session.end();
  else session.keep(event.newValue);
});

export type Access = Schemas extends { Access: infer A } ? A : unknown;
