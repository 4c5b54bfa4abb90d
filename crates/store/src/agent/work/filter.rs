//! The changes of tasks that start a definition of agent work, and how far the journal was looked at for
//! them.

use std::sync::LazyLock;

use dormouse_types::work_filter::EventFilter;
use dormouse_types::{HostId, Id as _, Seq, WorkId, WorkspaceId};

use super::Columns;
use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::{Param, Row};
use crate::{params, params_values};

/// What starts a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filters {
    /// The definition.
    pub work: WorkId,
    /// A change that passes one of them starts a run.
    pub filters: Vec<EventFilter>,
    /// The journal that `upto` belongs to.
    pub host: HostId,
    /// The agent store in which the row was written.
    pub agent: HostId,
    /// No change up to here starts a run.
    pub upto: Seq,
}

/// Writes the filters of a definition, and the position from which on they count.
pub fn put(
    workspace: WorkspaceId,
    work: &WorkId,
    filters: &[EventFilter],
    host: &HostId,
    upto: Seq,
) -> Op {
    let filters = serde_json::to_string(filters).expect("filters are plain data");
    Op::any(
        "INSERT INTO work_filters (ws, work_id, filters, host, agent_host, upto)
         VALUES (?1, ?2, ?3, ?4, ?6, ?5)
         ON CONFLICT (ws, work_id) DO UPDATE SET filters = excluded.filters, host = excluded.host,
           agent_host = excluded.agent_host, upto = excluded.upto",
        params![ws(workspace), work.as_str(), filters, host.to_string(), upto.0, Param::Host],
    )
}

/// Lets the filters of a definition, if it has any, count from a position on. The filters themselves stay as
/// they are by then.
pub fn count_from(workspace: WorkspaceId, work: &WorkId, host: &HostId, upto: Seq) -> Op {
    Op::any(
        "UPDATE work_filters SET host = ?3, agent_host = ?5, upto = ?4
         WHERE ws = ?1 AND work_id = ?2",
        params![ws(workspace), work.as_str(), host.to_string(), upto.0, Param::Host],
    )
}

/// Takes the filters of a definition away.
pub fn delete(workspace: WorkspaceId, work: &WorkId) -> Op {
    Op::any(
        "DELETE FROM work_filters WHERE ws = ?1 AND work_id = ?2",
        params![ws(workspace), work.as_str()],
    )
}

/// Moves on from the position that was read. Refused if another node did so first, or if the filters
/// were written since.
pub fn advance(workspace: WorkspaceId, read: &Filters, host: &HostId, upto: Seq) -> Op {
    let filters = serde_json::to_string(&read.filters).expect("filters are plain data");
    Op::one(
        "UPDATE work_filters SET host = ?5, upto = ?6, agent_host = ?8
         WHERE ws = ?1 AND work_id = ?2 AND host = ?3 AND upto = ?4 AND filters = ?7",
        params![
            ws(workspace),
            read.work.as_str(),
            read.host.to_string(),
            read.upto.0,
            host.to_string(),
            upto.0,
            filters,
            Param::Host
        ],
        Refusal::Stale,
    )
}

fn decode(row: &Row) -> Result<Filters, ReadError> {
    let columns = Columns::of(row, "filters of agent work")?;
    Ok(Filters {
        work: columns.id(0)?,
        filters: serde_json::from_str(&columns.text(1)?).map_err(|e| columns.corrupt(e))?,
        host: columns.id(2)?,
        agent: columns.id(3)?,
        upto: Seq(columns.int(4)?),
    })
}

/// The filters of a definition.
pub fn of_definition(workspace: WorkspaceId, work: &WorkId) -> Query<Filters> {
    Query {
        db: Db::Agent,
        sql: "SELECT work_id, filters, host, agent_host, upto FROM work_filters
              WHERE ws = ?1 AND work_id = ?2",
        params: params_values![ws(workspace), work.as_str()],
        decode,
    }
}

/// The filters of at most a page of definitions.
pub fn of_definitions(workspace: WorkspaceId, ids: &[WorkId]) -> Query<Filters> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT work_id, filters, host, agent_host, upto FROM work_filters
             WHERE ws = ?1 AND work_id IN (",
            ")",
        )
    });
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, &ids), decode }
}

/// The filters of all definitions of a workspace that may start runs, in the order of their ids. A damaged
/// row is returned as an error of its own, and does not stop the others.
pub fn of_active(workspace: WorkspaceId) -> Query<Result<Filters, ReadError>> {
    Query {
        db: Db::Agent,
        sql: "SELECT f.work_id, f.filters, f.host, f.agent_host, f.upto
              FROM work_filters f JOIN work_definitions d ON d.ws = f.ws AND d.id = f.work_id
              WHERE f.ws = ?1 AND d.state = 'active' AND d.deleted_at IS NULL ORDER BY f.work_id",
        params: params_values![ws(workspace)],
        decode: |row| Ok(decode(row)),
    }
}

/// The workspaces with filters.
pub fn workspaces() -> Query<WorkspaceId> {
    Query {
        db: Db::Agent,
        sql: "SELECT DISTINCT ws FROM work_filters ORDER BY ws",
        params: Vec::new(),
        decode: |row| {
            row.int(0).map(WorkspaceId).map_err(|e| ReadError::column(Db::Agent, "filters", &e))
        },
    }
}
