-- The change that an item makes, as values: a reader makes the words. Rows without it are older, and say
-- in `before`, in English, what the value was.
ALTER TABLE change_items ADD COLUMN field_change TEXT;
