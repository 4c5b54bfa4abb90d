//! Rows of the journal exactly as stored, for export and for checking a store: kinds and keys of a
//! newer version are included.

use dormouse_types::{TaskId, Timestamp, WorkspaceId};
use serde::de::IgnoredAny;

use super::category::Category;
use super::checklist::Checklist;
use super::entry::Entry;
use super::item::Item;
use super::label::Label;
use super::row::Entity;
use super::task::Task;
use crate::commit::Db;
use crate::params_values;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;

/// A row with its document as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    pub id: String,
    /// `task`, `checklist`, …, or a newer version's kind.
    pub kind: String,
    /// How often the task was changed; only on a task's own row.
    pub revision: i64,
    pub created_at: Timestamp,
    /// Its document.
    pub text: String,
}

impl Raw {
    /// Checks that this version can read the document; for an unknown kind, that it is JSON.
    pub fn check(&self) -> Result<(), ReadError> {
        let read = match self.kind.as_str() {
            Task::KIND => serde_json::from_str::<Task>(&self.text).map(drop),
            Checklist::KIND => serde_json::from_str::<Checklist>(&self.text).map(drop),
            Item::KIND => serde_json::from_str::<Item>(&self.text).map(drop),
            Entry::KIND => serde_json::from_str::<Entry>(&self.text).map(drop),
            Label::KIND => serde_json::from_str::<Label>(&self.text).map(drop),
            Category::KIND => serde_json::from_str::<Category>(&self.text).map(drop),
            _ => serde_json::from_str::<IgnoredAny>(&self.text).map(drop),
        };
        read.map_err(|e| ReadError::Corrupt {
            db: Db::Journal.name(),
            noun: "row",
            id: self.id.clone(),
            detail: e.to_string(),
        })
    }
}

fn decode(row: &Row) -> Result<Raw, ReadError> {
    let column = |e| ReadError::column(Db::Journal, "row", &e);
    Ok(Raw {
        id: row.text(0).map_err(column)?.to_owned(),
        kind: row.text(1).map_err(column)?.to_owned(),
        revision: row.int(2).map_err(column)?,
        created_at: row.time(3).map_err(column)?,
        text: row.text(4).map_err(column)?.to_owned(),
    })
}

/// Every row of a task, including soft-deleted ones: its own, then those of its parts by kind and
/// age.
pub fn of_task(workspace: WorkspaceId, task: &TaskId) -> Query<Raw> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, type, revision, created_at, serialized FROM journal
              WHERE ws = ?1 AND task_id = ?2
              ORDER BY CASE WHEN id = ?2 THEN 0 ELSE 1 END, type, created_at, id",
        params: params_values![ws(workspace), task.to_string()],
        decode,
    }
}

/// The tasks' own rows after a cursor, oldest first, including soft-deleted ones.
pub fn tasks(workspace: WorkspaceId, (at, id): (Timestamp, &str), limit: i64) -> Query<Raw> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, type, revision, created_at, serialized FROM journal
              WHERE ws = ?1 AND type = 'task' AND created_at >= ?2
                AND (created_at > ?2 OR id > ?3)
              ORDER BY created_at, id LIMIT ?4",
        params: params_values![ws(workspace), at, id, limit],
        decode,
    }
}

/// Every label and category, including soft-deleted ones, by kind and age.
pub fn definitions(workspace: WorkspaceId) -> Query<Raw> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, type, revision, created_at, serialized FROM journal
              WHERE ws = ?1 AND type IN ('label', 'category') ORDER BY type, created_at, id",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// Rows of every kind after an id, ordered by id.
pub fn after(workspace: WorkspaceId, id: &str, limit: i64) -> Query<Result<Raw, ReadError>> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, type, revision, created_at, serialized FROM journal
              WHERE ws = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
        params: params_values![ws(workspace), id, limit],
        decode: |row| Ok(decode(row)),
    }
}
