// The app's outbox.

import { Outbox, httpTransport } from "../live/outbox.svelte";
import { session } from "./session.svelte";

export const outbox = new Outbox(
  httpTransport(
    () => session.token,
    () => session.signOut(),
  ),
);
