-- More of what a run used; empty as long as none was.
ALTER TABLE wake_run_log ADD COLUMN cache_write_tokens BIGINT;
ALTER TABLE wake_run_log ADD COLUMN reasoning_tokens BIGINT;

-- What a provider must get back with a turn that it gave. Apart from messages: it is never shown and
-- never remembered.
CREATE TABLE provider_states (
  ws BIGINT NOT NULL,
  run_key TEXT NOT NULL,
  turn BIGINT NOT NULL,
  provider TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (ws, run_key, turn)
);

-- One row for each call of a model that is not built in, written before the call. `reserved` and
-- `cost` are in `unit`; a call that is still open counts as its reservation.
CREATE TABLE model_calls (
  ws BIGINT NOT NULL,
  run_key TEXT NOT NULL,
  turn BIGINT NOT NULL,
  attempt BIGINT NOT NULL,
  holder TEXT NOT NULL,
  model TEXT NOT NULL,
  called_at BIGINT NOT NULL,
  day TEXT NOT NULL,
  status TEXT NOT NULL,
  unit TEXT NOT NULL,
  reserved BIGINT NOT NULL,
  cost BIGINT,
  input_tokens BIGINT,
  cached_input_tokens BIGINT,
  cache_write_tokens BIGINT,
  output_tokens BIGINT,
  reasoning_tokens BIGINT,
  PRIMARY KEY (ws, run_key, turn, attempt)
);
CREATE INDEX model_calls_day ON model_calls (ws, day);

-- What a scope may still spend on a day is its budget less both columns.
CREATE TABLE spend (
  ws BIGINT NOT NULL,
  scope TEXT NOT NULL,
  day TEXT NOT NULL,
  unit TEXT NOT NULL,
  reserved BIGINT NOT NULL,
  spent BIGINT NOT NULL,
  PRIMARY KEY (ws, scope, day, unit)
);

-- Providers, models, the one in use and the budgets, as one document.
CREATE TABLE model_settings (
  ws BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  paid_calls BIGINT NOT NULL,
  doc TEXT NOT NULL,
  PRIMARY KEY (ws)
);
