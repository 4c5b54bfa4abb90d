// The line of this page: a real socket, whose news go into the live store.

import { api, ask } from "../api/client";
import { mail } from "../app/mail";
import { Socket, type Line, type World } from "./socket";
import { live } from "./store.svelte";

const world: World = {
  async ticket() {
    const answer = await ask(api.POST("/api/ws-tickets", {}));
    return (answer as { ticket: string }).ticket;
  },
  open(path) {
    const url = new URL(path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return new WebSocket(url) as unknown as Line;
  },
  later(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

export const line = new Socket(world, {
  event: (event) => live.hear(event),
  resync: () => live.resync(),
  state(up) {
    if (up ? live.isUp : live.downSince !== undefined) return;
    live.isUp = up;
    live.downSince = up ? undefined : new Date();
    if (up) void mail.flush();
  },
  version: (version) => (live.version = version),
});

addEventListener("offline", () => line.cut());
addEventListener("online", () => {
  line.nudge();
  // The line may have outlived a short break that an edit did not.
  void mail.flush();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) line.nudge();
});
