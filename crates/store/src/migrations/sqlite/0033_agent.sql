-- The version of a template whose directives a run was sent; empty for runs of earlier versions, and for
-- those that ended before anything was sent.
ALTER TABLE wake_run_log ADD COLUMN template_version TEXT;
-- How a template does is counted over the runs of its versions, and over proposals by the thread of their
-- run.
CREATE INDEX wake_run_log_version ON wake_run_log (ws, template_version, created_at)
  WHERE template_version IS NOT NULL;
CREATE INDEX wake_run_log_thread ON wake_run_log (ws, thread_id);
