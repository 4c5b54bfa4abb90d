//! What a person corrected in the plan of a file.

use dormouse_types::WorkspaceId;

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::{params, params_values};

/// Keeps the first corrections of a file; refused if there are some.
pub fn insert(workspace: WorkspaceId, file: &str, value: &str) -> Op {
    Op::one(
        "INSERT INTO import_corrections (ws, file, value) VALUES (?1, ?2, ?3)
         ON CONFLICT (ws, file) DO NOTHING",
        params![ws(workspace), file, value],
        Refusal::Exists,
    )
}

/// Replaces the corrections of a file; refused if they are not what they were.
pub fn replace(workspace: WorkspaceId, file: &str, was: &str, value: &str) -> Op {
    Op::one(
        "UPDATE import_corrections SET value = ?4 WHERE ws = ?1 AND file = ?2 AND value = ?3",
        params![ws(workspace), file, was, value],
        Refusal::Missing,
    )
}

/// The corrections of a file, as JSON.
pub fn of_file(workspace: WorkspaceId, file: &str) -> Query<String> {
    Query {
        db: Db::Journal,
        sql: "SELECT value FROM import_corrections WHERE ws = ?1 AND file = ?2",
        params: params_values![ws(workspace), file],
        decode: |row| {
            row.text(0)
                .map(ToOwned::to_owned)
                .map_err(|e| ReadError::column(Db::Journal, "import correction", &e))
        },
    }
}
