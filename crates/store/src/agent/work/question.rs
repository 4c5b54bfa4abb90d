//! Questions that runs of agent work ask the person.

use std::sync::LazyLock;

use dormouse_types::{Id as _, QuestionId, Timestamp, WorkId, WorkRunId, WorkspaceId};

use super::Columns;
use super::place::{Place, PlacedRow};
use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub id: QuestionId,
    /// The definition.
    pub work: WorkId,
    /// The run that asks.
    pub run: WorkRunId,
    /// The attempt whose question it is.
    pub attempt: i64,
    /// What it asks.
    pub question: String,
    /// The answers that it offers; the person may give another one.
    pub options: Vec<String>,
    /// Whether the answers that it offers cannot be read; it has none then.
    pub has_damaged_options: bool,
    pub answer: Option<String>,
    pub answered_by: Option<String>,
    pub asked_at: Timestamp,
    /// Until when it can be answered.
    pub expires_at: Timestamp,
    /// When it was answered, or given up.
    pub closed_at: Option<Timestamp>,
}

/// Writes a new question.
pub fn insert(workspace: WorkspaceId, new: &Question) -> Op {
    let options = serde_json::to_string(&new.options).expect("a list of texts is plain data");
    Op::one(
        "INSERT INTO work_questions (ws, id, work_id, run_id, attempt, question, options, asked_at,
           expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            ws(workspace),
            new.id.as_str(),
            new.work.as_str(),
            new.run.as_str(),
            new.attempt,
            new.question.as_str(),
            options,
            new.asked_at,
            new.expires_at
        ],
        Refusal::Exists,
    )
}

/// Answers an open question; refused if it is closed.
pub fn answer(
    workspace: WorkspaceId,
    id: &QuestionId,
    answer: &str,
    by: &str,
    at: Timestamp,
) -> Op {
    Op::one(
        "UPDATE work_questions SET answer = ?3, answered_by = ?4, closed_at = ?5
         WHERE ws = ?1 AND id = ?2 AND closed_at IS NULL AND expires_at > ?5",
        params![ws(workspace), id.as_str(), answer, by, at],
        Refusal::Stale,
    )
}

/// Closes the open questions of a run without an answer.
pub fn close_of_run(workspace: WorkspaceId, run: &WorkRunId, at: Timestamp) -> Op {
    Op::any(
        "UPDATE work_questions SET closed_at = ?3
         WHERE ws = ?1 AND run_id = ?2 AND closed_at IS NULL",
        params![ws(workspace), run.as_str(), at],
    )
}

fn decode(row: &Row) -> Result<Question, ReadError> {
    let columns = Columns::of(row, "question")?;
    let options: Option<Vec<String>> = serde_json::from_str(&columns.text(5)?).ok();
    Ok(Question {
        id: columns.id(0)?,
        work: columns.id(1)?,
        run: columns.id(2)?,
        attempt: columns.int(3)?,
        question: columns.text(4)?,
        has_damaged_options: options.is_none(),
        options: options.unwrap_or_default(),
        answer: columns.opt_text(6)?,
        answered_by: columns.opt_text(7)?,
        asked_at: columns.column(row.time(8))?,
        expires_at: columns.column(row.time(9))?,
        closed_at: columns.column(row.opt_time(10))?,
    })
}

/// The id of a question, if it is open.
pub fn open_by_id(workspace: WorkspaceId, id: &QuestionId) -> Query<QuestionId> {
    Query {
        db: Db::Agent,
        sql: "SELECT id FROM work_questions WHERE ws = ?1 AND id = ?2 AND closed_at IS NULL",
        params: params_values![ws(workspace), id.as_str()],
        decode: |row| Columns::of(row, "question")?.id(0),
    }
}

/// A question.
pub fn by_id(workspace: WorkspaceId, id: &QuestionId) -> Query<Question> {
    Query {
        db: Db::Agent,
        sql:
            "SELECT id, work_id, run_id, attempt, question, options, answer, answered_by, asked_at,
                expires_at, closed_at
              FROM work_questions WHERE ws = ?1 AND id = ?2",
        params: params_values![ws(workspace), id.as_str()],
        decode,
    }
}

/// The questions of a run, oldest first.
pub fn of_run(workspace: WorkspaceId, run: &WorkRunId) -> Query<Question> {
    Query {
        db: Db::Agent,
        sql:
            "SELECT id, work_id, run_id, attempt, question, options, answer, answered_by, asked_at,
                expires_at, closed_at
              FROM work_questions WHERE ws = ?1 AND run_id = ?2 ORDER BY attempt, asked_at",
        params: params_values![ws(workspace), run.as_str()],
        decode,
    }
}

/// The questions of a definition that wait for an answer, oldest first.
pub fn open_of_work(workspace: WorkspaceId, work: &WorkId) -> Query<Question> {
    Query {
        db: Db::Agent,
        sql:
            "SELECT id, work_id, run_id, attempt, question, options, answer, answered_by, asked_at,
                expires_at, closed_at
              FROM work_questions WHERE ws = ?1 AND work_id = ?2 AND closed_at IS NULL
              ORDER BY asked_at, id",
        params: params_values![ws(workspace), work.as_str()],
        decode,
    }
}

/// The questions of these runs that wait for an answer, oldest first; at most one page of runs.
pub fn open_of_runs(workspace: WorkspaceId, runs: &[WorkRunId]) -> Query<Question> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, work_id, run_id, attempt, question, options, answer, answered_by, asked_at,
                expires_at, closed_at
             FROM work_questions WHERE ws = ?1 AND closed_at IS NULL AND run_id IN (",
            ") ORDER BY asked_at, id",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, runs), decode }
}

/// All questions of these runs, oldest first; at most one page of runs.
pub fn of_runs(workspace: WorkspaceId, runs: &[WorkRunId]) -> Query<Question> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, work_id, run_id, attempt, question, options, answer, answered_by, asked_at,
                expires_at, closed_at
             FROM work_questions WHERE ws = ?1 AND run_id IN (",
            ") ORDER BY asked_at, id",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, runs), decode }
}

/// What of a question has to be read to give it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverdueQuestion {
    pub id: QuestionId,
    /// The definition.
    pub work: WorkId,
    /// The run that asks.
    pub run: WorkRunId,
}

/// Open questions whose time has passed, of one workspace or of all, after a place. A row of which no more than
/// its place can be read is returned as an error of its own.
pub fn overdue(
    of: Option<WorkspaceId>,
    now: Timestamp,
    after: &Place,
    limit: i64,
) -> Query<PlacedRow<OverdueQuestion>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, work_id, run_id, expires_at, ws
              FROM work_questions WHERE closed_at IS NULL AND expires_at <= ?1
                AND (CAST(?2 AS BIGINT) IS NULL OR ws = CAST(?2 AS BIGINT))
                AND (expires_at, ws, id) > (?3, ?4, ?5)
              ORDER BY expires_at, ws, id LIMIT ?6",
        params: after.params_of_page(now, of, limit),
        decode: |row| {
            let decoded = || {
                let columns = Columns::of(row, "question")?;
                Ok(OverdueQuestion {
                    id: columns.id(0)?,
                    work: columns.id(1)?,
                    run: columns.id(2)?,
                })
            };
            Ok(PlacedRow { place: Place::of(row, "question", [3, 4, 0])?, row: decoded() })
        },
    }
}

/// What of an open question identifies its delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    /// The definition.
    pub work: WorkId,
    /// The run that asks.
    pub run: WorkRunId,
    /// The attempt whose question it is.
    pub attempt: i64,
}

/// Questions that can still be answered, of one workspace or of all, after a place.
pub fn open(
    of: Option<WorkspaceId>,
    now: Timestamp,
    after: &Place,
    limit: i64,
) -> Query<PlacedRow<OpenQuestion>> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, work_id, run_id, attempt, expires_at, ws
              FROM work_questions WHERE closed_at IS NULL AND expires_at > ?1
                AND (CAST(?2 AS BIGINT) IS NULL OR ws = CAST(?2 AS BIGINT))
                AND (expires_at, ws, id) > (?3, ?4, ?5)
              ORDER BY expires_at, ws, id LIMIT ?6",
        params: after.params_of_page(now, of, limit),
        decode: |row| {
            let decoded = || {
                let columns = Columns::of(row, "question")?;
                Ok(OpenQuestion {
                    work: columns.id(1)?,
                    run: columns.id(2)?,
                    attempt: columns.int(3)?,
                })
            };
            Ok(PlacedRow { place: Place::of(row, "question", [4, 5, 0])?, row: decoded() })
        },
    }
}
