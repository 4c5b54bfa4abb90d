// The app's live connection: a real WebSocket that feeds the live store.

import { api, unwrap } from "../api/client";
import { outbox } from "../app/outbox";
import { drafts } from "./drafts.svelte";
import { Socket, type WebSocketLike, type SocketDeps } from "./socket";
import { live } from "./store.svelte";

const deps: SocketDeps = {
  async ticket() {
    const answer = await unwrap(api.POST("/api/ws-tickets", {}));
    return (answer as { ticket: string }).ticket;
  },
  open(path) {
    const url = new URL(path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return new WebSocket(url) as unknown as WebSocketLike;
  },
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

export const connection = new Socket(deps, {
  onEvent(event) {
    drafts.onEvent(event);
    live.onEvent(event);
  },
  onDraft: (frame) => drafts.onDraft(frame),
  onResync: () => live.resync(),
  onStateChange(up) {
    if (!up) drafts.clear();
    if (up ? live.isUp : live.downSince !== undefined) return;
    live.isUp = up;
    live.downSince = up ? undefined : new Date();
    if (up) void outbox.flush();
  },
  onVersion: (version) => (live.version = version),
});

addEventListener("offline", () => connection.markBroken());
addEventListener("online", () => {
  connection.reconnectNow();
  // The socket may have survived a short network failure that a request did not.
  void outbox.flush();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) connection.reconnectNow();
});
