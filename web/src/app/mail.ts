// The outbox of this page.

import { Outbox, httpPost } from "../live/outbox.svelte";
import { session } from "./session.svelte";

export const mail = new Outbox(
  httpPost(
    () => session.token,
    () => session.end(),
  ),
);
