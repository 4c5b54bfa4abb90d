-- What the person has taken note of in the list of what needs them, by the entry and since when it was there.
CREATE TABLE acknowledgements (
  ws BIGINT NOT NULL,
  entry TEXT NOT NULL,
  since BIGINT NOT NULL,
  made_by TEXT NOT NULL,
  made_at BIGINT NOT NULL,
  PRIMARY KEY (ws, entry)
);

-- The view for other programs has the columns that they know, and no others. They name no workspace, so
-- lookups must not need one.
DROP VIEW tasks;
DROP INDEX work_definitions_status;
DROP INDEX work_definitions_recurrence;
DROP INDEX work_definitions_source;
CREATE INDEX work_definitions_id ON work_definitions (id);
CREATE INDEX work_definitions_status ON work_definitions (status, ws, id);
CREATE INDEX work_definitions_recurrence ON work_definitions (recurrence_id, ws) WHERE recurrence_id IS NOT NULL;
CREATE INDEX work_definitions_source ON work_definitions (source_type, source_ref, ws);
