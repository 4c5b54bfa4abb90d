//! The public status that agent work had before each commit that changed it.
//!
//! An event names a definition, not its status, because the scheduler announces runs without knowing what they
//! are of. What the status was after the commit of an event follows from these rows: it is the one that the next
//! change replaced, or the present one if none followed.

use dormouse_types::work::WorkStatus;
use dormouse_types::{Id as _, Seq, WorkId, WorkspaceId};

use super::Columns;
use crate::commit::{Db, Op};
use crate::store::{Query, ws};
use crate::value::Param;
use crate::{params, params_values};

/// Notes the status that this commit replaces.
pub fn replaced(workspace: WorkspaceId, work: &WorkId, before: WorkStatus) -> Op {
    Op::any(
        "INSERT INTO work_statuses (ws, work_id, seq, status_before) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (ws, work_id, seq) DO NOTHING",
        params![ws(workspace), work.as_str(), Param::Seq, before.name()],
    )
}

/// The changes of a definition after a position, up to the first one after another position, oldest first: the
/// position of each, and the status before it.
pub fn replaced_between(
    workspace: WorkspaceId,
    work: &WorkId,
    [from, upto]: [Seq; 2],
) -> Query<(Seq, WorkStatus)> {
    Query {
        db: Db::Agent,
        sql: "SELECT work_id, seq, status_before FROM work_statuses
              WHERE ws = ?1 AND work_id = ?2 AND seq > ?3 AND seq <= COALESCE((
                SELECT MIN(seq) FROM work_statuses WHERE ws = ?1 AND work_id = ?2 AND seq > ?4), ?4)
              ORDER BY seq",
        params: params_values![ws(workspace), work.as_str(), from.0, upto.0],
        decode: |row| {
            let columns = Columns::of(row, "status of agent work")?;
            Ok((Seq(columns.int(1)?), columns.listed(2)?))
        },
    }
}

/// Deletes the rows of commits whose change rows are deleted.
pub fn trim(workspace: WorkspaceId, upto: Seq) -> Op {
    Op::any("DELETE FROM work_statuses WHERE ws = ?1 AND seq <= ?2", params![ws(workspace), upto.0])
}
