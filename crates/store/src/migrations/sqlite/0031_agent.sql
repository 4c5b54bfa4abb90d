-- Runs of agent work that wait for the person.
CREATE INDEX work_runs_waiting ON work_runs (ws, work_id, n) WHERE state IN ('needs_input', 'needs_review');
