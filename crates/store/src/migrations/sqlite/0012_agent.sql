-- What the answers to the calls of a turn were made of beyond its request, as JSON; NULL: of nothing else.
ALTER TABLE wake_requests ADD COLUMN answer_sources TEXT;

-- Lines of logs that were folded before there was a search index: the next one to index, and the last.
-- A row goes when its lines are in the index.
CREATE TABLE search_backlog (
  ws BIGINT NOT NULL,
  agent_id TEXT NOT NULL,
  next BIGINT NOT NULL,
  upto BIGINT NOT NULL,
  PRIMARY KEY (ws, agent_id)
);
INSERT INTO search_backlog (ws, agent_id, next, upto)
SELECT ws, agent_id, 1, MAX(upto) FROM checkpoints GROUP BY ws, agent_id;
