-- What the writer itself keeps, alike in both databases.
CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE counters (ws BIGINT NOT NULL PRIMARY KEY, seq BIGINT NOT NULL);

CREATE TABLE applied_operations (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  answer TEXT NOT NULL,
  effects TEXT,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (ws, id)
);

CREATE TABLE change_log (
  ws BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  origin TEXT NOT NULL,
  depth BIGINT NOT NULL,
  touched TEXT NOT NULL,
  neighbours TEXT NOT NULL,
  what TEXT NOT NULL,
  event TEXT NOT NULL,
  subject TEXT,
  at BIGINT NOT NULL,
  PRIMARY KEY (ws, seq)
);

CREATE TABLE audit_log (
  ws BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  n BIGINT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  object TEXT NOT NULL,
  detail TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (ws, seq, n)
);
