//! Change rows: one per commit that others may see.

use dormouse_types::change::Change;
use dormouse_types::{Seq, TaskId, Timestamp, WorkspaceId};

use crate::commit::Db;
use crate::params_values;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;

fn decode(row: &Row) -> Result<Change, ReadError> {
    let corrupt = |detail: String| ReadError::Corrupt {
        db: "journal",
        noun: "change",
        id: row.int(0).map_or_else(|_| "row".into(), |seq| seq.to_string()),
        detail,
    };
    let column = |e: crate::value::ColumnError| corrupt(e.to_string());
    let json = |e: serde_json::Error| corrupt(e.to_string());
    Ok(Change {
        seq: Seq(row.int(0).map_err(column)?),
        origin: serde_json::from_str(row.text(1).map_err(column)?).map_err(json)?,
        depth: row.int(2).map_err(column)?,
        touched: serde_json::from_str(row.text(3).map_err(column)?).map_err(json)?,
        neighbours: serde_json::from_str(row.text(4).map_err(column)?).map_err(json)?,
        what: serde_json::from_str(row.text(5).map_err(column)?).map_err(json)?,
        at: row.time(6).map_err(column)?,
    })
}

/// Changes of the journal behind a position, oldest first.
pub fn after(workspace: WorkspaceId, position: Seq, limit: i64) -> Query<Change> {
    Query {
        db: Db::Journal,
        sql: "SELECT seq, origin, depth, touched, neighbours, what, at FROM change_log
              WHERE ws = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        params: params_values![ws(workspace), position.0, limit],
        decode,
    }
}

/// Their positions alone, those of damaged ones included.
pub fn positions_after(workspace: WorkspaceId, position: Seq, limit: i64) -> Query<Seq> {
    Query {
        db: Db::Journal,
        sql: "SELECT seq FROM change_log WHERE ws = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        params: params_values![ws(workspace), position.0, limit],
        decode: |row| row.int(0).map(Seq).map_err(|e| ReadError::column(Db::Journal, "change", &e)),
    }
}

/// Changes that touched a task in `(from, upto]`, oldest first.
pub fn of_task(workspace: WorkspaceId, task: &TaskId, from: Seq, upto: Seq) -> Query<Change> {
    Query {
        db: Db::Journal,
        sql: "SELECT c.seq, c.origin, c.depth, c.touched, c.neighbours, c.what, c.at
              FROM touched_tasks t JOIN change_log c ON c.ws = t.ws AND c.seq = t.seq
              WHERE t.ws = ?1 AND t.task_id = ?2 AND t.seq > ?3 AND t.seq <= ?4 ORDER BY t.seq",
        params: params_values![ws(workspace), task.to_string(), from.0, upto.0],
        decode,
    }
}

/// The newest position of a database; 0 before the first commit.
pub fn head(db: Db, workspace: WorkspaceId) -> Query<Seq> {
    Query {
        db,
        sql: "SELECT COALESCE(MAX(seq), 0) FROM counters WHERE ws = ?1",
        params: params_values![ws(workspace)],
        decode: move |row| {
            row.int(0).map(Seq).map_err(|e| ReadError::column(Db::Journal, "counter", &e))
        },
    }
}

/// The newest position of each workspace of a database.
pub fn heads(db: Db) -> Query<(WorkspaceId, Seq)> {
    Query {
        db,
        sql: "SELECT ws, seq FROM counters ORDER BY ws",
        params: Vec::new(),
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "counter", &e);
            Ok((WorkspaceId(row.int(0).map_err(column)?), Seq(row.int(1).map_err(column)?)))
        },
    }
}

/// A change row of either database, as those read it who only want to know that something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Its position.
    pub seq: Seq,
    /// The kind of event; empty in the journal.
    pub event: String,
    /// What the event is about: an id of the agent store.
    pub subject: Option<String>,
    /// The tasks it touches.
    pub touched: Vec<TaskId>,
    /// When it was committed.
    pub at: Timestamp,
}

/// Change rows of a database behind a position, oldest first.
pub fn told(db: Db, workspace: WorkspaceId, position: Seq, limit: i64) -> Query<Told> {
    Query {
        db,
        sql: "SELECT seq, event, subject, touched, at FROM change_log
              WHERE ws = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        params: params_values![ws(workspace), position.0, limit],
        decode: match db {
            Db::Journal => |row| told_of(Db::Journal, row),
            Db::Agent => |row| told_of(Db::Agent, row),
        },
    }
}

fn told_of(db: Db, row: &Row) -> Result<Told, ReadError> {
    let column = |e| ReadError::column(db, "change", &e);
    let seq = Seq(row.int(0).map_err(column)?);
    Ok(Told {
        seq,
        event: row.text(1).map_err(column)?.to_owned(),
        subject: row.opt_text(2).map_err(column)?.map(ToOwned::to_owned),
        touched: serde_json::from_str(row.text(3).map_err(column)?).map_err(|e| {
            ReadError::Corrupt {
                db: db.name(),
                noun: "change",
                id: seq.0.to_string(),
                detail: e.to_string(),
            }
        })?,
        at: row.time(4).map_err(column)?,
    })
}

/// The position up to which the change rows of a database were taken away, as its `meta` table says
/// under `trimmed:<workspace>`; none while all of them are there.
pub fn trimmed(db: Db, workspace: WorkspaceId) -> Query<Seq> {
    Query {
        db,
        sql: "SELECT value FROM meta WHERE key = ?1",
        params: params_values![format!("trimmed:{}", workspace.0)],
        decode: |row| {
            let corrupt = |detail: String| ReadError::Corrupt {
                db: "journal or agent",
                noun: "meta",
                id: "trimmed".into(),
                detail,
            };
            let text = row.text(0).map_err(|e| corrupt(e.to_string()))?;
            text.parse().map(Seq).map_err(|e: std::num::ParseIntError| corrupt(e.to_string()))
        },
    }
}

/// The newest change row of a database.
pub fn newest(db: Db, workspace: WorkspaceId) -> Query<Told> {
    Query {
        sql: "SELECT seq, event, subject, touched, at FROM change_log
              WHERE ws = ?1 ORDER BY seq DESC LIMIT 1",
        params: params_values![ws(workspace)],
        ..told(db, workspace, Seq(0), 1)
    }
}

/// How many change rows stand behind a position.
pub fn count_behind(db: Db, workspace: WorkspaceId, position: Seq) -> Query<i64> {
    Query {
        db,
        sql: "SELECT COUNT(*) FROM change_log WHERE ws = ?1 AND seq > ?2",
        params: params_values![ws(workspace), position.0],
        decode: |row| row.int(0).map_err(|e| ReadError::column(Db::Journal, "change", &e)),
    }
}
