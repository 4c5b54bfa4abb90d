-- What a log line and a request were made of, as JSON. NULL: nobody knows, so no model of somebody
-- else gets to see it.
ALTER TABLE log_lines ADD COLUMN sources TEXT;
ALTER TABLE wake_requests ADD COLUMN sources TEXT;

-- How much of its task the model of a run was not shown, as JSON; NULL: nothing was kept back.
ALTER TABLE wake_run_log ADD COLUMN kept_back TEXT;
