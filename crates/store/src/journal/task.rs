//! The task and the rows that belong to it.

use std::sync::LazyLock;

use dormouse_types::caller::By;
use dormouse_types::fold::folded;
pub use dormouse_types::task::StatusEntry;
use dormouse_types::task::{Flags, Priority, Status};
use dormouse_types::{CategoryId, Id as _, IdError, LabelId, TaskId, Timestamp, WorkspaceId};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::checklist::Checklist;
use super::entry::Entry;
use super::item::Item;
use super::row::{Columns, Entity, Stored, corrupt, decode, select};
use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::{ColumnError, Row};
use crate::{params, params_values};

/// The person's task as a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: TaskId,
    /// Empty while it is untitled.
    #[serde(default)]
    pub title: String,
    /// The current status.
    pub status: StatusEntry,
    /// Every status it had, oldest first; the last one is the current one.
    #[serde(default)]
    pub status_history: Vec<StatusEntry>,
    /// `None` if nobody set it.
    pub priority: Option<Priority>,
    /// The day it is due.
    pub due_on: Option<Date>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// ISO 639 code.
    pub language_code: Option<String>,
    /// Who set the language; if absent, it counts as set by the person.
    #[serde(default)]
    pub language_source: By,
    pub category_id: Option<CategoryId>,
    /// Its labels, in the order they were added.
    #[serde(default)]
    pub label_ids: Vec<LabelId>,
    /// Labels that agents may not propose.
    #[serde(default)]
    pub ai_suppressed_label_ids: Vec<LabelId>,
    /// Starred, private.
    #[serde(flatten)]
    pub flags: Flags,
    pub created_at: Timestamp,
    /// When it or anything that belongs to it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
    /// The periods in which it was deleted, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absences: Vec<Absence>,
}

/// A period in which a task was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Absence {
    pub deleted_at: Timestamp,
    pub restored_at: Timestamp,
}

impl Entity for Task {
    const KIND: &'static str = "task";

    fn columns(&self) -> Columns {
        Columns {
            id: self.id.to_string(),
            subtype: Some(self.status.status.name().to_owned()),
            task: Some(self.id.clone()),
            folded: Some(folded(&self.title)),
            created_at: self.created_at,
            updated_at: self.updated_at,
            deleted_at: self.deleted_at,
        }
    }
}

/// Advances the revision of a task; refused when it is not the one the commit was decided on.
pub fn guard(workspace: WorkspaceId, task: &TaskId, revision: i64) -> Op {
    Op::one(
        "UPDATE journal SET revision = revision + 1
         WHERE ws = ?1 AND id = ?2 AND type = 'task' AND revision = ?3",
        params![ws(workspace), task.as_str(), revision],
        Refusal::Stale,
    )
}

/// The task's own row, even if it is soft-deleted.
pub fn by_id(workspace: WorkspaceId, task: &TaskId) -> Query<Stored<Task>> {
    Query {
        db: Db::Journal,
        sql: select!("WHERE ws = ?1 AND id = ?2 AND type = 'task'"),
        params: params_values![ws(workspace), task.as_str()],
        decode,
    }
}

/// One row of a task's aggregate.
#[derive(Debug, Clone)]
pub enum AggregateRow {
    /// The task itself.
    Task(Stored<Task>),
    Checklist(Stored<Checklist>),
    /// One item of a checklist.
    Item(Stored<Item>),
    /// One of its entries.
    Entry(Stored<Entry>),
}

/// The task with everything that belongs to it, including soft-deleted rows, in one statement.
///
/// Rows of a kind this version does not know are left out; they stay unchanged in the database.
pub fn aggregate(workspace: WorkspaceId, task: &TaskId) -> Query<AggregateRow> {
    Query {
        db: Db::Journal,
        sql: select!(
            "WHERE ws = ?1 AND task_id = ?2 AND type IN ('task', 'checklist', 'checklistItem', 'entry')
             ORDER BY type, created_at, id"
        ),
        params: params_values![ws(workspace), task.as_str()],
        decode: aggregate_row,
    }
}

fn aggregate_row(row: &Row) -> Result<AggregateRow, ReadError> {
    match row.text(1) {
        Ok(Task::KIND) => decode(row).map(AggregateRow::Task),
        Ok(Checklist::KIND) => decode(row).map(AggregateRow::Checklist),
        Ok(Item::KIND) => decode(row).map(AggregateRow::Item),
        Ok(Entry::KIND) => decode(row).map(AggregateRow::Entry),
        Ok(other) => Err(corrupt(row, "row", format!("unexpected type {other}"))),
        Err(e) => Err(corrupt(row, "row", e.to_string())),
    }
}

/// A task in a list.
#[derive(Debug, Clone)]
pub struct TaskWithCounts {
    pub task: Stored<Task>,
    /// Live items not ticked.
    pub n_open: i64,
    /// Live items ticked.
    pub n_done: i64,
}

/// One row of a list; a damaged row does not hide the others.
#[derive(Debug, Clone)]
pub struct Line {
    /// Where the list continues after it.
    pub after: PageStart,
    /// The task, or why its document cannot be read.
    pub row: Result<TaskWithCounts, ReadError>,
}

fn line(row: &Row) -> Result<Line, ReadError> {
    let column = |e: ColumnError| corrupt(row, Task::KIND, e.to_string());
    let after = PageStart {
        created_at: row.time(8).map_err(column)?,
        id: row.text(0).map_err(column)?.to_owned(),
    };
    let (n_open, n_done) = (row.int(6).map_err(column)?, row.int(7).map_err(column)?);
    Ok(Line { after, row: decode(row).map(|task| TaskWithCounts { task, n_open, n_done }) })
}

/// Where a page of a list begins: after this task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageStart {
    /// When that task was created.
    pub created_at: Timestamp,
    pub id: String,
}

/// The number of title words the query checks; the caller must check any further words.
pub const WORDS: usize = 4;

/// Which tasks to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// Only this status.
    pub status: Option<Status>,
    /// Lower-case words that must all be in the title; only the first [`WORDS`] are checked.
    pub words: Vec<String>,
    /// Only tasks with this title, in lower case and without accents; then the first word is not checked.
    pub title: Option<String>,
    /// Whether soft-deleted tasks are listed too.
    pub include_deleted: bool,
    /// Where the page begins.
    pub after: Option<PageStart>,
    /// The most rows.
    pub limit: i64,
}

pub(super) fn containing(word: &str) -> String {
    format!("%{}%", escaped(word))
}

/// A text as a `LIKE` pattern that matches only itself; goes with `ESCAPE '\\'`.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

/// The same for at most a page of tasks, each row with its task. A damaged row is returned as an
/// error of its own.
pub fn aggregates(
    workspace: WorkspaceId,
    tasks: &[TaskId],
) -> Query<(String, Result<AggregateRow, ReadError>)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, type, revision, serialized, clock_host, clock_counter, task_id FROM journal
             WHERE ws = ?1 AND task_id IN (",
            ") AND type IN ('task', 'checklist', 'checklistItem', 'entry')
             ORDER BY type, created_at, id",
        )
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, tasks),
        decode: |row| {
            let task = row.text(6).map_err(|e| corrupt(row, "row", e.to_string()))?;
            Ok((task.to_owned(), aggregate_row(row)))
        },
    }
}

/// Which of at most [`in_list::MOST`] folded titles a live task has.
pub fn live_titles(workspace: WorkspaceId, folded: &[String]) -> Query<String> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT DISTINCT folded FROM journal
             WHERE ws = ?1 AND type = 'task' AND deleted_at IS NULL AND folded <> '' AND folded IN (",
            ")",
        )
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, folded),
        decode: |row| {
            row.text(0).map(ToOwned::to_owned).map_err(|e| corrupt(row, "title", e.to_string()))
        },
    }
}

/// Tasks, newest first, with their item counts.
pub fn list(workspace: WorkspaceId, wanted: &ListQuery) -> Query<Line> {
    let word = |n: usize| wanted.words.get(n).map_or_else(|| "%".to_owned(), |w| containing(w));
    let title = wanted.title.as_deref().map(escaped);
    let after = wanted
        .after
        .clone()
        .unwrap_or(PageStart { created_at: Timestamp::from_micros(i64::MAX), id: String::new() });
    Query {
        db: Db::Journal,
        sql: "SELECT t.id, t.type, t.revision, t.serialized, t.clock_host, t.clock_counter,
                (SELECT COUNT(*) FROM journal i WHERE i.ws = t.ws AND i.task_id = t.id
                   AND i.type = 'checklistItem' AND i.subtype = 'open' AND i.deleted_at IS NULL),
                (SELECT COUNT(*) FROM journal i WHERE i.ws = t.ws AND i.task_id = t.id
                   AND i.type = 'checklistItem' AND i.subtype = 'done' AND i.deleted_at IS NULL),
                t.created_at
              FROM journal t
              WHERE t.ws = ?1 AND t.type = 'task' AND (CAST(?2 AS BIGINT) = 1 OR t.deleted_at IS NULL)
                AND (?3 = '' OR t.subtype = ?3)
                AND t.folded LIKE ?4 ESCAPE '\\' AND t.folded LIKE ?5 ESCAPE '\\'
                AND t.folded LIKE ?6 ESCAPE '\\' AND t.folded LIKE ?7 ESCAPE '\\'
                AND (t.created_at < ?8 OR (t.created_at = ?8 AND t.id < ?9))
              ORDER BY t.created_at DESC, t.id DESC LIMIT ?10",
        params: params_values![
            ws(workspace),
            wanted.include_deleted,
            wanted.status.map_or("", Status::name),
            title.unwrap_or_else(|| word(0)),
            word(1),
            word(2),
            word(3),
            after.created_at,
            after.id,
            wanted.limit,
        ],
        decode: line,
    }
}

/// The ids of those tasks and their titles as searched, newest first; their documents are not read.
pub fn titled(workspace: WorkspaceId, wanted: &ListQuery) -> Query<(TaskId, String)> {
    let Query { params, .. } = list(workspace, wanted);
    Query {
        db: Db::Journal,
        sql: "SELECT t.id, t.folded FROM journal t
              WHERE t.ws = ?1 AND t.type = 'task' AND (CAST(?2 AS BIGINT) = 1 OR t.deleted_at IS NULL)
                AND (?3 = '' OR t.subtype = ?3)
                AND t.folded LIKE ?4 ESCAPE '\\' AND t.folded LIKE ?5 ESCAPE '\\'
                AND t.folded LIKE ?6 ESCAPE '\\' AND t.folded LIKE ?7 ESCAPE '\\'
                AND (t.created_at < ?8 OR (t.created_at = ?8 AND t.id < ?9))
              ORDER BY t.created_at DESC, t.id DESC LIMIT ?10",
        params,
        decode: |row| {
            let column = |e: ColumnError| corrupt(row, "task", e.to_string());
            let id = row.text(0).map_err(column)?;
            let id = id.parse().map_err(|e: IdError| corrupt(row, "task", e.to_string()))?;
            Ok((id, row.text(1).map_err(column)?.to_owned()))
        },
    }
}

/// Tasks whose id ends in a text, newest first, including soft-deleted ones.
pub fn by_ending(workspace: WorkspaceId, ending: &str) -> Query<Line> {
    Query {
        db: Db::Journal,
        sql: "SELECT t.id, t.type, t.revision, t.serialized, t.clock_host, t.clock_counter,
                (SELECT COUNT(*) FROM journal i WHERE i.ws = t.ws AND i.task_id = t.id
                   AND i.type = 'checklistItem' AND i.subtype = 'open' AND i.deleted_at IS NULL),
                (SELECT COUNT(*) FROM journal i WHERE i.ws = t.ws AND i.task_id = t.id
                   AND i.type = 'checklistItem' AND i.subtype = 'done' AND i.deleted_at IS NULL),
                t.created_at
              FROM journal t
              WHERE t.ws = ?1 AND t.type = 'task' AND t.id LIKE ?2 ESCAPE '\\'
              ORDER BY t.created_at DESC, t.id DESC",
        params: params_values![ws(workspace), format!("%{}", escaped(ending))],
        decode: line,
    }
}
