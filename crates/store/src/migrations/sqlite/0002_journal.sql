-- One row per link between two tasks. It belongs to both: each finds it by its own end.
CREATE TABLE linked_entries (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  type TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  serialized TEXT NOT NULL,
  schema_version BIGINT NOT NULL DEFAULT 1,
  clock_host TEXT NOT NULL,
  clock_counter BIGINT NOT NULL,
  PRIMARY KEY (ws, id)
);
CREATE UNIQUE INDEX linked_entries_live ON linked_entries (ws, from_id, to_id, type)
  WHERE deleted_at IS NULL;
CREATE INDEX linked_entries_to ON linked_entries (ws, to_id) WHERE deleted_at IS NULL;
