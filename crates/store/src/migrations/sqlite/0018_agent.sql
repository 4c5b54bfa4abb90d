-- The changes of tasks that start a definition, and how far the journal was looked at for them: no change
-- up to that position starts it. A position in another copy of a database counts for nothing.
CREATE TABLE work_filters (
  ws BIGINT NOT NULL,
  work_id TEXT NOT NULL,
  filters TEXT NOT NULL,
  host TEXT NOT NULL,
  agent_host TEXT NOT NULL,
  upto BIGINT NOT NULL,
  PRIMARY KEY (ws, work_id)
);
