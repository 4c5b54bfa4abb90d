-- Runs of agent work that wait for the person.
CREATE INDEX work_runs_waiting ON work_runs (ws, work_id, n) WHERE state IN ('needs_input', 'needs_review');
-- The most that a missed occurrence may be late and still run. Units: hours.
ALTER TABLE work_definitions ADD COLUMN catch_up_hours BIGINT NOT NULL DEFAULT 24;
-- The run that a run was requested to do again, with a correction.
ALTER TABLE work_runs ADD COLUMN revises TEXT;
