-- What a person corrected in the plan of an imported file; its next import does the same.
CREATE TABLE import_corrections (
  ws BIGINT NOT NULL,
  file TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (ws, file)
);
