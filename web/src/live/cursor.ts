// Positions of events: whether an answer contains what an event tells.

import type { LiveEvent } from "./socket";

interface Position {
  host: string;
  seq: number;
}

/** The position in the journal and in the agent store; undefined for another text. */
function positionsOf(cursor: string): { journal: Position; agent: Position } | undefined {
  const [journal, journalSeq, agent, agentSeq, ...more] = cursor.split(".");
  const seqs = [Number(journalSeq), Number(agentSeq)] as const;
  if (!journal || !agent || more.length > 0 || !seqs.every(Number.isSafeInteger)) return undefined;
  return { journal: { host: journal, seq: seqs[0] }, agent: { host: agent, seq: seqs[1] } };
}

/**
 * Whether an event was committed at or before a cursor. Events are in the order of their database only,
 * so the one that the event is of decides. Positions of a restored database are of another host.
 */
export function isUpTo(event: LiveEvent, cursor: string): boolean {
  const [at, end] = [positionsOf(event.cursor), positionsOf(cursor)];
  if (at === undefined || end === undefined) return false;
  const database = event.type === "journal:changed" ? "journal" : "agent";
  return at[database].host === end[database].host && at[database].seq <= end[database].seq;
}
