-- What each change did, found by its position: a task is shown as it was by taking its later changes back.
CREATE INDEX applied_operations_seq ON applied_operations (ws, seq);
