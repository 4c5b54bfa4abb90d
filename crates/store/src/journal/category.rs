//! Categories of tasks.

use dormouse_types::{CategoryId, Timestamp};
use serde::{Deserialize, Serialize};

use super::row::{Columns, Entity};

/// A category as a document. Names of a workspace's live categories are unique, ignoring case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Category {
    pub id: CategoryId,
    pub name: String,
    /// A colour as `#rrggbb`.
    pub color: Option<String>,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

impl Entity for Category {
    const KIND: &'static str = "category";

    fn columns(&self) -> Columns {
        Columns {
            id: self.id.to_string(),
            subtype: None,
            task: None,
            folded: Some(self.name.to_lowercase()),
            created_at: self.created_at,
            updated_at: self.updated_at,
            deleted_at: self.deleted_at,
        }
    }
}
