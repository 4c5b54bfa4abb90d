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
