//! Items of a checklist.

use dormouse_types::caller::By;
use dormouse_types::fold::folded;
use dormouse_types::task::ItemState;
use dormouse_types::{ChecklistId, ItemId, TaskId, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};

use super::row::{Columns, Entity, Stored, decode, select};
use crate::commit::{Db, Op, Refusal};
use crate::doc::Doc;
use crate::store::{Query, ws};
use crate::value::Param;
use crate::{params, params_values};

/// A checklist item as a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    pub id: ItemId,
    /// The task it belongs to.
    pub task_id: TaskId,
    /// The checklist it belongs to.
    pub checklist_id: ChecklistId,
    /// One line.
    pub title: String,
    /// Whether it is ticked.
    #[serde(default)]
    pub is_checked: bool,
    /// Who ticked or unticked it last; a document without it counts as the person's.
    #[serde(default)]
    pub checked_by: By,
    /// When it was ticked or unticked last.
    pub checked_at: Option<Timestamp>,
    /// Hidden from the list; the reversible way to remove a duplicate.
    #[serde(default)]
    pub is_archived: bool,
    /// How deep it is nested, from 0.
    #[serde(default)]
    pub depth: u32,
    /// Its place in the checklist.
    #[serde(default)]
    pub position: i64,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted because its addition was undone.
    pub deleted_at: Option<Timestamp>,
}

impl Entity for Item {
    const KIND: &'static str = "checklistItem";

    fn columns(&self) -> Columns {
        // Lists count items by this state without opening documents.
        let state = match (self.is_archived, self.is_checked) {
            (true, _) => ItemState::Archived,
            (false, true) => ItemState::Done,
            (false, false) => ItemState::Open,
        };
        Columns {
            id: self.id.to_string(),
            subtype: Some(state.name().to_owned()),
            task: Some(self.task_id.clone()),
            folded: Some(folded(&self.title)),
            created_at: self.created_at,
            updated_at: self.updated_at,
            deleted_at: self.deleted_at,
        }
    }
}

/// An item, whichever task it belongs to.
pub fn by_id(workspace: WorkspaceId, item: &ItemId) -> Query<Stored<Item>> {
    Query {
        db: Db::Journal,
        sql: select!("WHERE ws = ?1 AND id = ?2 AND type = 'checklistItem'"),
        params: params_values![ws(workspace), item.to_string()],
        decode,
    }
}

/// Writes an item that belongs to another task now; fields this version does not know are preserved.
pub fn relocate(workspace: WorkspaceId, doc: &Doc<Item>) -> Op {
    let columns = doc.value.columns();
    Op::one(
        "UPDATE journal SET task_id = ?4, updated_at = ?5, serialized = ?6, clock_host = ?7,
           clock_counter = ?8
         WHERE ws = ?1 AND id = ?2 AND type = ?3",
        params![
            ws(workspace),
            columns.id,
            Item::KIND,
            columns.task.map(String::from),
            columns.updated_at,
            doc.text(),
            Param::Host,
            Param::Seq,
        ],
        Refusal::Missing,
    )
}
