-- What the older lines of a holder's log were folded into. Rows are never changed; the newest row of an
-- audience is the one in use. `audience`: `everything` was made from all lines, `public` only from
-- those that no model of somebody else is kept from.
CREATE TABLE checkpoints (
  ws BIGINT NOT NULL,
  agent_id TEXT NOT NULL,
  n BIGINT NOT NULL,
  audience TEXT NOT NULL,
  kind TEXT NOT NULL,
  model TEXT NOT NULL,
  version BIGINT NOT NULL,
  from_line BIGINT NOT NULL,
  upto BIGINT NOT NULL,
  depth BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  sources TEXT NOT NULL,
  tainted BIGINT NOT NULL,
  run_key TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (ws, agent_id, n)
);
