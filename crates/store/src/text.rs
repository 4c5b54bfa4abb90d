//! Texts, stored once by their hash.

use std::sync::LazyLock;

use dormouse_types::{Digest, WorkspaceId, hash};

use crate::commit::{Db, Op};
use crate::in_list;
use crate::params;
use crate::params_values;
use crate::store::{Query, ReadError, ws};
use crate::value::Param;

/// Stores a text unless it exists; returns the digest that identifies it. A text that words were
/// removed from is whole again: somebody wrote them once more.
pub fn put(workspace: WorkspaceId, text: &str) -> (Digest, Op) {
    let digest = hash::sha256(text);
    let op = Op::any(
        "INSERT INTO texts (ws, sha256, text) VALUES (?1, ?2, ?3)
         ON CONFLICT (ws, sha256) DO UPDATE SET text = excluded.text, purged_at = NULL
         WHERE texts.purged_at IS NOT NULL",
        params![ws(workspace), digest.as_str(), text],
    );
    (digest, op)
}

/// Puts other words in the place of a text that is not kept: it is no longer what its hash says.
pub fn remove(workspace: WorkspaceId, digest: &Digest, instead: &str) -> Op {
    Op::any(
        "UPDATE texts SET text = ?3, purged_at = ?4 WHERE ws = ?1 AND sha256 = ?2",
        params![ws(workspace), digest.as_str(), instead, Param::Now],
    )
}

/// A text by its hash; `None` after a purge.
pub fn by_digest(workspace: WorkspaceId, digest: &Digest) -> Query<String> {
    Query {
        db: Db::Agent,
        sql: "SELECT text FROM texts WHERE ws = ?1 AND sha256 = ?2",
        params: params_values![ws(workspace), digest.as_str()],
        decode: |row| {
            row.text(0).map(ToOwned::to_owned).map_err(|e| ReadError::column(Db::Agent, "text", &e))
        },
    }
}

/// Texts with their hashes; purged ones are left out.
pub fn some(workspace: WorkspaceId, digests: &[Digest]) -> Query<(Digest, String)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql("SELECT sha256, text FROM texts WHERE ws = ?1 AND sha256 IN (", ")")
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, digests),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "text", &e);
            let digest = Digest(row.text(0).map_err(column)?.to_owned());
            Ok((digest, row.text(1).map_err(column)?.to_owned()))
        },
    }
}
