//! Change rows: one per commit that others may see.

use dormouse_types::change::Change;
use dormouse_types::{Seq, TaskId, WorkspaceId};

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
