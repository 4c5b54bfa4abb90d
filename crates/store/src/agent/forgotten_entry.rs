//! Entries that agents are no longer shown, although they stand in their task.

use dormouse_types::{EntryId, TaskId, WorkspaceId};

use crate::commit::{Db, Op};
use crate::store::{Query, ReadError, ws};
use crate::value::Param;
use crate::{params, params_values};

/// Hides an entry from agents.
pub fn insert(workspace: WorkspaceId, task: &TaskId, entry: &EntryId) -> Op {
    Op::any(
        "INSERT INTO forgotten_entries (ws, task_id, entry_id, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (ws, task_id, entry_id) DO NOTHING",
        params![ws(workspace), task.to_string(), entry.to_string(), Param::Now],
    )
}

/// The entries of a task that agents are not shown.
pub fn of_task(workspace: WorkspaceId, task: &TaskId) -> Query<EntryId> {
    Query {
        db: Db::Agent,
        sql: "SELECT entry_id FROM forgotten_entries WHERE ws = ?1 AND task_id = ?2",
        params: params_values![ws(workspace), task.to_string()],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "forgotten entry", &e);
            let id = row.text(0).map_err(column)?;
            id.parse().map_err(|e: dormouse_types::IdError| ReadError::Corrupt {
                db: "agent",
                noun: "forgotten entry",
                id: id.to_owned(),
                detail: e.to_string(),
            })
        },
    }
}
