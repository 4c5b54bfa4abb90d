//! Change rows: one or more per commit that others need to know about.

use std::sync::LazyLock;

use dormouse_types::change::Change;
use dormouse_types::closed_list::Listed;
use dormouse_types::{EventKind, Seq, TaskId, Timestamp, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{in_list, params, params_values};

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

/// Changes of the journal after a position, oldest first.
pub fn after(workspace: WorkspaceId, position: Seq, limit: i64) -> Query<Change> {
    Query {
        db: Db::Journal,
        sql: "SELECT seq, origin, depth, touched, neighbours, what, at FROM change_log
              WHERE ws = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        params: params_values![ws(workspace), position.0, limit],
        decode,
    }
}

/// Only their positions, including those of damaged rows.
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

/// Changes that touched any of at most a page of tasks in `(from, upto]`, newest first.
pub fn of_tasks(
    workspace: WorkspaceId,
    tasks: &[TaskId],
    [from, upto]: [Seq; 2],
    limit: i64,
) -> Query<Change> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT c.seq, c.origin, c.depth, c.touched, c.neighbours, c.what, c.at
             FROM change_log c
             WHERE c.ws = ?1 AND c.seq IN (
               SELECT t.seq FROM touched_tasks t WHERE t.ws = ?1 AND t.task_id IN (",
            ") AND t.seq > ?202 AND t.seq <= ?203) ORDER BY c.seq DESC LIMIT ?204",
        )
    });
    let mut params = in_list::params(workspace, tasks);
    params.extend(params_values![from.0, upto.0, limit]);
    Query { db: Db::Journal, sql: &SQL, params, decode }
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

/// A change row of either database, for readers who only need to know that something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeNotice {
    /// Its position.
    pub seq: Seq,
    /// The kind of event; none in the journal. The name that a newer version wrote is kept.
    pub event: Option<Listed<EventKind>>,
    /// What the event is about: an id of the agent store.
    pub subject: Option<String>,
    pub touched: Vec<TaskId>,
    /// When it was committed.
    pub at: Timestamp,
}

/// Change rows of a database after a position, oldest first.
pub fn notices_after(
    db: Db,
    workspace: WorkspaceId,
    position: Seq,
    limit: i64,
) -> Query<ChangeNotice> {
    Query {
        db,
        sql: "SELECT seq, event, subject, touched, at FROM change_log
              WHERE ws = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        params: params_values![ws(workspace), position.0, limit],
        decode: match db {
            Db::Journal => |row| notices_for_task(Db::Journal, row),
            Db::Agent => |row| notices_for_task(Db::Agent, row),
        },
    }
}

fn notices_for_task(db: Db, row: &Row) -> Result<ChangeNotice, ReadError> {
    let column = |e| ReadError::column(db, "change", &e);
    let seq = Seq(row.int(0).map_err(column)?);
    let event = row.text(1).map_err(column)?;
    Ok(ChangeNotice {
        seq,
        event: (!event.is_empty()).then(|| Listed::named(event)),
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

/// The position up to which a database's change rows were trimmed, from `trimmed:<workspace>` in
/// its `meta` table; `None` while all of them are there.
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

/// Position and time of the oldest change row of each workspace of a database.
pub fn oldest(db: Db) -> Query<(WorkspaceId, Seq, Timestamp)> {
    Query {
        db,
        sql: "SELECT l.ws, l.seq, l.at FROM counters c JOIN change_log l ON l.ws = c.ws
                AND l.seq = (SELECT MIN(seq) FROM change_log WHERE ws = c.ws)
              ORDER BY l.ws",
        params: Vec::new(),
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "change", &e);
            let ws = WorkspaceId(row.int(0).map_err(column)?);
            Ok((ws, Seq(row.int(1).map_err(column)?), row.time(2).map_err(column)?))
        },
    }
}

/// The position of the newest change row that is older than a time, has at least the given number
/// of newer rows, and is not after a position; `None` when every row is to stay.
pub fn last_before(
    db: Db,
    workspace: WorkspaceId,
    time: Timestamp,
    kept: i64,
    upto: Seq,
) -> Query<Seq> {
    Query {
        db,
        sql: "SELECT seq FROM (
                SELECT seq, at FROM change_log WHERE ws = ?1 ORDER BY seq DESC LIMIT ?5 OFFSET ?3
              ) AS old WHERE at < ?2 AND seq <= ?4 ORDER BY seq DESC LIMIT 1",
        params: params_values![ws(workspace), time, kept, upto.0, i64::MAX],
        decode: |row| row.int(0).map(Seq).map_err(|e| ReadError::column(Db::Journal, "change", &e)),
    }
}

/// Deletes the change rows up to a position, and records that for [`trimmed`]. When two nodes trim
/// at once, the one with the lower position does not move the mark back.
pub fn trim(workspace: WorkspaceId, upto: Seq) -> [Op; 2] {
    [
        Op::any(
            "DELETE FROM change_log WHERE ws = ?1 AND seq <= ?2",
            params![ws(workspace), upto.0],
        ),
        Op::one(
            "INSERT INTO meta (key, value) VALUES (?1, ?2)
             ON CONFLICT (key) DO UPDATE SET value = CASE
               WHEN CAST(meta.value AS BIGINT) > CAST(excluded.value AS BIGINT) THEN meta.value
               ELSE excluded.value END",
            params![format!("trimmed:{}", workspace.0), upto.0.to_string()],
            Refusal::Broken,
        ),
    ]
}

/// The newest change row of a database.
pub fn newest(db: Db, workspace: WorkspaceId) -> Query<ChangeNotice> {
    Query {
        sql: "SELECT seq, event, subject, touched, at FROM change_log
              WHERE ws = ?1 ORDER BY seq DESC LIMIT 1",
        params: params_values![ws(workspace)],
        ..notices_after(db, workspace, Seq(0), 1)
    }
}

/// Counts the change rows after a position.
pub fn count_after(db: Db, workspace: WorkspaceId, position: Seq) -> Query<i64> {
    Query {
        db,
        sql: "SELECT COUNT(*) FROM change_log WHERE ws = ?1 AND seq > ?2",
        params: params_values![ws(workspace), position.0],
        decode: |row| row.int(0).map_err(|e| ReadError::column(Db::Journal, "change", &e)),
    }
}
