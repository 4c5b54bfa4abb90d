-- Tokens that a run used, added up over its turns; empty as long as none were used.
ALTER TABLE wake_run_log ADD COLUMN input_tokens BIGINT;
ALTER TABLE wake_run_log ADD COLUMN cached_input_tokens BIGINT;
ALTER TABLE wake_run_log ADD COLUMN output_tokens BIGINT;
