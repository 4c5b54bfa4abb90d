-- How long the body of a call was that is not kept any more; NULL while it is.
ALTER TABLE work_hook_calls ADD COLUMN removed_bytes BIGINT;
CREATE INDEX work_hook_calls_bodies ON work_hook_calls (received_at) WHERE removed_bytes IS NULL;
