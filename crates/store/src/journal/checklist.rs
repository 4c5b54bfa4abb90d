//! Checklists of a task.

use dormouse_types::{ChecklistId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use super::row::{Columns, Entity};

/// A checklist as a document; its items name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checklist {
    pub id: ChecklistId,
    /// The task it belongs to.
    pub task_id: TaskId,
    pub title: String,
    /// Its place among the task's checklists, from 0.
    #[serde(default)]
    pub position: i64,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

impl Entity for Checklist {
    const KIND: &'static str = "checklist";

    fn columns(&self) -> Columns {
        Columns {
            id: self.id.to_string(),
            subtype: None,
            task: Some(self.task_id.clone()),
            folded: None,
            created_at: self.created_at,
            updated_at: self.updated_at,
            deleted_at: self.deleted_at,
        }
    }
}
