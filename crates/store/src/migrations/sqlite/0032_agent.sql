-- Whether agent work was paused with all other, and is resumed with it.
ALTER TABLE work_definitions ADD COLUMN paused_with_all BIGINT NOT NULL DEFAULT 0;
