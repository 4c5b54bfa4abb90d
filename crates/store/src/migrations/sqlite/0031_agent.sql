-- What a line of a log says the state of: the id of an entry or a checklist item, or the name of a field;
-- empty for what no later line replaces. NULL: the line is older, and only its words say it.
ALTER TABLE log_lines ADD COLUMN subject TEXT;
