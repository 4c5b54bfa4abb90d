//! Receipts: what was applied under an id, and the answer its caller got.

use std::sync::LazyLock;

use dormouse_types::{Digest, Seq, Timestamp, WorkspaceId};

use crate::commit::Db;
use crate::in_list;
use crate::params_values;
use crate::store::{Query, ReadError, ws};

/// The record of a commit applied under an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub id: String,
    pub request: Digest,
    /// The answer the caller got.
    pub answer: String,
    /// Before and after of each field, as JSON.
    pub effects: Option<String>,
    /// The position of the commit.
    pub seq: Seq,
    /// When it was applied.
    pub at: Timestamp,
}

/// The receipt of an id.
pub fn by_id(db: Db, workspace: WorkspaceId, id: &str) -> Query<Receipt> {
    Query {
        db,
        sql: "SELECT id, answer, effects, at, request_digest, seq FROM applied_operations WHERE ws = ?1 AND id = ?2",
        params: params_values![ws(workspace), id],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "receipt", &e);
            Ok(Receipt {
                id: row.text(0).map_err(column)?.to_owned(),
                answer: row.text(1).map_err(column)?.to_owned(),
                effects: row.opt_text(2).map_err(column)?.map(ToOwned::to_owned),
                at: row.time(3).map_err(column)?,
                request: Digest(row.text(4).map_err(column)?.to_owned()),
                seq: Seq(row.int(5).map_err(column)?),
            })
        },
    }
}

/// Which of the given ids have a receipt.
pub fn known(db: Db, workspace: WorkspaceId, ids: &[String]) -> Query<String> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql("SELECT id FROM applied_operations WHERE ws = ?1 AND id IN (", ")")
    });
    let decode = |row: &crate::value::Row| {
        let column = |e| ReadError::column(Db::Journal, "receipt", &e);
        Ok(row.text(0).map_err(column)?.to_owned())
    };
    Query { db, sql: &SQL, params: in_list::params(workspace, ids), decode }
}
