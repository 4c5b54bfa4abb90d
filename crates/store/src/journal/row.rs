//! Rows of `journal`: one table for every kind of entity, including kinds this version does not
//! know.

use dormouse_types::{TaskId, Timestamp, WorkspaceId};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::commit::{Op, Refusal};
use crate::doc::Doc;
use crate::params;
use crate::store::{ReadError, ws};
use crate::value::{ColumnError, Param, Row};

/// The columns of a row that are derived from its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The entity's id.
    pub id: String,
    /// The part of an entity that queries filter by: the status of a task, the state of an item.
    pub subtype: Option<String>,
    /// The task the row belongs to; for a task, the task itself.
    pub task: Option<TaskId>,
    /// The text that a search reads: the folded title or text; for a label or category, its name in
    /// lower case.
    pub folded: Option<String>,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

/// How each kind of entity maps to a row.
pub trait Entity: Serialize + DeserializeOwned + PartialEq + Clone {
    /// The `type` column.
    const KIND: &'static str;
    /// The columns of a row with this value.
    fn columns(&self) -> Columns;
}

/// An entity as it was read.
#[derive(Debug, Clone)]
pub struct Stored<T> {
    /// Its document.
    pub doc: Doc<T>,
    /// How often the task was changed; 0 on rows other than tasks.
    pub revision: i64,
    /// The host id of the database that last wrote the row.
    pub clock_host: String,
    /// The sequence number of that write.
    pub clock_counter: i64,
}

/// Adds an entity; refused when its id, or the name of a definition, exists.
pub fn insert<T: Entity>(workspace: WorkspaceId, value: &T) -> Op {
    let c = value.columns();
    let text = serde_json::to_string(value).expect("entities are plain data");
    Op::one(
        "INSERT INTO journal (ws, id, type, subtype, task_id, folded, created_at, updated_at,
           deleted_at, revision, serialized, clock_host, clock_counter)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            ws(workspace),
            c.id,
            T::KIND,
            c.subtype,
            c.task.map(String::from),
            c.folded,
            c.created_at,
            c.updated_at,
            c.deleted_at,
            1,
            text,
            Param::Host,
            Param::Seq,
        ],
        Refusal::Exists,
    )
}

/// Writes a changed entity; fields this version does not know are preserved.
pub fn put<T: Entity>(workspace: WorkspaceId, doc: &Doc<T>) -> Op {
    let c = doc.value.columns();
    Op::one(
        "UPDATE journal SET subtype = ?4, folded = ?5, updated_at = ?6, deleted_at = ?7,
           serialized = ?8, clock_host = ?9, clock_counter = ?10
         WHERE ws = ?1 AND id = ?2 AND type = ?3",
        params![
            ws(workspace),
            c.id,
            T::KIND,
            c.subtype,
            c.folded,
            c.updated_at,
            c.deleted_at,
            doc.text(),
            Param::Host,
            Param::Seq,
        ],
        Refusal::Missing,
    )
}

/// The start of a query for whole rows: `id, type, revision, serialized, clock_host,
/// clock_counter`.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, type, revision, serialized, clock_host, clock_counter FROM journal ",
            $rest
        )
    };
}
pub(super) use select;

/// The error for a row that cannot be decoded.
pub(super) fn corrupt(row: &Row, noun: &'static str, detail: String) -> ReadError {
    let id = row.text(0).unwrap_or("row").to_owned();
    ReadError::Corrupt { db: "journal", noun, id, detail }
}

/// Decodes a whole row as one kind of entity.
pub fn decode<T: Entity>(row: &Row) -> Result<Stored<T>, ReadError> {
    let column = |e: ColumnError| corrupt(row, T::KIND, e.to_string());
    let doc = Doc::read(row.text(3).map_err(column)?)
        .map_err(|e| corrupt(row, T::KIND, e.to_string()))?;
    Ok(Stored {
        doc,
        revision: row.int(2).map_err(column)?,
        clock_host: row.text(4).map_err(column)?.to_owned(),
        clock_counter: row.int(5).map_err(column)?,
    })
}
