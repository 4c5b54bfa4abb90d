//! Which tasks and entries are private, as they are now.

use std::sync::LazyLock;

use dormouse_types::WorkspaceId;
use serde::Deserialize;

use crate::commit::Db;
use crate::in_list;
use crate::store::{Query, ReadError};

/// A task or an entry, and whether it is private.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privacy {
    /// The id of the task or entry.
    pub id: String,
    /// Whether it is private, or belongs to a private task. True too if that cannot be read.
    pub is_private: bool,
}

/// The only part of a document that is read here.
#[derive(Deserialize)]
struct Flag {
    #[serde(default)]
    private: bool,
}

fn is_private(document: Option<&str>) -> bool {
    let flag = document.and_then(|text| serde_json::from_str::<Flag>(text).ok());
    flag.is_none_or(|flag| flag.private)
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
            let own = is_private(row.opt_text(1).map_err(column)?);
            let of_task = is_private(row.opt_text(2).map_err(column)?);
            Ok(Privacy { id: row.text(0).map_err(column)?.to_owned(), is_private: own || of_task })
        },
    }
}
