//! Tokens: who has access, and what they may do. Only the hash of a token is stored.

use dormouse_types::closed_list::Listed;
use dormouse_types::{Digest, IdError, Scope, Timestamp, TokenId, TokenKind, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// A token as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its public id.
    pub id: TokenId,
    /// The workspace it opens.
    pub ws: WorkspaceId,
    /// The name its owner gave it.
    pub name: String,
    /// The kind of holder; the name of a newer version is kept.
    pub kind: Listed<TokenKind>,
    /// Its scopes; those of a newer version are left out.
    pub scopes: Vec<Scope>,
    /// The SHA-256 of its text.
    pub sha256: Digest,
    pub created_at: Timestamp,
    /// Its creator, as the audit log names them.
    pub created_by: String,
    /// When it was last used, to within a minute.
    pub last_used_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
}

impl Token {
    /// Whether it grants access at this time.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

/// Adds a token; refused when its id or its hash exists.
pub fn insert(token: &Token) -> Op {
    Op::one(
        "INSERT INTO tokens (ws, id, name, kind, scopes, sha256, created_at, created_by,
           last_used_at, expires_at, revoked_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            ws(token.ws),
            token.id.to_string(),
            token.name.as_str(),
            token.kind.name(),
            words(&token.scopes),
            token.sha256.as_str(),
            token.created_at,
            token.created_by.as_str(),
            token.last_used_at,
            token.expires_at,
            token.revoked_at,
        ],
        Refusal::Exists,
    )
}

/// Revokes a token permanently; refused when it does not exist or was already revoked.
pub fn revoke(workspace: WorkspaceId, id: &TokenId, at: Timestamp) -> Op {
    Op::one(
        "UPDATE tokens SET revoked_at = ?3 WHERE ws = ?1 AND id = ?2 AND revoked_at IS NULL",
        params![ws(workspace), id.to_string(), at],
        Refusal::Missing,
    )
}

/// Records that a token was used, unless a use after `since` is already recorded.
pub fn used(workspace: WorkspaceId, id: &TokenId, at: Timestamp, since: Timestamp) -> Op {
    Op::any(
        "UPDATE tokens SET last_used_at = ?3
         WHERE ws = ?1 AND id = ?2 AND (last_used_at IS NULL OR last_used_at <= ?4)",
        params![ws(workspace), id.to_string(), at, since],
    )
}

/// Deletes tokens that were revoked or had expired before a time.
pub fn forget(workspace: WorkspaceId, before: Timestamp) -> Op {
    Op::any(
        "DELETE FROM tokens WHERE ws = ?1 AND (revoked_at < ?2 OR expires_at < ?2)",
        params![ws(workspace), before],
    )
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT ws, id, name, kind, scopes, sha256, created_at, created_by, last_used_at,
               expires_at, revoked_at FROM tokens ",
            $rest
        )
    };
}

/// The token with this hash, in any workspace.
pub fn by_hash(sha256: &Digest) -> Query<Token> {
    Query {
        db: Db::Journal,
        sql: select!("WHERE sha256 = ?1"),
        params: params_values![sha256.as_str()],
        decode,
    }
}

/// The token with this id.
pub fn by_id(workspace: WorkspaceId, id: &TokenId) -> Query<Token> {
    Query {
        db: Db::Journal,
        sql: select!("WHERE ws = ?1 AND id = ?2"),
        params: params_values![ws(workspace), id.to_string()],
        decode,
    }
}

/// Every token of a workspace, newest first.
pub fn all(workspace: WorkspaceId) -> Query<Token> {
    Query {
        db: Db::Journal,
        sql: select!("WHERE ws = ?1 ORDER BY id DESC"),
        params: params_values![ws(workspace)],
        decode,
    }
}

/// Scopes as one string.
pub(super) fn words(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(" ")
}

/// The scopes in such a string. A scope this version does not know grants nothing.
pub(super) fn scopes(words: &str) -> Vec<Scope> {
    words.split(' ').filter_map(|word| word.parse().ok()).collect()
}

fn decode(row: &Row) -> Result<Token, ReadError> {
    let column = |e| ReadError::column(Db::Journal, "token", &e);
    let id = row.text(1).map_err(column)?;
    let corrupt = |e: IdError| ReadError::Corrupt {
        db: Db::Journal.name(),
        noun: "token",
        id: id.to_owned(),
        detail: e.to_string(),
    };
    Ok(Token {
        ws: WorkspaceId(row.int(0).map_err(column)?),
        id: id.parse().map_err(corrupt)?,
        name: row.text(2).map_err(column)?.to_owned(),
        kind: Listed::named(row.text(3).map_err(column)?),
        scopes: scopes(row.text(4).map_err(column)?),
        sha256: Digest(row.text(5).map_err(column)?.to_owned()),
        created_at: row.time(6).map_err(column)?,
        created_by: row.text(7).map_err(column)?.to_owned(),
        last_used_at: row.opt_time(8).map_err(column)?,
        expires_at: row.opt_time(9).map_err(column)?,
        revoked_at: row.opt_time(10).map_err(column)?,
    })
}
