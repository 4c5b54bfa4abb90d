-- Which tasks have a label, so that the name of a label is judged without reading tasks. `reach` says what
-- decides who may be sent the task: `1` or `0`, private or not, and then the id of its category.
CREATE TABLE label_tasks (
  ws BIGINT NOT NULL,
  label_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  reach TEXT NOT NULL,
  PRIMARY KEY (ws, label_id, task_id)
);
CREATE INDEX label_tasks_reach ON label_tasks (ws, label_id, reach);
