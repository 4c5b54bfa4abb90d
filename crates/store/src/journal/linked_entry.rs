//! Links between two tasks: one row per link, found from both ends.

use dormouse_types::closed_list::Listed;
use dormouse_types::task::LinkKind;
use dormouse_types::task::Status;
use dormouse_types::{TaskId, TaskLinkId, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};

use crate::commit::{Db, Op, Refusal};
use crate::doc::Doc;
use crate::store::{Query, ReadError, ws};
use crate::value::{ColumnError, Param, Row};
use crate::{params, params_values};

/// A link as a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkedEntry {
    pub id: TaskLinkId,
    /// The task it leaves.
    pub from_id: TaskId,
    /// The task it reaches.
    pub to_id: TaskId,
    /// How the two are related; an unknown kind is kept.
    #[serde(rename = "type")]
    pub kind: Listed<LinkKind>,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was removed.
    pub deleted_at: Option<Timestamp>,
}

/// A link as one of its tasks sees it.
#[derive(Debug, Clone)]
pub struct LinkWithTask {
    pub doc: Doc<LinkedEntry>,
    /// The task at the other end.
    pub other: LinkedTask,
}

/// The task at the other end of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedTask {
    pub id: TaskId,
    /// Empty if it is untitled or its document cannot be read.
    pub title: String,
    pub status: Status,
    /// Whether it is soft-deleted: the link is then hidden.
    pub is_deleted: bool,
    /// Whether it is private; it counts as private if its document cannot be read.
    pub is_private: bool,
}

/// Adds a link; refused when a live one has the same ends and type.
pub fn insert(workspace: WorkspaceId, link: &LinkedEntry) -> Op {
    let text = serde_json::to_string(link).expect("a link is plain data");
    Op::one(
        "INSERT INTO linked_entries (ws, id, from_id, to_id, type, created_at, updated_at,
           deleted_at, serialized, clock_host, clock_counter)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            ws(workspace),
            link.id.to_string(),
            link.from_id.to_string(),
            link.to_id.to_string(),
            link.kind.name(),
            link.created_at,
            link.updated_at,
            link.deleted_at,
            text,
            Param::Host,
            Param::Seq,
        ],
        Refusal::Exists,
    )
}

/// Writes a link that was removed or restored; fields this version does not know are preserved.
///
/// Its ends and type never change. Refused when another live link already has them.
pub fn put(workspace: WorkspaceId, doc: &Doc<LinkedEntry>) -> Op {
    Op::one(
        "UPDATE linked_entries SET updated_at = ?3, deleted_at = ?4, serialized = ?5,
           clock_host = ?6, clock_counter = ?7
         WHERE ws = ?1 AND id = ?2",
        params![
            ws(workspace),
            doc.value.id.to_string(),
            doc.value.updated_at,
            doc.value.deleted_at,
            doc.text(),
            Param::Host,
            Param::Seq,
        ],
        Refusal::Exists,
    )
}

fn corrupt(row: &Row, detail: String) -> ReadError {
    let id = row.text(0).unwrap_or("row").to_owned();
    ReadError::Corrupt { db: Db::Journal.name(), noun: "task link", id, detail }
}

fn document(row: &Row) -> Result<Doc<LinkedEntry>, ReadError> {
    let text = row.text(1).map_err(|e| corrupt(row, e.to_string()))?;
    Doc::read(text).map_err(|e| corrupt(row, e.to_string()))
}

/// The only part of a task's document that a link shows, and whether it may be shown to any model.
#[derive(Deserialize)]
struct TitleOnly {
    title: String,
    #[serde(default)]
    private: bool,
}

fn link_with_task(row: &Row) -> Result<LinkWithTask, ReadError> {
    let column = |e: ColumnError| corrupt(row, e.to_string());
    let other = row.text(2).map_err(column)?;
    let status = row.text(3).map_err(column)?;
    // Damage to the other task's document is reported when that task is read.
    let titled: Option<TitleOnly> = serde_json::from_str(row.text(5).map_err(column)?).ok();
    Ok(LinkWithTask {
        doc: document(row)?,
        other: LinkedTask {
            id: other.parse().map_err(|_| corrupt(row, format!("`{other}` is not a task id")))?,
            status: status
                .parse()
                .map_err(|_| corrupt(row, format!("task {other} has the status `{status}`")))?,
            is_deleted: row.opt_time(4).map_err(column)?.is_some(),
            is_private: titled.as_ref().is_none_or(|titled| titled.private),
            title: titled.map(|titled| titled.title).unwrap_or_default(),
        },
    })
}

/// The live links from or to a task, newest first, including those to soft-deleted tasks.
pub fn of_task(workspace: WorkspaceId, task: &TaskId) -> Query<LinkWithTask> {
    Query {
        db: Db::Journal,
        sql: "SELECT l.id, l.serialized, t.id, t.subtype, t.deleted_at, t.serialized, l.created_at
              FROM linked_entries l JOIN journal t ON t.ws = l.ws AND t.id = l.to_id
              WHERE l.ws = ?1 AND l.from_id = ?2 AND l.deleted_at IS NULL
              UNION ALL
              SELECT l.id, l.serialized, t.id, t.subtype, t.deleted_at, t.serialized, l.created_at
              FROM linked_entries l JOIN journal t ON t.ws = l.ws AND t.id = l.from_id
              WHERE l.ws = ?1 AND l.to_id = ?2 AND l.deleted_at IS NULL
              ORDER BY 7 DESC, 1",
        params: params_values![ws(workspace), task.to_string()],
        decode: link_with_task,
    }
}

/// A link by its id, even if it was removed.
pub fn by_id(workspace: WorkspaceId, id: &TaskLinkId) -> Query<Doc<LinkedEntry>> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, serialized FROM linked_entries WHERE ws = ?1 AND id = ?2",
        params: params_values![ws(workspace), id.to_string()],
        decode: document,
    }
}

/// A link as stored, including fields only a newer version understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    pub id: String,
    /// Its document.
    pub text: String,
}

impl Raw {
    /// Checks that this version can read the document.
    pub fn check(&self) -> Result<(), ReadError> {
        let read = serde_json::from_str::<LinkedEntry>(&self.text).map(drop);
        read.map_err(|e| ReadError::Corrupt {
            db: Db::Journal.name(),
            noun: "task link",
            id: self.id.clone(),
            detail: e.to_string(),
        })
    }
}

/// Links after an id, ordered by id, including removed ones.
pub fn after(workspace: WorkspaceId, id: &str, limit: i64) -> Query<Raw> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, serialized FROM linked_entries WHERE ws = ?1 AND id > ?2
              ORDER BY id LIMIT ?3",
        params: params_values![ws(workspace), id, limit],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "task link", &e);
            Ok(Raw {
                id: row.text(0).map_err(column)?.to_owned(),
                text: row.text(1).map_err(column)?.to_owned(),
            })
        },
    }
}
