// Every kind of event, for tests that look at all of them.

import type { EventKind } from "./socket";

// A record, so that a kind that is missing here does not compile.
const KINDS: Record<EventKind | "needs-attention", true> = {
  "journal:changed": true,
  "agent:created": true,
  "agent:changed": true,
  "agent:wake": true,
  "agent:report": true,
  "agent:message": true,
  "change-set:created": true,
  "change-set:item": true,
  "provider:away": true,
  "provider:back": true,
  "budget:reached": true,
  "models:changed": true,
  "task:created": true,
  "task:status": true,
  "task:log": true,
  "task:needs-attention": true,
  "conversation:changed": true,
  "template:changed": true,
  "evolution:changed": true,
  "rule:changed": true,
  "settings:changed": true,
  "attention:acknowledged": true,
  "delivery:changed": true,
  "needs-attention": true,
};
export const ALL_KINDS = Object.keys(KINDS);
