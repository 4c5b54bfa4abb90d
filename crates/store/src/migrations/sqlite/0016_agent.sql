-- Work that needs no language model: its kind and parameters, its language, and what of its
-- instructions was not understood, as JSON. NULL is work for a language model.
ALTER TABLE work_definitions ADD COLUMN built_in TEXT;
-- The numbers that the result of a run names, each with what it counts, as JSON.
ALTER TABLE work_runs ADD COLUMN figures TEXT;
-- What a person decided lately.
CREATE INDEX change_items_decided ON change_items (ws, decided_at) WHERE decided_at IS NOT NULL;
