-- What each change did, found by its position: a task is shown as it was by undoing its later changes.
CREATE INDEX applied_operations_seq ON applied_operations (ws, seq);
