//! Which tasks a journal commit touched, and what it did to them.

use dormouse_types::{Id as _, Seq, TaskId, Timestamp, WorkspaceId};

use crate::commit::{Db, Op};
use crate::store::{Query, ReadError, ws};
use crate::value::Param;
use crate::{params, params_values};

/// Records that the commit touches a task; `change_log::of_task` reads along these rows.
pub fn insert(workspace: WorkspaceId, task: &TaskId) -> Op {
    Op::any(
        "INSERT INTO touched_tasks (ws, task_id, seq) VALUES (?1, ?2, ?3)
         ON CONFLICT (ws, task_id, seq) DO NOTHING",
        params![ws(workspace), task.as_str(), Param::Seq],
    )
}

/// A commit that touched a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    pub seq: Seq,
    pub at: Timestamp,
    /// What it did, as JSON; `None` for one that an older version left no receipt of.
    pub effects: Option<String>,
}

/// The commits that touched a task after one position and before another, newest first.
pub fn of_task(
    workspace: WorkspaceId,
    task: &TaskId,
    [after, before]: [Seq; 2],
    limit: i64,
) -> Query<Touch> {
    Query {
        db: Db::Journal,
        sql: "SELECT t.seq, c.at, a.effects
              FROM touched_tasks t JOIN change_log c ON c.ws = t.ws AND c.seq = t.seq
              LEFT JOIN applied_operations a ON a.ws = t.ws AND a.seq = t.seq
              WHERE t.ws = ?1 AND t.task_id = ?2 AND t.seq > ?3 AND t.seq < ?4
              ORDER BY t.seq DESC LIMIT ?5",
        params: params_values![ws(workspace), task.as_str(), after.0, before.0, limit],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "touched task", &e);
            Ok(Touch {
                seq: Seq(row.int(0).map_err(column)?),
                at: row.time(1).map_err(column)?,
                effects: row.opt_text(2).map_err(column)?.map(ToOwned::to_owned),
            })
        },
    }
}
