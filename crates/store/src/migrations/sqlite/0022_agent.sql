-- What a run of agent work proposed is found by the run.
CREATE INDEX change_items_proposer ON change_items (ws, agent_id);
-- How many results of agent work led to a run. What comes of it counts one more.
ALTER TABLE work_runs ADD COLUMN depth BIGINT NOT NULL DEFAULT 0;
