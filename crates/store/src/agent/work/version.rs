//! What a definition of agent work tells its runs to do, version by version.

use std::sync::LazyLock;

use dormouse_types::{Id as _, Timestamp, WorkId, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// A version of the instructions. Versions are never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The definition.
    pub work: WorkId,
    /// Its number, from 1.
    pub version: i64,
    pub instructions: String,
    /// Who wrote them.
    pub made_by: String,
    /// When.
    pub created_at: Timestamp,
}

/// Adds a version; refused if somebody else added it first.
pub fn insert(workspace: WorkspaceId, new: &Version) -> Op {
    Op::one(
        "INSERT INTO work_versions (ws, work_id, version, instructions, made_by, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            ws(workspace),
            new.work.as_str(),
            new.version,
            new.instructions.as_str(),
            new.made_by.as_str(),
            new.created_at
        ],
        Refusal::Stale,
    )
}

fn decode(row: &Row) -> Result<Version, ReadError> {
    let columns = super::Columns::of(row, "instructions of agent work")?;
    Ok(Version {
        work: columns.id(0)?,
        version: columns.int(1)?,
        instructions: columns.text(2)?,
        made_by: columns.text(3)?,
        created_at: columns.column(row.time(4))?,
    })
}

/// One version.
pub fn by_number(workspace: WorkspaceId, work: &WorkId, version: i64) -> Query<Version> {
    Query {
        db: Db::Agent,
        sql: "SELECT work_id, version, instructions, made_by, created_at FROM work_versions
              WHERE ws = ?1 AND work_id = ?2 AND version = ?3",
        params: params_values![ws(workspace), work.as_str(), version],
        decode,
    }
}

/// The newest instructions of these definitions, at most one page of them.
pub fn newest_of(workspace: WorkspaceId, works: &[WorkId]) -> Query<(WorkId, String)> {
    // A join would be free to read the versions of a whole workspace first.
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT d.id, COALESCE((SELECT v.instructions FROM work_versions v
               WHERE v.ws = d.ws AND v.work_id = d.id AND v.version = d.version), '')
             FROM work_definitions d WHERE d.ws = ?1 AND d.id IN (",
            ")",
        )
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, works),
        decode: |row| {
            let columns = super::Columns::of(row, "instructions of agent work")?;
            Ok((columns.id(0)?, columns.text(1)?))
        },
    }
}

/// All versions of a definition, oldest first.
pub fn of_definition(workspace: WorkspaceId, work: &WorkId) -> Query<Version> {
    Query {
        db: Db::Agent,
        sql: "SELECT work_id, version, instructions, made_by, created_at FROM work_versions
              WHERE ws = ?1 AND work_id = ?2 ORDER BY version",
        params: params_values![ws(workspace), work.as_str()],
        decode,
    }
}
