-- Which words of a person a run takes in: everything up to the newest message at its claim. The
-- queue says nothing of words any more, so that none replaces another.
ALTER TABLE wake_run_log ADD COLUMN heard_upto BIGINT NOT NULL DEFAULT 0;
UPDATE wake_run_log SET heard_upto = COALESCE((SELECT m.clock_counter FROM agent_entities m
  WHERE m.ws = wake_run_log.ws AND m.id = wake_run_log.message_id), 0)
WHERE message_id IS NOT NULL;
ALTER TABLE wake_run_log DROP COLUMN message_id;
ALTER TABLE wake_queue DROP COLUMN message_id;

-- The words of persons to an agent, in the order of their commits.
CREATE INDEX agent_words ON agent_entities (ws, agent_id, clock_counter)
  WHERE type = 'agentMessage' AND subtype = 'user';

-- The agent store in which the feed was routed last: under another id everybody is to look anew.
ALTER TABLE feed_position ADD COLUMN agent_host TEXT;
UPDATE feed_position SET agent_host = (SELECT value FROM meta WHERE key = 'host');

-- Agents whose report is older than one of the databases: it was restored, or made anew. `db` says
-- which; `seq` is where the journal ended then, and where their next interval begins. A completed run
-- takes the row away.
CREATE TABLE outdated_agents (
  ws BIGINT NOT NULL,
  agent_id TEXT NOT NULL,
  db TEXT NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (ws, agent_id)
);
