-- One table for agents, states, messages, payloads, reports, heads, change sets and decisions.
CREATE TABLE agent_entities (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  type TEXT NOT NULL,
  subtype TEXT,
  thread_id TEXT,
  task_id TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  serialized TEXT NOT NULL,
  schema_version BIGINT NOT NULL DEFAULT 1,
  clock_host TEXT NOT NULL,
  clock_counter BIGINT NOT NULL,
  PRIMARY KEY (ws, id)
);
CREATE INDEX agent_entities_agent ON agent_entities (ws, agent_id, type, subtype, created_at DESC);
CREATE INDEX agent_entities_type ON agent_entities (ws, type, created_at DESC);
CREATE INDEX agent_entities_task ON agent_entities (ws, task_id, type, created_at DESC)
  WHERE task_id IS NOT NULL;
CREATE INDEX agent_entities_thread ON agent_entities (ws, thread_id, created_at)
  WHERE thread_id IS NOT NULL;

CREATE TABLE agent_links (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  type TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  serialized TEXT NOT NULL,
  schema_version BIGINT NOT NULL DEFAULT 1,
  clock_host TEXT NOT NULL,
  clock_counter BIGINT NOT NULL,
  PRIMARY KEY (ws, id)
);
CREATE UNIQUE INDEX agent_links_live ON agent_links (ws, from_id, type, to_id)
  WHERE deleted_at IS NULL;
CREATE INDEX agent_links_to ON agent_links (ws, to_id, type);

-- A stored subscription: `watch` is own for the task an agent belongs to.
CREATE TABLE subscriptions (
  ws BIGINT NOT NULL,
  task_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  id TEXT NOT NULL,
  watch TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (ws, task_id, agent_id)
);
CREATE INDEX subscriptions_agent ON subscriptions (ws, agent_id, task_id);
CREATE UNIQUE INDEX subscriptions_own ON subscriptions (ws, task_id) WHERE watch = 'own';

CREATE TABLE feed_position (
  ws BIGINT NOT NULL PRIMARY KEY,
  host TEXT NOT NULL,
  seq BIGINT NOT NULL
);

-- One row per agent, for life. due_at NULL = asleep; run_key = the run the lease is for.
CREATE TABLE wake_queue (
  ws BIGINT NOT NULL,
  agent_id TEXT NOT NULL,
  reasons BIGINT NOT NULL,
  first_signal_at BIGINT,
  due_at BIGINT,
  upto BIGINT NOT NULL,
  priority BIGINT NOT NULL,
  request_id TEXT,
  message_id TEXT,
  run_key TEXT,
  owner TEXT,
  epoch BIGINT NOT NULL,
  expires_at BIGINT,
  crashes BIGINT NOT NULL,
  PRIMARY KEY (ws, agent_id)
);
CREATE INDEX wake_queue_due ON wake_queue (ws, priority, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX wake_queue_leased ON wake_queue (owner) WHERE owner IS NOT NULL;

CREATE TABLE wake_run_log (
  ws BIGINT NOT NULL,
  run_key TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  reason_id TEXT,
  initiator TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  status TEXT NOT NULL,
  logical_change_key TEXT,
  processed BIGINT NOT NULL,
  upto BIGINT NOT NULL,
  message_id TEXT,
  epoch BIGINT NOT NULL,
  crashes BIGINT NOT NULL,
  model TEXT,
  cut BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  completed_at BIGINT,
  error_message TEXT,
  PRIMARY KEY (ws, run_key)
);
CREATE INDEX wake_run_log_agent ON wake_run_log (ws, agent_id, created_at DESC);
CREATE INDEX wake_run_log_status ON wake_run_log (ws, status);

-- What a turn asked: spans and digest of the canonical request; the prompt is rebuilt from them.
CREATE TABLE wake_requests (
  ws BIGINT NOT NULL,
  run_key TEXT NOT NULL,
  turn BIGINT NOT NULL,
  spans TEXT NOT NULL,
  digest TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (ws, run_key, turn)
);

CREATE TABLE texts (
  ws BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (ws, sha256)
);

CREATE TABLE log_lines (
  ws BIGINT NOT NULL,
  agent_id TEXT NOT NULL,
  n BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  run_key TEXT NOT NULL,
  PRIMARY KEY (ws, agent_id, n)
);

CREATE TABLE change_items (
  ws BIGINT NOT NULL,
  set_id TEXT NOT NULL,
  item_index BIGINT NOT NULL,
  task_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  args TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  evidence TEXT,
  rationale TEXT,
  before TEXT,
  state TEXT NOT NULL,
  is_open BIGINT NOT NULL,
  round BIGINT NOT NULL,
  operation_id TEXT NOT NULL,
  error TEXT,
  shown_at BIGINT,
  created_at BIGINT NOT NULL,
  decided_at BIGINT,
  PRIMARY KEY (ws, set_id, item_index)
);
CREATE UNIQUE INDEX change_items_open ON change_items (ws, task_id, fingerprint) WHERE is_open = 1;
-- The open items of a workspace by task, without the decided ones.
CREATE INDEX change_items_waiting ON change_items (ws, task_id, created_at, set_id, item_index)
  WHERE is_open = 1;
CREATE INDEX change_items_task ON change_items (ws, task_id, created_at);

CREATE TABLE saga_log (
  ws BIGINT NOT NULL,
  operation_id TEXT NOT NULL,
  run_key TEXT NOT NULL,
  phase TEXT NOT NULL,
  status TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  payload TEXT NOT NULL,
  last_error TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (ws, operation_id)
);
CREATE INDEX saga_log_status ON saga_log (ws, status, updated_at);
