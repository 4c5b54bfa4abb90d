-- When words were removed from a text. Its hash is still that of the whole text.
ALTER TABLE texts ADD COLUMN purged_at BIGINT;
-- When a line, or what folds it, was removed from the memory of its holder: no prompt has it any more.
ALTER TABLE log_lines ADD COLUMN removed_at BIGINT;
ALTER TABLE checkpoints ADD COLUMN removed_at BIGINT;
-- Since when a run can no longer be shown as it was.
ALTER TABLE wake_run_log ADD COLUMN purged_at BIGINT;

-- Entries that no agent is shown any more, although they stand in their task.
CREATE TABLE forgotten_entries (
  ws BIGINT NOT NULL,
  task_id TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (ws, task_id, entry_id)
);

-- Removals of words from both databases. `phase` is the next step; `words` are kept only as long as
-- a step needs them.
CREATE TABLE purges (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  line TEXT NOT NULL,
  task_id TEXT,
  entry_id TEXT,
  phase TEXT NOT NULL,
  words TEXT,
  removed TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  done_at BIGINT,
  PRIMARY KEY (ws, id)
);
CREATE UNIQUE INDEX purges_line ON purges (ws, agent_id, line);
CREATE INDEX purges_open ON purges (ws) WHERE done_at IS NULL;
