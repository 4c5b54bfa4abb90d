//! The fence: the highest lease epoch the journal has seen from each holder.

use dormouse_types::WorkspaceId;

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::{params, params_values};

/// Passes the fence with an epoch, raising it; refused when a newer owner raised it higher.
///
/// The fence and the lease are in different databases. Without it, an owner that lost its lease
/// could still write to the journal. Both ops belong in one commit, before its other writes; a
/// takeover commits them alone.
pub fn pass(workspace: WorkspaceId, holder: &str, epoch: i64) -> [Op; 2] {
    [
        Op::any(
            "INSERT INTO fence (ws, holder, epoch) VALUES (?1, ?2, ?3)
             ON CONFLICT (ws, holder) DO NOTHING",
            params![ws(workspace), holder, epoch],
        ),
        Op::one(
            "UPDATE fence SET epoch = ?3 WHERE ws = ?1 AND holder = ?2 AND epoch <= ?3",
            params![ws(workspace), holder, epoch],
            Refusal::Fenced,
        ),
    ]
}

/// The lowest epoch with which a holder may write.
pub fn of(workspace: WorkspaceId, holder: &str) -> Query<i64> {
    Query {
        db: Db::Journal,
        sql: "SELECT epoch FROM fence WHERE ws = ?1 AND holder = ?2",
        params: params_values![ws(workspace), holder],
        decode: |row| row.int(0).map_err(|e| ReadError::column(Db::Journal, "fence", &e)),
    }
}

/// The epochs of all holders of a workspace.
pub fn all(workspace: WorkspaceId) -> Query<(String, i64)> {
    Query {
        db: Db::Journal,
        sql: "SELECT holder, epoch FROM fence WHERE ws = ?1",
        params: params_values![ws(workspace)],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "fence", &e);
            Ok((row.text(0).map_err(column)?.to_owned(), row.int(1).map_err(column)?))
        },
    }
}
