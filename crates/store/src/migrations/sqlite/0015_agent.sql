-- Rows of one kind of holder in claim order: a kind with slots of its own must not read past the
-- queue of another. The first three characters of an id tell the kinds apart.
CREATE INDEX wake_queue_due_of ON wake_queue (ws, substr(agent_id, 1, 3), priority, due_at)
  WHERE due_at IS NOT NULL;
