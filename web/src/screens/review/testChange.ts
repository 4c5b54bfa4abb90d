// A suggested change for tests.

import type { Change } from "./change";

export function change(parts: Partial<Change> = {}): Change {
  return {
    set: "cs-00000000000000000000000001",
    index: 1,
    parent: null,
    toolName: "update_task_estimate",
    args: { minutes: 120 },
    humanSummary: "Set time estimate to 2 hours",
    status: "pending",
    digest: "d".repeat(64),
    evidence: null,
    rationale: null,
    change: { field: { type: "estimate" }, from: null, to: { type: "minutes", minutes: 120 } },
    current: null,
    now: null,
    shown: true,
    expiresAt: null,
    round: 0,
    error: null,
    createdAt: "2026-11-20T10:00:00Z",
    decidedAt: null,
    runKey: "run",
    agentName: "Laura",
    agentId: "ag-00000000000000000000000001",
    isDestructive: false,
    ...parts,
  } as Change;
}
