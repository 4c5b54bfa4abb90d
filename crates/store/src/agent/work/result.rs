//! Results of delegated work on their way back to the tasks that requested it.

use dormouse_types::{Id as _, TaskId, WorkId, WorkRunId, WorkspaceId};

use super::Columns;
use super::place::{Place, PlacedRow};
use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ws};
use crate::{params, params_values};

/// A result that is to be brought back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    pub run: WorkRunId,
    /// The attempt that ended it.
    pub attempt: i64,
    pub task: TaskId,
}

/// Notes the task that the results of a definition come back to.
pub fn expect(workspace: WorkspaceId, work: &WorkId, task: &TaskId) -> Op {
    Op::one(
        "INSERT INTO work_result_tasks (ws, work_id, task_id) VALUES (?1, ?2, ?3)",
        params![ws(workspace), work.as_str(), task.as_str()],
        Refusal::Exists,
    )
}

/// The task that the results of a definition come back to; none if it was not delegated.
pub fn task_of(workspace: WorkspaceId, work: &WorkId) -> Query<TaskId> {
    Query {
        db: Db::Agent,
        sql: "SELECT task_id FROM work_result_tasks WHERE ws = ?1 AND work_id = ?2",
        params: params_values![ws(workspace), work.as_str()],
        decode: |row| Columns::of(row, "task of a result")?.id(0),
    }
}

/// Notes that a run has ended, if somebody waits for its result.
pub fn ended(workspace: WorkspaceId, work: &WorkId, run: &WorkRunId, attempt: i64) -> Op {
    Op::any(
        "INSERT INTO work_results (ws, run_id, attempt, task_id, is_pending)
         SELECT ws, ?3, ?4, task_id, 1 FROM work_result_tasks WHERE ws = ?1 AND work_id = ?2
         ON CONFLICT (ws, run_id, attempt) DO NOTHING",
        params![ws(workspace), work.as_str(), run.as_str(), attempt],
    )
}

/// Notes that a result was brought back, or why it never can be.
pub fn done(workspace: WorkspaceId, one: &Pending, gone: Option<&str>) -> Op {
    Op::one(
        "UPDATE work_results SET is_pending = 0, gone = ?4
         WHERE ws = ?1 AND run_id = ?2 AND attempt = ?3 AND is_pending = 1",
        params![ws(workspace), one.run.as_str(), one.attempt, gone.map(ToOwned::to_owned)],
        Refusal::Stale,
    )
}

/// Results that are to be brought back, of one workspace or of all, after a place. A damaged row is returned as
/// an error of its own.
pub fn pending(of: Option<WorkspaceId>, after: &Place, limit: i64) -> Query<PlacedRow<Pending>> {
    Query {
        db: Db::Agent,
        sql: "SELECT run_id, attempt, task_id, ws FROM work_results WHERE is_pending = 1
                AND (CAST(?1 AS BIGINT) IS NULL OR ws = CAST(?1 AS BIGINT))
                AND (ws, run_id, attempt) > (?2, ?3, ?4)
              ORDER BY ws, run_id, attempt LIMIT ?5",
        params: params_values![
            of.map(|of| of.0),
            after.workspace.0,
            after.id.as_str(),
            after.n,
            limit
        ],
        decode: |row| {
            let one = || {
                let columns = Columns::of(row, "result of agent work")?;
                Ok(Pending { run: columns.id(0)?, attempt: columns.int(1)?, task: columns.id(2)? })
            };
            Ok(PlacedRow { place: Place::of(row, "result of agent work", [1, 3, 0])?, row: one() })
        },
    }
}
