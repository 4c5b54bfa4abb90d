//! Runs of agent work: one row for each execution, and for each occurrence that was left out.

use std::sync::LazyLock;

use dormouse_types::work::{RunState, SkipReason, WorkCreator, WorkOutcome};
use dormouse_types::{
    HolderId, Id as _, RunKey, SessionId, Timestamp, WorkId, WorkRunId, WorkspaceId,
};

use super::Columns;
use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// What a run is the execution of. Two runs never have the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Occurrence {
    /// Our own id of the definition, or of the calendar.
    pub source: String,
    /// The series within the source; empty for the one that a definition has itself.
    pub uid: String,
    /// The original start on the clock of the series; for a run that a person requested, the request.
    pub original_start: String,
    /// `date`, `floating`, the name of a zone, or `request`.
    pub zone: String,
    /// Whether it is the second of two equal times.
    pub fold: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its id, under which it waits in the queue.
    pub id: WorkRunId,
    /// Its definition.
    pub work: WorkId,
    /// Its number within the definition, from 1.
    pub n: i64,
    /// The version of the instructions that it follows; fixed when it is first claimed.
    pub version: i64,
    /// Its identity.
    pub occurrence: Occurrence,
    /// When it was due; `None` if somebody requested it.
    pub scheduled_for: Option<Timestamp>,
    pub session: SessionId,
    pub state: RunState,
    /// Why it was left out.
    pub skip_reason: Option<SkipReason>,
    /// How often it was started again: by an answer, or after a failure. From 0.
    pub attempt: i64,
    /// How many attempts failed.
    pub failures: i64,
    /// Corrections up to this number are known to it.
    pub corrections_upto: i64,
    /// The key of its newest attempt.
    pub run_key: Option<RunKey>,
    /// How it says that it ended.
    pub outcome: Option<WorkOutcome>,
    /// What it says that it did.
    pub summary: Option<String>,
    /// The title of what it published.
    pub result_title: Option<String>,
    /// What it published.
    pub result: Option<String>,
    /// The numbers that its result names, as JSON of a list of [`Figure`]; `None` if a model wrote it.
    ///
    /// [`Figure`]: dormouse_types::work_outcome::Figure
    pub figures: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// Who made it.
    pub created_by: WorkCreator,
    /// Who ended it, if a person did.
    pub ended_by: Option<String>,
    /// How many results of agent work led to it.
    pub depth: i64,
    /// The run that it does again, because a person corrected the work and requested it.
    pub revises: Option<WorkRunId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it first started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// When it was last written.
    pub updated_at: Timestamp,
}

/// Writes a new run; refused if its occurrence has one.
pub fn insert(workspace: WorkspaceId, new: &Run) -> Op {
    Op::one(
        "INSERT INTO work_runs (ws, id, work_id, n, version, source, uid, original_start, zone, fold,
           scheduled_for, session_id, state, skip_reason, attempt, failures, corrections_upto,
           run_key, outcome, summary, result_title, result, error, created_by, ended_by, created_at,
           started_at, completed_at, updated_at, figures, depth, revises)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
           ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32)",
        params![
            ws(workspace),
            new.id.as_str(),
            new.work.as_str(),
            new.n,
            new.version,
            new.occurrence.source.as_str(),
            new.occurrence.uid.as_str(),
            new.occurrence.original_start.as_str(),
            new.occurrence.zone.as_str(),
            new.occurrence.fold,
            new.scheduled_for,
            new.session.as_str(),
            new.state.name(),
            new.skip_reason.map(SkipReason::name),
            new.attempt,
            new.failures,
            new.corrections_upto,
            new.run_key.as_ref().map(|key| key.as_str().to_owned()),
            new.outcome.map(WorkOutcome::name),
            new.summary.clone(),
            new.result_title.clone(),
            new.result.clone(),
            new.error.clone(),
            new.created_by.name(),
            new.ended_by.clone(),
            new.created_at,
            new.started_at,
            new.completed_at,
            new.updated_at,
            new.figures.clone(),
            new.depth,
            new.revises.as_ref().map(WorkRunId::as_str)
        ],
        Refusal::Exists,
    )
}

/// Replaces a run that is in the state in which it was read; refused otherwise.
pub fn put(workspace: WorkspaceId, from: RunState, new: &Run) -> Op {
    Op::one(
        "UPDATE work_runs SET version = ?4, state = ?5, skip_reason = ?6, attempt = ?7, failures = ?8,
           corrections_upto = ?9, run_key = ?10, outcome = ?11, summary = ?12, result_title = ?13,
           result = ?14, error = ?15, ended_by = ?16, started_at = ?17, completed_at = ?18,
           updated_at = ?19, figures = ?20
         WHERE ws = ?1 AND id = ?2 AND state = ?3",
        params![
            ws(workspace),
            new.id.as_str(),
            from.name(),
            new.version,
            new.state.name(),
            new.skip_reason.map(SkipReason::name),
            new.attempt,
            new.failures,
            new.corrections_upto,
            new.run_key.as_ref().map(|key| key.as_str().to_owned()),
            new.outcome.map(WorkOutcome::name),
            new.summary.clone(),
            new.result_title.clone(),
            new.result.clone(),
            new.error.clone(),
            new.ended_by.clone(),
            new.started_at,
            new.completed_at,
            new.updated_at,
            new.figures.clone()
        ],
        Refusal::Stale,
    )
}

/// Notes up to which number a run knows the corrections of its definition.
pub fn note_corrections(workspace: WorkspaceId, run: &WorkRunId, upto: i64) -> Op {
    Op::one(
        "UPDATE work_runs SET corrections_upto = ?3 WHERE ws = ?1 AND id = ?2",
        params![ws(workspace), run.as_str(), upto],
        Refusal::Missing,
    )
}

/// The query for the runs of a workspace that a condition holds for, with the columns of [`decode`].
macro_rules! runs_where {
    ($condition:literal) => {
        concat!(
            "SELECT id, work_id, n, version, source, uid, original_start, zone, fold, scheduled_for,
               session_id, state, skip_reason, attempt, failures, corrections_upto, run_key, outcome,
               summary, result_title, result, error, created_by, ended_by, created_at, started_at,
               completed_at, updated_at, figures, depth, revises
             FROM work_runs WHERE ws = ?1 AND ",
            $condition
        )
    };
}

/// One row of a list; a damaged row does not hide the others.
#[derive(Debug, Clone)]
pub struct Line {
    /// Which run of its definition it is.
    pub n: i64,
    /// The run, or why it cannot be read.
    pub row: Result<Run, ReadError>,
}

/// The rows of a query as lines of a list.
pub fn lines(query: Query<Run>) -> Query<Line> {
    let Query { db, sql, params, .. } = query;
    let line = |row: &Row| {
        let n = Columns::of(row, "run of agent work")?.int(2)?;
        Ok(Line { n, row: decode(row) })
    };
    Query { db, sql, params, decode: line }
}

fn decode(row: &Row) -> Result<Run, ReadError> {
    let columns = Columns::of(row, "run of agent work")?;
    Ok(Run {
        id: columns.id(0)?,
        work: columns.id(1)?,
        n: columns.int(2)?,
        version: columns.int(3)?,
        occurrence: Occurrence {
            source: columns.text(4)?,
            uid: columns.text(5)?,
            original_start: columns.text(6)?,
            zone: columns.text(7)?,
            fold: columns.int(8)? != 0,
        },
        scheduled_for: columns.column(row.opt_time(9))?,
        session: columns.id(10)?,
        state: columns.listed(11)?,
        skip_reason: columns.opt_listed(12)?,
        attempt: columns.int(13)?,
        failures: columns.int(14)?,
        corrections_upto: columns.int(15)?,
        run_key: columns.opt_text(16)?.map(RunKey),
        outcome: columns.opt_listed(17)?,
        summary: columns.opt_text(18)?,
        result_title: columns.opt_text(19)?,
        result: columns.opt_text(20)?,
        error: columns.opt_text(21)?,
        created_by: columns.listed(22)?,
        ended_by: columns.opt_text(23)?,
        created_at: columns.column(row.time(24))?,
        started_at: columns.column(row.opt_time(25))?,
        completed_at: columns.column(row.opt_time(26))?,
        updated_at: columns.column(row.time(27))?,
        figures: columns.opt_text(28)?,
        depth: columns.column(row.int(29))?,
        revises: columns.opt_id(30)?,
    })
}

/// A run.
pub fn by_id(workspace: WorkspaceId, id: &WorkRunId) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: runs_where!("id = ?2"),
        params: params_values![ws(workspace), id.as_str()],
        decode,
    }
}

/// The run of an occurrence.
pub fn of_occurrence(workspace: WorkspaceId, of: &Occurrence) -> Query<Run> {
    let (source, uid) = (of.source.as_str(), of.uid.as_str());
    let (start, zone) = (of.original_start.as_str(), of.zone.as_str());
    Query {
        db: Db::Agent,
        sql: runs_where!(
            "source = ?2 AND uid = ?3 AND original_start = ?4 AND zone = ?5 AND fold = ?6"
        ),
        params: params_values![ws(workspace), source, uid, start, zone, of.fold],
        decode,
    }
}

/// Runs after one of them, by their ids.
pub fn page(workspace: WorkspaceId, after: &str, limit: i64) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: runs_where!("id > ?2 ORDER BY id LIMIT ?3"),
        params: params_values![ws(workspace), after, limit],
        decode,
    }
}

/// Runs of a definition before one of them, newest first. The first page comes before the largest
/// number.
pub fn of_definition(workspace: WorkspaceId, work: &WorkId, before: i64, limit: i64) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: runs_where!("work_id = ?2 AND n < ?3 ORDER BY n DESC LIMIT ?4"),
        params: params_values![ws(workspace), work.as_str(), before, limit],
        decode,
    }
}

/// The last run of a definition before one of them that ended well: with a result, or with nothing to do.
pub fn last_ended_well(workspace: WorkspaceId, work: &WorkId, before: i64) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: runs_where!(
            "work_id = ?2 AND n < ?3 AND state IN ('succeeded', 'no_op') ORDER BY n DESC LIMIT 1"
        ),
        params: params_values![ws(workspace), work.as_str(), before],
        decode,
    }
}

/// The last run of a definition before one of them that reported something: with a result, and not for
/// somebody who requested it.
pub fn last_reported(workspace: WorkspaceId, work: &WorkId, before: i64) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: runs_where!(
            "work_id = ?2 AND n < ?3 AND state = 'succeeded' AND created_by = 'scheduler'
             ORDER BY n DESC LIMIT 1"
        ),
        params: params_values![ws(workspace), work.as_str(), before],
        decode,
    }
}

/// Runs of a definition that were due from one time on and before another; what was requested was due
/// when it was.
pub fn of_definition_between(
    workspace: WorkspaceId,
    work: &WorkId,
    times: [Timestamp; 2],
    before: i64,
    limit: i64,
) -> Query<Run> {
    let [from, to] = times;
    Query {
        db: Db::Agent,
        sql: runs_where!(
            "work_id = ?2 AND n < ?3 AND COALESCE(scheduled_for, created_at) >= ?4
               AND COALESCE(scheduled_for, created_at) < ?5 ORDER BY n DESC LIMIT ?6"
        ),
        params: params_values![ws(workspace), work.as_str(), before, from, to, limit],
        decode,
    }
}

/// How many runs of some definitions were made since a time and started. At most [`in_list::MOST`] definitions.
pub fn started_of_since(workspace: WorkspaceId, works: &[WorkId], since: Timestamp) -> Query<i64> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let since = in_list::MOST + 2;
        in_list::sql(
            "SELECT COUNT(*) FROM work_runs WHERE ws = ?1 AND work_id IN (",
            &format!(") AND created_at >= ?{since} AND started_at IS NOT NULL"),
        )
    });
    let mut params = in_list::params(workspace, works);
    params.extend(params_values![since]);
    Query {
        db: Db::Agent,
        sql: &SQL,
        params,
        decode: |row| row.int(0).map_err(|e| ReadError::column(Db::Agent, "work run", &e)),
    }
}

/// The runs of a definition that have not ended, oldest first.
pub fn open(workspace: WorkspaceId, work: &WorkId) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: runs_where!(
            "work_id = ?2 AND state IN ('queued', 'running', 'needs_input', 'needs_review') ORDER BY n"
        ),
        params: params_values![ws(workspace), work.as_str()],
        decode,
    }
}

/// Runs of a definition from a number on, oldest first.
pub fn from_number(workspace: WorkspaceId, work: &WorkId, from: i64, limit: i64) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: runs_where!("work_id = ?2 AND n >= ?3 ORDER BY n LIMIT ?4"),
        params: params_values![ws(workspace), work.as_str(), from, limit],
        decode,
    }
}

/// The same runs with their numbers. A damaged one is returned as an error of its own.
pub fn each_from_number(
    workspace: WorkspaceId,
    work: &WorkId,
    from: i64,
    limit: i64,
) -> Query<(i64, Result<Run, ReadError>)> {
    let Query { db, sql, params, .. } = from_number(workspace, work, from, limit);
    let decode = |row: &Row| {
        let n = row.int(2).map_err(|e| ReadError::column(Db::Agent, "run of agent work", &e))?;
        Ok((n, decode(row)))
    };
    Query { db, sql, params, decode }
}

/// These runs, at most one page of them.
pub fn by_ids(workspace: WorkspaceId, ids: &[WorkRunId]) -> Query<Run> {
    static SQL: LazyLock<String> = LazyLock::new(|| in_list::sql(runs_where!("id IN ("), ")"));
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, ids), decode }
}

/// The runs of these definitions that wait for the person, in the order in which they were made; at most one
/// page of definitions.
pub fn waiting_of(workspace: WorkspaceId, works: &[WorkId]) -> Query<Run> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            runs_where!("state IN ('needs_input', 'needs_review') AND work_id IN ("),
            ") ORDER BY work_id, n",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, works), decode }
}

/// Of each of these definitions, the newest run that has ended and was not left out; at most one page of
/// definitions.
pub fn newest_over_of(workspace: WorkspaceId, works: &[WorkId]) -> Query<Run> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            runs_where!(
                "n = (SELECT o.n FROM work_runs o WHERE o.ws = work_runs.ws AND o.work_id = work_runs.work_id
                   AND o.state IN ('succeeded', 'no_op', 'failed', 'timed_out', 'interrupted', 'expired',
                     'cancelled')
                 ORDER BY o.n DESC LIMIT 1) AND work_id IN ("
            ),
            ") ORDER BY work_id",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, works), decode }
}

/// Those of a list of original starts of a series that have a run, with their clocks; at most one page.
pub fn of_starts(
    workspace: WorkspaceId,
    source: &str,
    uid: &str,
    starts: &[String],
) -> Query<Occurrence> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let (source, uid) = (in_list::MOST + 2, in_list::MOST + 3);
        in_list::sql(
            "SELECT source, uid, original_start, zone, fold
             FROM work_runs WHERE ws = ?1 AND original_start IN (",
            &format!(") AND source = ?{source} AND uid = ?{uid}"),
        )
    });
    let mut params = in_list::params(workspace, starts);
    params.extend(params_values![source, uid]);
    let decode = |row: &Row| {
        let columns = Columns::of(row, "run of agent work")?;
        Ok(Occurrence {
            source: columns.text(0)?,
            uid: columns.text(1)?,
            original_start: columns.text(2)?,
            zone: columns.text(3)?,
            fold: columns.int(4)? != 0,
        })
    };
    Query { db: Db::Agent, sql: &SQL, params, decode }
}

/// The newest runs of all definitions that were made from one time on and before another, newest first, without those
/// that needed no language model.
pub fn newest_made_between(
    workspace: WorkspaceId,
    from: Timestamp,
    to: Timestamp,
    limit: i64,
) -> Query<Run> {
    Query {
        db: Db::Agent,
        sql: runs_where!(
            "created_at >= ?2 AND created_at < ?3 AND figures IS NULL
             ORDER BY created_at DESC, id DESC LIMIT ?4"
        ),
        params: params_values![ws(workspace), from, to, limit],
        decode,
    }
}

/// The keys of the attempts of a run.
pub fn attempts(workspace: WorkspaceId, run: &WorkRunId) -> Query<RunKey> {
    super::super::wake_run::keys_of(workspace, &HolderId::from(run))
}
