-- Hooks: addresses that programs outside call to start a run of a definition. `secrets` holds them sealed,
-- by a key that is in neither database.
CREATE TABLE work_hooks (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  work_id TEXT NOT NULL,
  name TEXT NOT NULL,
  form TEXT NOT NULL,
  secrets TEXT NOT NULL,
  revision BIGINT NOT NULL,
  made_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  removed_at BIGINT,
  PRIMARY KEY (ws, id)
);
CREATE INDEX work_hooks_of_work ON work_hooks (ws, work_id, id) WHERE removed_at IS NULL;

-- The calls that started runs, each with its run. `signed` is what the signature makes unique: the id of
-- the call, or the hash of its body if the id is not signed.
CREATE TABLE work_hook_calls (
  ws BIGINT NOT NULL,
  run_id TEXT NOT NULL,
  hook_id TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  signed TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  payload TEXT NOT NULL,
  sender TEXT NOT NULL,
  received_at BIGINT NOT NULL,
  PRIMARY KEY (ws, run_id)
);
CREATE UNIQUE INDEX work_hook_calls_delivery ON work_hook_calls (ws, hook_id, delivery_id);
CREATE UNIQUE INDEX work_hook_calls_signed ON work_hook_calls (ws, hook_id, signed);
CREATE INDEX work_hook_calls_newest ON work_hook_calls (ws, hook_id, received_at);

-- How many calls of a hook there were in an hour, by what became of them, and the last one that was
-- refused. The row of the empty hook counts the calls of addresses that no hook has.
CREATE TABLE work_hook_hours (
  ws BIGINT NOT NULL,
  hook_id TEXT NOT NULL,
  hour BIGINT NOT NULL,
  n_started BIGINT NOT NULL,
  n_repeated BIGINT NOT NULL,
  n_unknown BIGINT NOT NULL,
  n_malformed BIGINT NOT NULL,
  n_forged BIGINT NOT NULL,
  n_late BIGINT NOT NULL,
  n_altered BIGINT NOT NULL,
  n_inactive BIGINT NOT NULL,
  n_too_many BIGINT NOT NULL,
  n_unreadable BIGINT NOT NULL,
  refusal TEXT,
  sender TEXT,
  refused_at BIGINT,
  PRIMARY KEY (ws, hook_id, hour)
);
