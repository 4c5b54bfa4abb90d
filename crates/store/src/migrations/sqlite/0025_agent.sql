-- What the person is told about agent work: written with what it is about, shown by its target at least
-- once, and kept until the person has seen it. The words are those of the run that it names.
CREATE TABLE deliveries (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  target TEXT NOT NULL,
  kind TEXT NOT NULL,
  work_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  state TEXT NOT NULL,
  n_tries BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  delivered_at BIGINT,
  read_at BIGINT,
  PRIMARY KEY (ws, id)
);
CREATE INDEX deliveries_newest ON deliveries (ws, created_at, id);
CREATE INDEX deliveries_of_state ON deliveries (ws, state, created_at, id);
CREATE INDEX deliveries_of_run ON deliveries (ws, run_id) WHERE state <> 'read';
CREATE INDEX deliveries_of_work ON deliveries (ws, work_id, created_at, id) WHERE state <> 'read';
