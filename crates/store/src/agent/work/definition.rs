//! Definitions of agent work: what is done, when, and what its latest run is up to.

use std::sync::LazyLock;

use dormouse_types::work::{
    CatchUp, Overlap, RunState, WorkCreator, WorkSource, WorkState, WorkStatus, WorkType,
};
use dormouse_types::{
    ConversationId, Id as _, SessionId, TemplateId, Timestamp, WorkId, WorkRunId, WorkspaceId,
};

use super::Columns;
use super::place::{Place, PlacedRow};
use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub id: WorkId,
    /// By a schedule, or once.
    pub kind: WorkType,
    /// Where it comes from.
    pub source: WorkSource,
    /// What leads back there.
    pub source_ref: Option<String>,
    pub title: String,
    /// The version of its instructions, from 1.
    pub version: i64,
    /// Whether it may start runs.
    pub state: WorkState,
    /// Whether it was paused with all others, and is resumed with them.
    pub paused_with_all: bool,
    /// The session of its runs; never changes.
    pub session: SessionId,
    /// One for all occurrences of a series.
    pub recurrence: Option<String>,
    /// Its series, as properties of an iCalendar event.
    pub schedule: Option<String>,
    /// The words that the series was read from.
    pub schedule_words: Option<String>,
    /// The policy for missed occurrences.
    pub catch_up: CatchUp,
    /// The most that a missed occurrence may be late and still run. Units: hours.
    pub catch_up_hours: i64,
    /// The policy for overlapping occurrences.
    pub overlap: Overlap,
    /// The model it asks; `None` is that of the workspace.
    pub model: Option<String>,
    /// What it does without a language model, as JSON of [`BuiltInWork`]; `None` if its instructions are
    /// for a language model.
    ///
    /// [`BuiltInWork`]: dormouse_types::built_in_work::BuiltInWork
    pub built_in: Option<String>,
    /// The template that its runs follow; `None` for none.
    pub template: Option<TemplateId>,
    /// How far the series has come, as JSON.
    pub position: Option<String>,
    /// When the next occurrence is due; `None` if none is, or if it may not start runs.
    pub next_due_at: Option<Timestamp>,
    /// How many runs it has, those that were left out included.
    pub n_runs: i64,
    /// The public status.
    pub status: WorkStatus,
    /// The state of its latest run.
    pub run_state: Option<RunState>,
    /// Its latest run that was not left out; if all were, the latest.
    pub latest_run: Option<WorkRunId>,
    /// Rises with each write.
    pub revision: i64,
    /// Who made it.
    pub created_by: WorkCreator,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
}

/// Writes a new definition.
pub fn insert(workspace: WorkspaceId, new: &Definition) -> Op {
    Op::one(
        "INSERT INTO work_definitions (ws, id, type, source_type, source_ref, title, version, state,
           session_id, recurrence_id, schedule, schedule_words, catch_up, overlap, model, position,
           next_due_at, n_runs, status, run_state, latest_run, revision, created_by,
           created_at, updated_at, deleted_at, built_in, template, catch_up_hours, paused_with_all)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
           ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30)",
        params![
            ws(workspace),
            new.id.as_str(),
            new.kind.name(),
            new.source.name(),
            new.source_ref.clone(),
            new.title.as_str(),
            new.version,
            new.state.name(),
            new.session.as_str(),
            new.recurrence.clone(),
            new.schedule.clone(),
            new.schedule_words.clone(),
            new.catch_up.name(),
            new.overlap.name(),
            new.model.clone(),
            new.position.clone(),
            new.next_due_at,
            new.n_runs,
            new.status.name(),
            new.run_state.map(RunState::name),
            new.latest_run.as_ref().map(WorkRunId::as_str),
            new.revision,
            new.created_by.name(),
            new.created_at,
            new.updated_at,
            new.deleted_at,
            new.built_in.clone(),
            new.template.as_ref().map(TemplateId::to_string),
            new.catch_up_hours,
            i64::from(new.paused_with_all)
        ],
        Refusal::Exists,
    )
}

/// Replaces a definition as it was read. `revision` is the one that was read; the written one is
/// higher by one. Refused when the row was written since: whatever was decided about a definition or
/// its runs was decided on this row.
pub fn put(workspace: WorkspaceId, revision: i64, new: &Definition) -> Op {
    Op::one(
        "UPDATE work_definitions SET title = ?4, version = ?5, state = ?6, schedule = ?7,
           schedule_words = ?8, catch_up = ?9, overlap = ?10, model = ?11, position = ?12,
           next_due_at = ?13, n_runs = ?14, status = ?15, run_state = ?16, latest_run = ?17,
           updated_at = ?18, deleted_at = ?19, built_in = ?20, template = ?21,
           recurrence_id = ?22, catch_up_hours = ?23, paused_with_all = ?24, revision = revision + 1
         WHERE ws = ?1 AND id = ?2 AND revision = ?3",
        params![
            ws(workspace),
            new.id.as_str(),
            revision,
            new.title.as_str(),
            new.version,
            new.state.name(),
            new.schedule.clone(),
            new.schedule_words.clone(),
            new.catch_up.name(),
            new.overlap.name(),
            new.model.clone(),
            new.position.clone(),
            new.next_due_at,
            new.n_runs,
            new.status.name(),
            new.run_state.map(RunState::name),
            new.latest_run.as_ref().map(WorkRunId::as_str),
            new.updated_at,
            new.deleted_at,
            new.built_in.clone(),
            new.template.as_ref().map(TemplateId::to_string),
            new.recurrence.clone(),
            new.catch_up_hours,
            i64::from(new.paused_with_all)
        ],
        Refusal::Stale,
    )
}

/// Refuses a commit if the definition was written since it was read.
pub fn unchanged(workspace: WorkspaceId, read: &Definition) -> Op {
    Op::one(
        "UPDATE work_definitions SET revision = revision WHERE ws = ?1 AND id = ?2 AND revision = ?3",
        params![ws(workspace), read.id.as_str(), read.revision],
        Refusal::Stale,
    )
}

/// Counts as a write of a definition as it was read, so that whatever is decided on it meanwhile is decided
/// again. Refused if it was written since.
pub fn mark_written(workspace: WorkspaceId, read: &Definition) -> Op {
    Op::one(
        "UPDATE work_definitions SET revision = revision + 1 WHERE ws = ?1 AND id = ?2 AND revision = ?3",
        params![ws(workspace), read.id.as_str(), read.revision],
        Refusal::Stale,
    )
}

/// One row of a list; a damaged row does not hide the others.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its id as stored.
    pub id: String,
    /// The definition, or why it cannot be read.
    pub row: Result<Definition, ReadError>,
}

/// The rows of a query as lines of a list.
pub fn lines(query: Query<Definition>) -> Query<Line> {
    let Query { db, sql, params, .. } = query;
    let line = |row: &Row| {
        let id = row.text(0).map_err(|e| ReadError::column(Db::Agent, "agent work", &e))?;
        Ok(Line { id: id.to_owned(), row: decode(row) })
    };
    Query { db, sql, params, decode: line }
}

fn decode(row: &Row) -> Result<Definition, ReadError> {
    let columns = Columns::of(row, "agent work")?;
    Ok(Definition {
        id: columns.id(0)?,
        kind: columns.listed(1)?,
        source: columns.listed(2)?,
        source_ref: columns.opt_text(3)?,
        title: columns.text(4)?,
        version: columns.int(5)?,
        state: columns.listed(6)?,
        session: columns.id(7)?,
        recurrence: columns.opt_text(8)?,
        schedule: columns.opt_text(9)?,
        schedule_words: columns.opt_text(10)?,
        catch_up: columns.listed(11)?,
        overlap: columns.listed(12)?,
        model: columns.opt_text(13)?,
        position: columns.opt_text(14)?,
        next_due_at: columns.column(row.opt_time(15))?,
        n_runs: columns.int(16)?,
        status: columns.listed(17)?,
        run_state: columns.opt_listed(18)?,
        latest_run: columns.opt_id(19)?,
        revision: columns.int(20)?,
        created_by: columns.listed(21)?,
        created_at: columns.column(row.time(22))?,
        updated_at: columns.column(row.time(23))?,
        deleted_at: columns.column(row.opt_time(24))?,
        built_in: columns.opt_text(25)?,
        template: columns.opt_id(26)?,
        catch_up_hours: columns.int(27)?,
        paused_with_all: columns.int(28)? != 0,
    })
}

/// A definition, a deleted one included.
pub fn by_id(workspace: WorkspaceId, id: &WorkId) -> Query<Definition> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, type, source_type, source_ref, title, version, state, session_id,
                recurrence_id, schedule, schedule_words, catch_up, overlap, model, position,
                next_due_at, n_runs, status, run_state, latest_run, revision,
                created_by, created_at, updated_at, deleted_at, built_in, template, catch_up_hours,
                paused_with_all
              FROM work_definitions WHERE ws = ?1 AND id = ?2",
        params: params_values![ws(workspace), id.as_str()],
        decode,
    }
}

/// These definitions, at most one page of them, deleted ones included.
pub fn by_ids(workspace: WorkspaceId, ids: &[WorkId]) -> Query<Definition> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, type, source_type, source_ref, title, version, state, session_id,
                recurrence_id, schedule, schedule_words, catch_up, overlap, model, position,
                next_due_at, n_runs, status, run_state, latest_run, revision,
                created_by, created_at, updated_at, deleted_at, built_in, template, catch_up_hours,
                paused_with_all
             FROM work_definitions WHERE ws = ?1 AND id IN (",
            ")",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, ids), decode }
}

/// Definitions after one of them, in the order in which they were made, deleted ones included. The
/// first page starts after an empty id.
pub fn page(workspace: WorkspaceId, after: &str, limit: i64) -> Query<Definition> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, type, source_type, source_ref, title, version, state, session_id,
                recurrence_id, schedule, schedule_words, catch_up, overlap, model, position,
                next_due_at, n_runs, status, run_state, latest_run, revision,
                created_by, created_at, updated_at, deleted_at, built_in, template, catch_up_hours,
                paused_with_all
              FROM work_definitions WHERE ws = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
        params: params_values![ws(workspace), after, limit],
        decode,
    }
}

/// Definitions that are not deleted, of one type or of all, before one of them, newest first. The first
/// page comes before `~`.
pub fn newest(
    workspace: WorkspaceId,
    kind: Option<WorkType>,
    before: &str,
    limit: i64,
) -> Query<Definition> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, type, source_type, source_ref, title, version, state, session_id,
                recurrence_id, schedule, schedule_words, catch_up, overlap, model, position,
                next_due_at, n_runs, status, run_state, latest_run, revision,
                created_by, created_at, updated_at, deleted_at, built_in, template, catch_up_hours,
                paused_with_all
              FROM work_definitions
              WHERE ws = ?1 AND id < ?2 AND deleted_at IS NULL
                AND (CAST(?3 AS TEXT) IS NULL OR type = CAST(?3 AS TEXT))
              ORDER BY id DESC LIMIT ?4",
        params: params_values![ws(workspace), before, kind.map(WorkType::name), limit],
        decode,
    }
}

/// The same for those of one public status.
pub fn newest_of_status(
    workspace: WorkspaceId,
    status: WorkStatus,
    kind: Option<WorkType>,
    before: &str,
    limit: i64,
) -> Query<Definition> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, type, source_type, source_ref, title, version, state, session_id,
                recurrence_id, schedule, schedule_words, catch_up, overlap, model, position,
                next_due_at, n_runs, status, run_state, latest_run, revision,
                created_by, created_at, updated_at, deleted_at, built_in, template, catch_up_hours,
                paused_with_all
              FROM work_definitions
              WHERE ws = ?1 AND status = ?2 AND id < ?3 AND deleted_at IS NULL
                AND (CAST(?4 AS TEXT) IS NULL OR type = CAST(?4 AS TEXT))
              ORDER BY id DESC LIMIT ?5",
        params: params_values![
            ws(workspace),
            status.name(),
            before,
            kind.map(WorkType::name),
            limit
        ],
        decode,
    }
}

/// Definitions after one of them that may wait for the person: their latest run did not end well or is not
/// over, an earlier one waits, or they may not start runs. In the order in which they were made.
pub fn in_need(workspace: WorkspaceId, after: &str, limit: i64) -> Query<Definition> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, type, source_type, source_ref, title, version, state, session_id,
                recurrence_id, schedule, schedule_words, catch_up, overlap, model, position,
                next_due_at, n_runs, status, run_state, latest_run, revision,
                created_by, created_at, updated_at, deleted_at, built_in, template, catch_up_hours,
                paused_with_all
              FROM work_definitions
              WHERE ws = ?1 AND id > ?2 AND deleted_at IS NULL
                AND (state IN ('held', 'disabled')
                  OR run_state NOT IN ('succeeded', 'no_op', 'cancelled')
                  OR id IN (SELECT work_id FROM work_runs
                            WHERE ws = ?1 AND state IN ('needs_input', 'needs_review')))
              ORDER BY id LIMIT ?3",
        params: params_values![ws(workspace), after, limit],
        decode,
    }
}

/// The definitions that a conversation is about, newest first, before an id. Each is there.
pub fn of_conversation(
    workspace: WorkspaceId,
    conversation: &ConversationId,
    before: &str,
    limit: i64,
) -> Query<Definition> {
    Query {
        db: Db::Agent,
        sql: "SELECT d.id, d.type, d.source_type, d.source_ref, d.title, d.version, d.state,
                d.session_id, d.recurrence_id, d.schedule, d.schedule_words, d.catch_up, d.overlap,
                d.model, d.position, d.next_due_at, d.n_runs, d.status, d.run_state, d.latest_run,
                d.revision, d.created_by, d.created_at, d.updated_at, d.deleted_at, d.built_in, d.template,
                d.catch_up_hours, d.paused_with_all
              FROM conversation_work w JOIN work_definitions d ON d.ws = w.ws AND d.id = w.work_id
              WHERE w.ws = ?1 AND w.conversation_id = ?2 AND w.work_id < ?3 AND d.deleted_at IS NULL
              ORDER BY w.work_id DESC LIMIT ?4",
        params: params_values![ws(workspace), conversation.as_str(), before, limit],
        decode,
    }
}

/// The definitions that are due at a time, of one workspace or of all, after a place, the longest due first. A
/// damaged row is returned as an error of its own.
pub fn due(
    of: Option<WorkspaceId>,
    now: Timestamp,
    after: &Place,
    limit: i64,
) -> Query<PlacedRow<Definition>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, type, source_type, source_ref, title, version, state, session_id,
                recurrence_id, schedule, schedule_words, catch_up, overlap, model, position,
                next_due_at, n_runs, status, run_state, latest_run, revision,
                created_by, created_at, updated_at, deleted_at, built_in, template,
                catch_up_hours, paused_with_all, ws
              FROM work_definitions WHERE next_due_at IS NOT NULL AND next_due_at <= ?1
                AND (CAST(?2 AS BIGINT) IS NULL OR ws = CAST(?2 AS BIGINT))
                AND (next_due_at, ws, id) > (?3, ?4, ?5)
              ORDER BY next_due_at, ws, id LIMIT ?6",
        params: after.params_of_page(now, of, limit),
        decode: |row| {
            Ok(PlacedRow { place: Place::of(row, "agent work", [15, 29, 0])?, row: decode(row) })
        },
    }
}

/// When the next definition is due, of one workspace or of all; `None` if none is.
pub fn next_due(of: Option<WorkspaceId>) -> Query<Option<Timestamp>> {
    Query {
        db: Db::Agent,
        sql: "SELECT MIN(next_due_at) FROM work_definitions WHERE next_due_at IS NOT NULL
                AND (CAST(?1 AS BIGINT) IS NULL OR ws = CAST(?1 AS BIGINT))",
        params: params_values![of.map(|of| of.0)],
        decode: |row| row.opt_time(0).map_err(|e| ReadError::column(Db::Agent, "agent work", &e)),
    }
}

/// How many definitions a workspace has that are not deleted.
pub fn count(workspace: WorkspaceId) -> Query<i64> {
    Query {
        db: Db::Agent,
        sql: "SELECT COUNT(*) FROM work_definitions WHERE ws = ?1 AND deleted_at IS NULL",
        params: params_values![ws(workspace)],
        decode: |row| row.int(0).map_err(|e| ReadError::column(Db::Agent, "agent work", &e)),
    }
}

/// How many definitions that may still run follow each template.
pub fn count_by_template(workspace: WorkspaceId) -> Query<(TemplateId, usize)> {
    Query {
        db: Db::Agent,
        sql: "SELECT template, COUNT(*) FROM work_definitions
              WHERE ws = ?1 AND template IS NOT NULL AND deleted_at IS NULL AND state <> 'archived'
              GROUP BY template",
        params: params_values![ws(workspace)],
        decode: |row| {
            let columns = Columns::of(row, "agent work")?;
            Ok((columns.id(0)?, usize::try_from(columns.int(1)?).unwrap_or_default()))
        },
    }
}
