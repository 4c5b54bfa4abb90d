//! One-time codes: a person enters one on a page, which exchanges it once for a token.

use dormouse_types::{Digest, Scope, Timestamp, WorkspaceId};

use super::token::{scopes, words};
use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::{params, params_values};

/// A code as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessCode {
    /// The workspace its token will open.
    pub ws: WorkspaceId,
    /// The SHA-256 of its text.
    pub sha256: Digest,
    /// The scopes of its token.
    pub scopes: Vec<Scope>,
    pub created_at: Timestamp,
    /// Its creator, as the audit log names them.
    pub created_by: String,
    pub expires_at: Timestamp,
    /// When it was exchanged.
    pub used_at: Option<Timestamp>,
}

/// Adds a code; refused when its hash exists.
pub fn insert(code: &AccessCode) -> Op {
    Op::one(
        "INSERT INTO access_codes (ws, sha256, scopes, created_at, created_by, expires_at, used_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            ws(code.ws),
            code.sha256.as_str(),
            words(&code.scopes),
            code.created_at,
            code.created_by.as_str(),
            code.expires_at,
            code.used_at,
        ],
        Refusal::Exists,
    )
}

/// Uses up a code; refused when it does not exist, was used before, or has expired.
pub fn exchange(workspace: WorkspaceId, sha256: &Digest, at: Timestamp) -> Op {
    Op::one(
        "UPDATE access_codes SET used_at = ?3
         WHERE ws = ?1 AND sha256 = ?2 AND used_at IS NULL AND expires_at > ?3",
        params![ws(workspace), sha256.as_str(), at],
        Refusal::Missing,
    )
}

/// Deletes codes that expired before a time.
pub fn forget(workspace: WorkspaceId, before: Timestamp) -> Op {
    Op::any(
        "DELETE FROM access_codes WHERE ws = ?1 AND expires_at < ?2",
        params![ws(workspace), before],
    )
}

/// The code with this hash, in any workspace.
pub fn by_hash(sha256: &Digest) -> Query<AccessCode> {
    Query {
        db: Db::Journal,
        sql: "SELECT ws, sha256, scopes, created_at, created_by, expires_at, used_at
              FROM access_codes WHERE sha256 = ?1",
        params: params_values![sha256.as_str()],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "access code", &e);
            Ok(AccessCode {
                ws: WorkspaceId(row.int(0).map_err(column)?),
                sha256: Digest(row.text(1).map_err(column)?.to_owned()),
                scopes: scopes(row.text(2).map_err(column)?),
                created_at: row.time(3).map_err(column)?,
                created_by: row.text(4).map_err(column)?.to_owned(),
                expires_at: row.time(5).map_err(column)?,
                used_at: row.opt_time(6).map_err(column)?,
            })
        },
    }
}
