//! What decides who may be sent tasks and entries, as it is now: whether they are private, and the
//! category of their task.

use std::sync::LazyLock;

use dormouse_types::{CategoryId, WorkspaceId};
use serde::Deserialize;

use crate::commit::Db;
use crate::in_list;
use crate::store::{Query, ReadError};

/// A task or an entry, and what decides who may be sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privacy {
    /// The id of the task or entry.
    pub id: String,
    /// What is decided on; `None` if it cannot be read, so that nobody may be sent it.
    pub facts: Option<PrivacyFacts>,
}

/// What decides who may be sent a task or an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivacyFacts {
    /// Whether it is private, or belongs to a private task.
    pub is_private: bool,
    /// The category of the task that it is or belongs to.
    pub category: Option<CategoryId>,
}

/// The only parts of a document that are read here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    #[serde(default)]
    private: bool,
    #[serde(default)]
    category_id: Option<CategoryId>,
}

fn read(document: Option<&str>) -> Option<Document> {
    document.and_then(|text| serde_json::from_str(text).ok())
}

/// The privacy of some tasks and entries, deleted ones included. An id that is neither is left out.
pub fn of_some(workspace: WorkspaceId, ids: &[String]) -> Query<Privacy> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT e.id, e.serialized, t.serialized FROM journal e
             LEFT JOIN journal t ON t.ws = e.ws AND t.id = e.task_id
             WHERE e.ws = ?1 AND e.type IN ('task', 'entry') AND e.id IN (",
            ")",
        )
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, ids),
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "privacy", &e);
            let own = read(row.opt_text(1).map_err(column)?);
            let task = read(row.opt_text(2).map_err(column)?);
            let facts = own.zip(task).map(|(own, task)| PrivacyFacts {
                is_private: own.private || task.private,
                category: task.category_id,
            });
            Ok(Privacy { id: row.text(0).map_err(column)?.to_owned(), facts })
        },
    }
}
