-- Who may come in. A token itself is kept nowhere, only its SHA-256; that names its workspace, so it
-- is one of a kind in all of them. `scopes` are names with a space between them.
CREATE TABLE tokens (
  ws BIGINT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  scopes TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  last_used_at BIGINT,
  expires_at BIGINT,
  revoked_at BIGINT,
  PRIMARY KEY (ws, id)
);
CREATE UNIQUE INDEX tokens_sha256 ON tokens (sha256);

-- Codes that are exchanged for a token once.
CREATE TABLE access_codes (
  ws BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT,
  PRIMARY KEY (ws, sha256)
);
CREATE UNIQUE INDEX access_codes_sha256 ON access_codes (sha256);
