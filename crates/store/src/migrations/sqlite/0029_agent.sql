-- Rules of the person about what agents propose. A rule that was removed keeps its row: what it decided
-- names it.
CREATE TABLE rules (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  holder TEXT NOT NULL,
  effect TEXT NOT NULL,
  tool TEXT NOT NULL,
  condition_key TEXT NOT NULL,
  rule_condition TEXT,
  decisions TEXT NOT NULL,
  made_by TEXT NOT NULL,
  made_at BIGINT NOT NULL,
  removed_by TEXT,
  removed_at BIGINT,
  PRIMARY KEY (ws, id)
);
CREATE UNIQUE INDEX rules_in_force ON rules (ws, holder, effect, tool, condition_key)
  WHERE removed_at IS NULL;
-- What a rule did not let through. The same again raises the count of its row.
CREATE TABLE held_back (
  ws BIGINT NOT NULL,
  rule_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  task_id TEXT NOT NULL,
  holder TEXT NOT NULL,
  field_change TEXT,
  times BIGINT NOT NULL,
  held_at BIGINT NOT NULL,
  PRIMARY KEY (ws, rule_id, fingerprint)
);
-- Open items that a rule confirms: the commit that opens one writes it here, and it goes when that was
-- done or cannot be.
CREATE TABLE items_by_rule (
  ws BIGINT NOT NULL,
  set_id TEXT NOT NULL,
  item_index BIGINT NOT NULL,
  rule_id TEXT NOT NULL,
  made_at BIGINT NOT NULL,
  PRIMARY KEY (ws, set_id, item_index)
);
