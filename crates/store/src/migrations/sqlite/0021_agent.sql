-- Conversations: what was said to the person outside of a task. Turns are only added.
CREATE TABLE conversations (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- The agent work that it is bound to.
  work_id TEXT,
  title TEXT NOT NULL,
  n_turns BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (ws, id)
);
-- One for what scheduled work reports, and one for each piece of agent work, whoever begins it.
CREATE UNIQUE INDEX conversations_scheduled ON conversations (ws) WHERE kind = 'scheduledEvents';
CREATE UNIQUE INDEX conversations_of_work ON conversations (ws, work_id) WHERE work_id IS NOT NULL;
CREATE INDEX conversations_newest ON conversations (ws, updated_at, id);

CREATE TABLE conversation_turns (
  ws BIGINT NOT NULL,
  conversation_id TEXT NOT NULL,
  n BIGINT NOT NULL,
  role TEXT NOT NULL,
  title TEXT,
  content TEXT NOT NULL,
  work_id TEXT,
  action TEXT,
  run_id TEXT,
  run_n BIGINT,
  sources TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (ws, conversation_id, n)
);
-- A run says its result once.
CREATE UNIQUE INDEX conversation_turns_of_run ON conversation_turns (ws, run_id) WHERE run_id IS NOT NULL;

-- Which agent work a conversation is about.
CREATE TABLE conversation_work (
  ws BIGINT NOT NULL,
  conversation_id TEXT NOT NULL,
  work_id TEXT NOT NULL,
  PRIMARY KEY (ws, conversation_id, work_id)
);
CREATE INDEX conversation_work_of ON conversation_work (ws, work_id, conversation_id);
