//! Which tasks a journal commit touched.

use dormouse_types::{Id as _, TaskId, WorkspaceId};

use crate::commit::Op;
use crate::params;
use crate::store::ws;
use crate::value::Param;

/// Records that the commit touches a task; `change_log::of_task` reads along these rows.
pub fn insert(workspace: WorkspaceId, task: &TaskId) -> Op {
    Op::any(
        "INSERT INTO touched_tasks (ws, task_id, seq) VALUES (?1, ?2, ?3)
         ON CONFLICT (ws, task_id, seq) DO NOTHING",
        params![ws(workspace), task.as_str(), Param::Seq],
    )
}
