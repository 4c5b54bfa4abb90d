-- Automatic wakes are held back until then; a person's are not.
ALTER TABLE wake_queue ADD COLUMN sleep_until BIGINT;

-- When an agent is to be woken whatever happens: a due date that draws near, "wake me at". One per
-- agent and kind. fired_at is set with the signal; a completed run clears what had fired.
CREATE TABLE timers (
  ws BIGINT NOT NULL,
  agent_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at BIGINT NOT NULL,
  about TEXT,
  set_at BIGINT NOT NULL,
  fired_at BIGINT,
  PRIMARY KEY (ws, agent_id, kind)
);
CREATE INDEX timers_due ON timers (ws, at) WHERE fired_at IS NULL;

-- A model provider that failed lately: while it is open, nothing is claimed that would ask it.
CREATE TABLE breakers (
  ws BIGINT NOT NULL,
  provider TEXT NOT NULL,
  failures BIGINT NOT NULL,
  since BIGINT NOT NULL,
  opened BIGINT NOT NULL,
  open_until BIGINT,
  detail TEXT NOT NULL,
  PRIMARY KEY (ws, provider)
);

-- What the sweep looks for: open items by when they were shown, and open operations.
CREATE INDEX change_items_shown ON change_items (shown_at) WHERE is_open = 1;
CREATE INDEX saga_log_open ON saga_log (ws) WHERE status = 'pending';
