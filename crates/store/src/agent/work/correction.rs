//! Corrections: what a person wants a definition of agent work to do differently.

use dormouse_types::{Id as _, Timestamp, WorkId, WorkspaceId};

use super::Columns;
use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ws};
use crate::{params, params_values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The definition.
    pub work: WorkId,
    /// Its number within the definition, from 1.
    pub n: i64,
    /// What the person said.
    pub text: String,
    /// Who said it.
    pub made_by: String,
    /// When.
    pub created_at: Timestamp,
}

/// Adds a correction; refused if somebody else added one with its number first.
pub fn insert(workspace: WorkspaceId, new: &Correction) -> Op {
    Op::one(
        "INSERT INTO work_corrections (ws, work_id, n, text, made_by, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            ws(workspace),
            new.work.as_str(),
            new.n,
            new.text.as_str(),
            new.made_by.as_str(),
            new.created_at
        ],
        Refusal::Stale,
    )
}

/// The corrections of a definition after a number, oldest first.
pub fn after(workspace: WorkspaceId, work: &WorkId, n: i64) -> Query<Correction> {
    Query {
        db: Db::Agent,
        sql: "SELECT work_id, n, text, made_by, created_at FROM work_corrections
              WHERE ws = ?1 AND work_id = ?2 AND n > ?3 ORDER BY n",
        params: params_values![ws(workspace), work.as_str(), n],
        decode: |row| {
            let columns = Columns::of(row, "correction")?;
            Ok(Correction {
                work: columns.id(0)?,
                n: columns.int(1)?,
                text: columns.text(2)?,
                made_by: columns.text(3)?,
                created_at: columns.column(row.time(4))?,
            })
        },
    }
}
