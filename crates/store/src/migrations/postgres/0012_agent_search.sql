-- The texts that can be searched. `area` is what a search is confined to, such as the memory of an agent;
-- `id` tells the texts of an area apart; `words` is what our own code made of the text, each word with a
-- mark of its area. A row goes with its text.
CREATE TABLE search_index (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  area TEXT NOT NULL,
  kind TEXT NOT NULL,
  at BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  sources TEXT NOT NULL,
  words TEXT NOT NULL,
  PRIMARY KEY (ws, id, area),
  FOREIGN KEY (ws, sha256) REFERENCES texts (ws, sha256) ON DELETE CASCADE
);
CREATE INDEX search_index_text ON search_index (ws, sha256);
-- No text search configuration is involved: the words are those that our own code made.
CREATE INDEX search_index_words ON search_index
  USING GIN (array_to_tsvector(string_to_array(words, ' ')));
