-- What a database last knew of the other one: whose it was, and how far it had come. Written with the
-- counter itself, so each commit carries it.
ALTER TABLE counters ADD COLUMN other_host TEXT;
ALTER TABLE counters ADD COLUMN other_seq BIGINT;
