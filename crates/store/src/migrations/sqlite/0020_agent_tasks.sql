-- Definitions with their latest run, under the names that other programs know: a read view.
CREATE VIEW tasks AS
SELECT d.id AS id, d.type AS type, d.source_type AS source_type,
  d.source_ref AS source_ref, d.title AS title, v.instructions AS instructions,
  d.status AS status, d.session_id AS session_id, d.recurrence_id AS recurrence_id,
  CASE WHEN d.recurrence_id IS NULL THEN NULL ELSE r.original_start END AS occurrence_date,
  strftime('%Y-%m-%dT%H:%M:%SZ', COALESCE(r.scheduled_for, d.next_due_at) / 1000000, 'unixepoch') AS scheduled_for,
  strftime('%Y-%m-%dT%H:%M:%SZ', r.started_at / 1000000, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%SZ', r.completed_at / 1000000, 'unixepoch') AS completed_at,
  d.created_by AS created_by, 'tasks/logs/' || d.id || '.jsonl' AS log_path,
  strftime('%Y-%m-%dT%H:%M:%SZ', d.created_at / 1000000, 'unixepoch') AS created_at
FROM work_definitions d
JOIN work_versions v ON v.ws = d.ws AND v.work_id = d.id AND v.version = d.version
LEFT JOIN work_runs r ON r.ws = d.ws AND r.id = d.latest_run
WHERE d.deleted_at IS NULL;
