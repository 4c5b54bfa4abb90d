//! What an import last wrote under each stable key.

use std::sync::LazyLock;

use dormouse_types::WorkspaceId;

use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::{params, params_values};

/// The last import of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The task it was imported as.
    pub entity_id: String,
    /// What was imported, as JSON.
    pub value: String,
}

/// Records the last import of a key.
///
/// `was` is the value that the import was decided on; `None` if the key was new. Refused with
/// [`Refusal::ImportMoved`] if another import of the key came first.
pub fn put(
    workspace: WorkspaceId,
    key: &str,
    entity_id: &str,
    value: &str,
    was: Option<&str>,
) -> Op {
    let Some(was) = was else {
        return Op::one(
            "INSERT INTO imported (ws, key, entity_id, value) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (ws, key) DO NOTHING",
            params![ws(workspace), key, entity_id, value],
            Refusal::ImportMoved,
        );
    };
    Op::one(
        "UPDATE imported SET entity_id = ?3, value = ?4 WHERE ws = ?1 AND key = ?2 AND value = ?5",
        params![ws(workspace), key, entity_id, value, was],
        Refusal::ImportMoved,
    )
}

/// The last import of a key.
pub fn by_key(workspace: WorkspaceId, key: &str) -> Query<Imported> {
    Query {
        db: Db::Journal,
        sql: "SELECT entity_id, value FROM imported WHERE ws = ?1 AND key = ?2",
        params: params_values![ws(workspace), key],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "import", &e);
            Ok(Imported {
                entity_id: row.text(0).map_err(column)?.to_owned(),
                value: row.text(1).map_err(column)?.to_owned(),
            })
        },
    }
}

/// The last imports of at most [`in_list::MOST`] keys, each with its key; keys without one are left
/// out.
pub fn by_keys(workspace: WorkspaceId, keys: &[String]) -> Query<(String, Imported)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql("SELECT key, entity_id, value FROM imported WHERE ws = ?1 AND key IN (", ")")
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, keys),
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "import", &e);
            let text = |at| row.text(at).map(ToOwned::to_owned).map_err(column);
            Ok((text(0)?, Imported { entity_id: text(1)?, value: text(2)? }))
        },
    }
}

/// The tasks that came from a list, by their ids. Of an import of an export into its own workspace, whose key
/// is the task's id, they did not come.
pub fn tasks(workspace: WorkspaceId) -> Query<String> {
    Query {
        db: Db::Journal,
        sql: "SELECT DISTINCT entity_id FROM imported
              WHERE ws = ?1 AND key NOT LIKE '%|' || entity_id || '%'",
        params: params_values![ws(workspace)],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "import", &e);
            row.text(0).map(ToOwned::to_owned).map_err(column)
        },
    }
}

/// The keys of one page, in order, that lie between two others, each with its task. Tasks that are
/// deleted are left out.
pub fn between(
    workspace: WorkspaceId,
    after: &str,
    before: &str,
    limit: usize,
) -> Query<(String, String)> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Query {
        db: Db::Journal,
        sql: "SELECT key, entity_id FROM imported AS i WHERE ws = ?1 AND key > ?2 AND key < ?3
              AND EXISTS (SELECT 1 FROM journal AS j WHERE j.ws = i.ws AND j.id = i.entity_id
                          AND j.deleted_at IS NULL)
              ORDER BY key LIMIT ?4",
        params: params_values![ws(workspace), after, before, limit],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "import", &e);
            let text = |at| row.text(at).map(ToOwned::to_owned).map_err(column);
            Ok((text(0)?, text(1)?))
        },
    }
}
