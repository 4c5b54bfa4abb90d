//! Steps of agent work: those of a definition, and how far a run has got with its own.

use std::sync::LazyLock;

use dormouse_types::work_step::{StepState, WorkRunStep, WorkStep};
use dormouse_types::{Id as _, WorkId, WorkRunId, WorkspaceId};

use super::Columns;
use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// Writes the steps of a definition, which its next run begins with.
pub fn put(workspace: WorkspaceId, work: &WorkId, steps: &[WorkStep]) -> Op {
    let steps = serde_json::to_string(steps).expect("steps are plain data");
    Op::any(
        "INSERT INTO work_steps (ws, work_id, steps) VALUES (?1, ?2, ?3)
         ON CONFLICT (ws, work_id) DO UPDATE SET steps = excluded.steps",
        params![ws(workspace), work.as_str(), steps],
    )
}

/// Takes the steps of a definition away.
pub fn delete(workspace: WorkspaceId, work: &WorkId) -> Op {
    Op::any(
        "DELETE FROM work_steps WHERE ws = ?1 AND work_id = ?2",
        params![ws(workspace), work.as_str()],
    )
}

/// Writes a new step of a run; refused if the run has one of this number.
pub fn insert(workspace: WorkspaceId, run: &WorkRunId, new: &WorkRunStep) -> Op {
    Op::one(
        "INSERT INTO work_run_steps (ws, run_id, n, step, state, is_added, attempts, note)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            ws(workspace),
            run.as_str(),
            new.n,
            serde_json::to_string(&new.step).expect("a step is plain data"),
            new.state.name(),
            new.is_added,
            new.attempts,
            new.note.clone()
        ],
        Refusal::Exists,
    )
}

/// Moves a step of a run. What is to be done in it never changes.
pub fn update(workspace: WorkspaceId, run: &WorkRunId, step: &WorkRunStep) -> Op {
    Op::one(
        "UPDATE work_run_steps SET state = ?4, attempts = ?5, note = ?6
         WHERE ws = ?1 AND run_id = ?2 AND n = ?3",
        params![
            ws(workspace),
            run.as_str(),
            step.n,
            step.state.name(),
            step.attempts,
            step.note.clone()
        ],
        Refusal::Missing,
    )
}

/// Lets the steps of a run that failed their check be done again, because the person wants another try.
pub fn reopen_failed(workspace: WorkspaceId, run: &WorkRunId) -> Op {
    Op::any(
        "UPDATE work_run_steps SET state = 'open', attempts = 0
         WHERE ws = ?1 AND run_id = ?2 AND state = 'failed'",
        params![ws(workspace), run.as_str()],
    )
}

/// The steps of at most a page of definitions, each with its definition.
pub fn of_definitions(workspace: WorkspaceId, ids: &[WorkId]) -> Query<(WorkId, Vec<WorkStep>)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql("SELECT work_id, steps FROM work_steps WHERE ws = ?1 AND work_id IN (", ")")
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, ids),
        decode: |row| {
            let columns = Columns::of(row, "steps of agent work")?;
            let steps = serde_json::from_str(&columns.text(1)?).map_err(|e| columns.corrupt(e))?;
            Ok((columns.id(0)?, steps))
        },
    }
}

fn decode(row: &Row) -> Result<(WorkRunId, WorkRunStep), ReadError> {
    let columns = Columns::of(row, "step of a run of agent work")?;
    let step = WorkRunStep {
        n: columns.int(1)?,
        step: serde_json::from_str(&columns.text(2)?).map_err(|e| columns.corrupt(e))?,
        state: columns.listed::<StepState>(3)?,
        is_added: columns.int(4)? != 0,
        attempts: columns.int(5)?,
        note: columns.opt_text(6)?,
    };
    Ok((columns.id(0)?, step))
}

/// The steps of a run, in order.
pub fn of_run(workspace: WorkspaceId, run: &WorkRunId) -> Query<WorkRunStep> {
    Query {
        db: Db::Agent,
        sql: "SELECT run_id, n, step, state, is_added, attempts, note FROM work_run_steps
              WHERE ws = ?1 AND run_id = ?2 ORDER BY n",
        params: params_values![ws(workspace), run.as_str()],
        decode: |row| decode(row).map(|(_, step)| step),
    }
}

/// The steps of at most a page of runs, each with its run, in order.
pub fn of_runs(workspace: WorkspaceId, runs: &[WorkRunId]) -> Query<(WorkRunId, WorkRunStep)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT run_id, n, step, state, is_added, attempts, note FROM work_run_steps
             WHERE ws = ?1 AND run_id IN (",
            ") ORDER BY run_id, n",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, runs), decode }
}
