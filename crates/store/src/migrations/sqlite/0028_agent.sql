-- The public status that agent work had before a commit that changed it: what an event about an earlier
-- commit says of it. A row goes with the change rows of its commit.
CREATE TABLE work_statuses (
  ws BIGINT NOT NULL,
  work_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  status_before TEXT NOT NULL,
  PRIMARY KEY (ws, work_id, seq)
);
CREATE INDEX work_statuses_seq ON work_statuses (ws, seq);
