//! Audit rows: who did what, written in the same transaction as its effect.

use dormouse_types::audit::AuditAction;
use dormouse_types::closed_list::Listed;
use dormouse_types::{Actor, Seq, Timestamp, WorkspaceId};

use crate::commit::Db;
use crate::params_values;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;

/// A row of the audit log of one database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Where it is in the log of its database.
    pub place: AuditPlace,
    /// Who did it.
    pub actor: Actor,
    /// What.
    pub action: Listed<AuditAction>,
    /// The object's id.
    pub object: String,
    /// More, as short text.
    pub detail: String,
    /// When.
    pub at: Timestamp,
}

/// A place in the audit log of one database: the commit, and the row of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuditPlace {
    /// The position of the commit.
    pub seq: Seq,
    /// The row among those of the commit.
    pub n: i64,
}

impl AuditPlace {
    /// After every row.
    pub const END: Self = Self { seq: Seq(i64::MAX), n: i64::MAX };
}

/// The rows of a database before a place, newest first.
pub fn before(db: Db, workspace: WorkspaceId, place: AuditPlace, limit: i64) -> Query<AuditRow> {
    Query {
        db,
        sql: "SELECT seq, n, actor, action, object, detail, at FROM audit_log
              WHERE ws = ?1 AND (seq, n) < (?2, ?3) ORDER BY seq DESC, n DESC LIMIT ?4",
        params: params_values![ws(workspace), place.seq.0, place.n, limit],
        decode: match db {
            Db::Journal => |row| decode(Db::Journal, row),
            Db::Agent => |row| decode(Db::Agent, row),
        },
    }
}

fn decode(db: Db, row: &Row) -> Result<AuditRow, ReadError> {
    let column = |e| ReadError::column(db, "audit", &e);
    let text = |n| row.text(n).map(ToOwned::to_owned).map_err(column);
    Ok(AuditRow {
        place: AuditPlace { seq: Seq(row.int(0).map_err(column)?), n: row.int(1).map_err(column)? },
        actor: Actor::from(text(2)?),
        action: Listed::named(row.text(3).map_err(column)?),
        object: text(4)?,
        detail: text(5)?,
        at: row.time(6).map_err(column)?,
    })
}
