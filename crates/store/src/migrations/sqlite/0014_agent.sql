-- Agent work. A definition says what is done and when; the columns from `status` to `latest_run` are
-- those of its latest run, written with each step of a run, so that lists need no join.
CREATE TABLE work_definitions (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  source_type TEXT NOT NULL,
  source_ref TEXT,
  title TEXT NOT NULL,
  version BIGINT NOT NULL,
  state TEXT NOT NULL,
  session_id TEXT NOT NULL,
  recurrence_id TEXT,
  schedule TEXT,
  schedule_words TEXT,
  catch_up TEXT NOT NULL,
  overlap TEXT NOT NULL,
  model TEXT,
  template TEXT,
  position TEXT,
  next_due_at BIGINT,
  n_runs BIGINT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  run_state TEXT,
  latest_run TEXT,
  revision BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  PRIMARY KEY (ws, id)
);
CREATE INDEX work_definitions_due ON work_definitions (next_due_at) WHERE next_due_at IS NOT NULL;
CREATE INDEX work_definitions_live ON work_definitions (ws) WHERE deleted_at IS NULL;
CREATE INDEX work_definitions_status ON work_definitions (ws, status, id);
CREATE INDEX work_definitions_recurrence ON work_definitions (ws, recurrence_id) WHERE recurrence_id IS NOT NULL;
CREATE INDEX work_definitions_source ON work_definitions (ws, source_type, source_ref);

-- What a definition told its runs to do, from when on.
CREATE TABLE work_versions (
  ws BIGINT NOT NULL,
  work_id TEXT NOT NULL,
  version BIGINT NOT NULL,
  instructions TEXT NOT NULL,
  made_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (ws, work_id, version)
);

-- One row for each execution, and for each occurrence that was left out.
CREATE TABLE work_runs (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  work_id TEXT NOT NULL,
  n BIGINT NOT NULL,
  version BIGINT NOT NULL,
  source TEXT NOT NULL,
  uid TEXT NOT NULL,
  original_start TEXT NOT NULL,
  zone TEXT NOT NULL,
  fold BIGINT NOT NULL,
  scheduled_for BIGINT,
  session_id TEXT NOT NULL,
  state TEXT NOT NULL,
  skip_reason TEXT,
  attempt BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  corrections_upto BIGINT NOT NULL,
  run_key TEXT,
  outcome TEXT,
  summary TEXT,
  result_title TEXT,
  result TEXT,
  error TEXT,
  created_by TEXT NOT NULL,
  ended_by TEXT,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  completed_at BIGINT,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (ws, id)
);
-- An occurrence runs once, whoever finds it due.
CREATE UNIQUE INDEX work_runs_occurrence ON work_runs (ws, source, uid, original_start, zone, fold);
CREATE UNIQUE INDEX work_runs_of_definition ON work_runs (ws, work_id, n);
CREATE INDEX work_runs_open ON work_runs (ws, work_id, n)
  WHERE state IN ('queued', 'running', 'needs_input', 'needs_review');
CREATE INDEX work_runs_created ON work_runs (ws, created_at, id);

CREATE TABLE work_questions (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  work_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  question TEXT NOT NULL,
  options TEXT NOT NULL,
  answer TEXT,
  answered_by TEXT,
  asked_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  closed_at BIGINT,
  PRIMARY KEY (ws, id)
);
CREATE INDEX work_questions_run ON work_questions (ws, run_id, attempt);
CREATE INDEX work_questions_work ON work_questions (ws, work_id) WHERE closed_at IS NULL;
CREATE INDEX work_questions_open ON work_questions (expires_at, ws) WHERE closed_at IS NULL;

-- What the person told a definition about how it works.
CREATE TABLE work_corrections (
  ws BIGINT NOT NULL,
  work_id TEXT NOT NULL,
  n BIGINT NOT NULL,
  text TEXT NOT NULL,
  made_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (ws, work_id, n)
);
