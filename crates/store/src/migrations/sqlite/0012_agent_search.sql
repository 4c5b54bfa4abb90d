-- The texts that can be searched. `area` is what a search is confined to, such as the memory of an agent;
-- `id` tells the texts of an area apart; `words` is what our own code made of the text, each word with a
-- mark of its area. A row goes with its text.
-- The number is stated because it must outlast VACUUM: the index below refers to it.
CREATE TABLE search_index (
  n INTEGER PRIMARY KEY,
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  area TEXT NOT NULL,
  kind TEXT NOT NULL,
  at BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  sources TEXT NOT NULL,
  words TEXT NOT NULL,
  FOREIGN KEY (ws, sha256) REFERENCES texts (ws, sha256) ON DELETE CASCADE
);
CREATE UNIQUE INDEX search_index_id ON search_index (ws, id, area);
CREATE INDEX search_index_text ON search_index (ws, sha256);

-- The tokenizer separates words at spaces and leaves every sign that is not ASCII as it is. What is
-- deleted leaves no word behind.
CREATE VIRTUAL TABLE search_words USING fts5 (
  words, content = 'search_index', content_rowid = 'n', tokenize = 'ascii', detail = 'none', columnsize = 0
);
INSERT INTO search_words (search_words, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER search_index_added AFTER INSERT ON search_index BEGIN
  INSERT INTO search_words (rowid, words) VALUES (new.n, new.words);
END;
CREATE TRIGGER search_index_removed AFTER DELETE ON search_index BEGIN
  INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', old.n, old.words);
END;
