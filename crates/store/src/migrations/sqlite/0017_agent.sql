-- What older runs of a definition were folded into, piece by piece. The rows of the runs stay.
CREATE TABLE work_summaries (
  ws BIGINT NOT NULL,
  work_id TEXT NOT NULL,
  upto BIGINT NOT NULL,
  from_n BIGINT NOT NULL,
  n_runs BIGINT NOT NULL,
  corrections_upto BIGINT NOT NULL,
  model TEXT NOT NULL,
  text TEXT NOT NULL,
  sources TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (ws, work_id, upto)
);
