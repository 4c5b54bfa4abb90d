-- One row per task, checklist, item, entry, label and category; `serialized` is the whole entity.
-- `task_id` names the aggregate a row belongs to, a task's own row included; `revision` counts on
-- the task's own row only. `folded` is the title or name in lower case: what a search looks at.
CREATE TABLE journal (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  subtype TEXT,
  task_id TEXT,
  folded TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  revision BIGINT NOT NULL DEFAULT 0,
  serialized TEXT NOT NULL,
  schema_version BIGINT NOT NULL DEFAULT 1,
  clock_host TEXT NOT NULL,
  clock_counter BIGINT NOT NULL,
  PRIMARY KEY (ws, id)
);
CREATE INDEX journal_task ON journal (ws, task_id, type, created_at) WHERE task_id IS NOT NULL;
CREATE INDEX journal_type ON journal (ws, type, created_at);
-- Two people who make the same label at once get one label.
CREATE UNIQUE INDEX journal_definition ON journal (ws, type, folded)
  WHERE type IN ('label', 'category') AND deleted_at IS NULL;

-- Which tasks a change touched: the delta of a task is one index range.
CREATE TABLE touched_tasks (
  ws BIGINT NOT NULL,
  task_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (ws, task_id, seq)
);

-- The last word on each field: a person's say is not overwritten without newer evidence.
CREATE TABLE field_says (
  ws BIGINT NOT NULL,
  task_id TEXT NOT NULL,
  field TEXT NOT NULL,
  by TEXT NOT NULL,
  at BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (ws, task_id, field)
);

-- What an import wrote, by its stable key: a re-import changes only what nobody touched since.
CREATE TABLE imported (
  ws BIGINT NOT NULL,
  key TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (ws, key)
);

CREATE TABLE settings (
  ws BIGINT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (ws, key)
);

-- The highest lease epoch seen per agent: a stale owner's journal write is refused.
CREATE TABLE fence (
  ws BIGINT NOT NULL,
  holder TEXT NOT NULL,
  epoch BIGINT NOT NULL,
  PRIMARY KEY (ws, holder)
);
