//! Queries for lists of tasks: many tasks at once, item counts, and text search.

use std::sync::LazyLock;

use dormouse_types::closed_list::Listed;
use dormouse_types::task::{Flags, ItemState, Priority, Status};
use dormouse_types::{CategoryId, IdError, LabelId, TaskId, Timestamp, WorkspaceId};
use jiff::civil::Date;
use serde::Deserialize;

use super::entry::Entry;
use super::item::Item;
use super::row::{Stored, corrupt, decode};
use super::task::{Task, WORDS};
use crate::commit::Db;
use crate::in_list;
use crate::params_values;
use crate::store::{Query, ReadError, ws};
use crate::value::{ColumnError, Row};

/// One row of a list; a damaged row does not hide the others.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its id as stored.
    pub id: String,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// The task, or why its document cannot be read.
    pub task: Result<Stored<Task>, ReadError>,
}

fn line(row: &Row) -> Result<Line, ReadError> {
    let column = |e: ColumnError| corrupt(row, "task", e.to_string());
    Ok(Line {
        id: row.text(0).map_err(column)?.to_owned(),
        created_at: row.time(6).map_err(column)?,
        updated_at: row.time(7).map_err(column)?,
        task: decode(row),
    })
}

/// The fields a list of tasks is sorted and filtered by.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskIndexEntry {
    /// Empty while it is untitled.
    #[serde(default)]
    pub title: String,
    /// The current status.
    pub status: TaskIndexStatus,
    /// `None` if nobody set it.
    pub priority: Option<Priority>,
    /// The day it is due.
    pub due_on: Option<Date>,
    pub category_id: Option<CategoryId>,
    #[serde(default)]
    pub label_ids: Vec<LabelId>,
    /// Whether it is starred.
    #[serde(default)]
    pub starred: bool,
    /// Whether it is private.
    #[serde(default)]
    pub private: bool,
}

impl TaskIndexEntry {
    pub fn flags(&self) -> Flags {
        Flags { starred: self.starred, private: self.private }
    }
}

/// A status without its history.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TaskIndexStatus {
    pub status: Status,
}

#[derive(Debug, Clone)]
pub struct TaskIndexRow {
    /// Its id as stored.
    pub id: String,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
    /// The indexed fields, or why the document cannot be read.
    pub task: Result<TaskIndexEntry, ReadError>,
}

/// The tasks of a workspace, including soft-deleted ones, unordered.
pub fn all(workspace: WorkspaceId) -> Query<TaskIndexRow> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, serialized, created_at, updated_at, deleted_at FROM journal
              WHERE ws = ?1 AND type = 'task'",
        params: params_values![ws(workspace)],
        decode: |row| {
            let column = |e: ColumnError| corrupt(row, "task", e.to_string());
            let text = row.text(1).map_err(column)?;
            Ok(TaskIndexRow {
                id: row.text(0).map_err(column)?.to_owned(),
                created_at: row.time(2).map_err(column)?,
                updated_at: row.time(3).map_err(column)?,
                deleted_at: row.opt_time(4).map_err(column)?,
                task: serde_json::from_str(text).map_err(|e| corrupt(row, "task", e.to_string())),
            })
        },
    }
}

/// How many live tasks have each status.
pub fn by_status(workspace: WorkspaceId) -> Query<(Status, usize)> {
    Query {
        db: Db::Journal,
        sql: "SELECT subtype, COUNT(*) FROM journal
              WHERE ws = ?1 AND type = 'task' AND deleted_at IS NULL GROUP BY subtype",
        params: params_values![ws(workspace)],
        decode: |row| {
            let column = |e: ColumnError| corrupt(row, "task", e.to_string());
            let name = row.text(0).map_err(column)?;
            let status = name
                .parse()
                .map_err(|_| corrupt(row, "task", format!("`{name}` is not a status")))?;
            Ok((status, usize::try_from(row.int(1).map_err(column)?).unwrap_or_default()))
        },
    }
}

/// A page of the tasks, most recently created first.
pub fn by_creation(
    workspace: WorkspaceId,
    include_deleted: bool,
    (created_at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Line> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, type, revision, serialized, clock_host, clock_counter, created_at, updated_at
              FROM journal
              WHERE ws = ?1 AND type = 'task' AND (CAST(?2 AS BIGINT) = 1 OR deleted_at IS NULL)
                AND created_at <= ?3 AND (created_at < ?3 OR id < ?4)
              ORDER BY created_at DESC, id DESC LIMIT ?5",
        params: params_values![ws(workspace), include_deleted, created_at, id, limit],
        decode: line,
    }
}

/// A page of the tasks, most recently changed first.
pub fn by_change(
    workspace: WorkspaceId,
    include_deleted: bool,
    (updated_at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Line> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, type, revision, serialized, clock_host, clock_counter, created_at, updated_at
              FROM journal
              WHERE ws = ?1 AND type = 'task' AND (CAST(?2 AS BIGINT) = 1 OR deleted_at IS NULL)
                AND updated_at <= ?3 AND (updated_at < ?3 OR id < ?4)
              ORDER BY updated_at DESC, id DESC LIMIT ?5",
        params: params_values![ws(workspace), include_deleted, updated_at, id, limit],
        decode: line,
    }
}

/// Tasks by id, including soft-deleted ones.
pub fn some(workspace: WorkspaceId, ids: &[String]) -> Query<Line> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, type, revision, serialized, clock_host, clock_counter, created_at, updated_at
             FROM journal WHERE ws = ?1 AND type = 'task' AND id IN (",
            ")",
        )
    });
    let params = in_list::params(workspace, ids);
    Query { db: Db::Journal, sql: &SQL, params, decode: line }
}

/// What the columns of a task say about the proposals on it; its document is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewColumns {
    pub task: TaskId,
    pub status: Status,
    pub is_deleted: bool,
    /// When the person last set a field.
    pub stated_at: Option<Timestamp>,
}

/// Those columns of tasks by id, including soft-deleted ones.
pub fn review_columns(workspace: WorkspaceId, tasks: &[TaskId]) -> Query<ReviewColumns> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, subtype, deleted_at,
               (SELECT MAX(s.at) FROM field_says s
                WHERE s.ws = journal.ws AND s.task_id = journal.id AND s.by = 'user')
             FROM journal WHERE ws = ?1 AND type = 'task' AND id IN (",
            ")",
        )
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, tasks),
        decode: |row| {
            let column = |e: ColumnError| corrupt(row, "task", e.to_string());
            let id = row.text(0).map_err(column)?;
            let status = row.text(1).map_err(column)?;
            Ok(ReviewColumns {
                task: id.parse().map_err(|e: IdError| corrupt(row, "task", e.to_string()))?,
                status: status
                    .parse()
                    .map_err(|_| corrupt(row, "task", format!("`{status}` is not a status")))?,
                is_deleted: row.opt_time(2).map_err(column)?.is_some(),
                stated_at: row.opt_time(3).map_err(column)?,
            })
        },
    }
}

/// The number of a task's live items in one state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemCount {
    /// The task's id as stored.
    pub task: String,
    pub state: Listed<ItemState>,
    /// How many.
    pub n: i64,
}

/// Counts the items of the given tasks by state.
pub fn items(workspace: WorkspaceId, ids: &[String]) -> Query<ItemCount> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT task_id, COALESCE(subtype, ''), COUNT(*) FROM journal
             WHERE ws = ?1 AND type = 'checklistItem' AND deleted_at IS NULL AND task_id IN (",
            ") GROUP BY task_id, subtype",
        )
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, ids),
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "item", &e);
            Ok(ItemCount {
                task: row.text(0).map_err(column)?.to_owned(),
                state: Listed::named(row.text(1).map_err(column)?),
                n: row.int(2).map_err(column)?,
            })
        },
    }
}

/// Which search words one kind of a task's rows contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The task's id as stored.
    pub task: String,
    /// Whether each word was found; unused places repeat the first word's result.
    pub words: [bool; WORDS],
}

fn patterns(words: &[String]) -> [String; WORDS] {
    let first = words.first().map_or("", String::as_str);
    std::array::from_fn(|n| super::task::containing(words.get(n).map_or(first, String::as_str)))
}

/// The tasks that contain any of the first [`WORDS`] folded words in their title, an entry or an
/// item.
pub fn hits(workspace: WorkspaceId, words: &[String]) -> Query<Hit> {
    let [one, two, three, four] = patterns(words);
    Query {
        db: Db::Journal,
        sql: "SELECT task_id,
                MAX(CAST(CASE WHEN folded LIKE ?2 ESCAPE '\\' THEN 1 ELSE 0 END AS BIGINT)),
                MAX(CAST(CASE WHEN folded LIKE ?3 ESCAPE '\\' THEN 1 ELSE 0 END AS BIGINT)),
                MAX(CAST(CASE WHEN folded LIKE ?4 ESCAPE '\\' THEN 1 ELSE 0 END AS BIGINT)),
                MAX(CAST(CASE WHEN folded LIKE ?5 ESCAPE '\\' THEN 1 ELSE 0 END AS BIGINT))
              FROM journal
              WHERE ws = ?1 AND type IN ('task', 'entry', 'checklistItem')
                AND task_id IS NOT NULL AND (deleted_at IS NULL OR type = 'task')
                AND (folded LIKE ?2 ESCAPE '\\' OR folded LIKE ?3 ESCAPE '\\'
                  OR folded LIKE ?4 ESCAPE '\\' OR folded LIKE ?5 ESCAPE '\\')
              GROUP BY task_id",
        params: params_values![ws(workspace), one, two, three, four],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "task", &e);
            let mut words = [false; WORDS];
            for (n, word) in words.iter_mut().enumerate() {
                *word = row.int(n + 1).map_err(column)? == 1;
            }
            Ok(Hit { task: row.text(0).map_err(column)?.to_owned(), words })
        },
    }
}

/// An item or an entry.
#[derive(Debug, Clone)]
pub enum Text {
    /// An item of a checklist.
    Item(Stored<Item>),
    Entry(Stored<Entry>),
}

/// The live items and entries of the given tasks, items first, in order of creation.
pub fn texts(workspace: WorkspaceId, ids: &[String]) -> Query<Text> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT id, type, revision, serialized, clock_host, clock_counter FROM journal
             WHERE ws = ?1 AND type IN ('checklistItem', 'entry') AND deleted_at IS NULL
               AND task_id IN (",
            ") ORDER BY type, created_at, id",
        )
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, ids),
        decode: |row| match row.text(1) {
            Ok("checklistItem") => decode(row).map(Text::Item),
            Ok(_) => decode(row).map(Text::Entry),
            Err(e) => Err(corrupt(row, "row", e.to_string())),
        },
    }
}

/// The title of a task, if its document can be read.
pub fn title(line: Line) -> Option<(TaskId, String)> {
    line.task.ok().map(|task| (task.doc.value.id, task.doc.value.title))
}
