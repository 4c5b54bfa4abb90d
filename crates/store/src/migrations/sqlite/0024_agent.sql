-- The task that the results of delegated work come back to.
CREATE TABLE work_result_tasks (
  ws BIGINT NOT NULL,
  work_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  PRIMARY KEY (ws, work_id)
);
-- Results on their way back: written with the end of a run, and gone over until the entry is there.
CREATE TABLE work_results (
  ws BIGINT NOT NULL,
  run_id TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  task_id TEXT NOT NULL,
  is_pending BIGINT NOT NULL,
  gone TEXT,
  PRIMARY KEY (ws, run_id, attempt)
);
CREATE INDEX work_results_pending ON work_results (ws, run_id, attempt) WHERE is_pending = 1;
