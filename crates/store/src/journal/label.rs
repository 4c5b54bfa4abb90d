//! Label definitions, and the one query that reads all definitions of a workspace.

use dormouse_types::{CategoryId, LabelId, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};

use super::category::Category;
use super::row::{Columns, Entity, Stored, corrupt, decode, select};
use crate::commit::Db;
use crate::params_values;
use crate::store::{Query, ws};

/// A label as a document. Names of a workspace's live labels are unique, ignoring case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Label {
    pub id: LabelId,
    pub name: String,
    /// A colour as `#rrggbb`.
    pub color: Option<String>,
    /// What it means.
    pub description: Option<String>,
    /// The categories it may be used in; empty means all of them.
    #[serde(default)]
    pub applicable_category_ids: Vec<CategoryId>,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

impl Entity for Label {
    const KIND: &'static str = "label";

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

/// A label or a category.
#[derive(Debug, Clone)]
pub enum Definition {
    Label(Stored<Label>),
    Category(Stored<Category>),
}

/// All live labels and categories of a workspace, by name.
pub fn definitions(workspace: WorkspaceId) -> Query<Definition> {
    Query {
        db: Db::Journal,
        sql: select!(
            "WHERE ws = ?1 AND type IN ('label', 'category') AND deleted_at IS NULL
             ORDER BY folded, id"
        ),
        params: params_values![ws(workspace)],
        decode: |row| match row.text(1) {
            Ok(Label::KIND) => decode(row).map(Definition::Label),
            Ok(Category::KIND) => decode(row).map(Definition::Category),
            Ok(other) => Err(corrupt(row, "definition", format!("unexpected type {other}"))),
            Err(e) => Err(corrupt(row, "definition", e.to_string())),
        },
    }
}
