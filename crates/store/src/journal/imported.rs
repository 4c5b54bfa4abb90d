//! What an import last wrote under each stable key.

use dormouse_types::WorkspaceId;

use crate::commit::{Db, Op};
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
pub fn put(workspace: WorkspaceId, key: &str, entity_id: &str, value: &str) -> Op {
    Op::any(
        "INSERT INTO imported (ws, key, entity_id, value) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (ws, key) DO UPDATE SET entity_id = excluded.entity_id, value = excluded.value",
        params![ws(workspace), key, entity_id, value],
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
