-- The steps of a definition, which its next run begins with.
CREATE TABLE work_steps (
  ws BIGINT NOT NULL,
  work_id TEXT NOT NULL,
  steps TEXT NOT NULL,
  PRIMARY KEY (ws, work_id)
);
-- The steps of a run, and how far it has got with them.
CREATE TABLE work_run_steps (
  ws BIGINT NOT NULL,
  run_id TEXT NOT NULL,
  n BIGINT NOT NULL,
  step TEXT NOT NULL,
  state TEXT NOT NULL,
  is_added BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  note TEXT,
  PRIMARY KEY (ws, run_id, n)
);
