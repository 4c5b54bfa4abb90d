-- The messages of an agent in the order of their commits: a page reads its own rows and no others.
CREATE INDEX agent_messages ON agent_entities (ws, agent_id, clock_counter)
  WHERE type = 'agentMessage';
