-- The kind of a run's failure, if the program acts on it: a cancelled run counts as a failure of nothing.
ALTER TABLE wake_run_log ADD COLUMN failure TEXT;
