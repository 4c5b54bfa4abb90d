//! Sagas: operations that cross the two databases, from decision to receipt to outcome.

use dormouse_types::{OperationId, Timestamp, WorkspaceId};

pub use dormouse_types::agent::{OperationPhase as Phase, OperationStatus};
use dormouse_types::closed_list::Listed;

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// An operation that crosses the two databases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saga {
    pub operation: OperationId,
    /// The run it came from.
    pub run_key: String,
    /// How far it has progressed.
    pub phase: Listed<Phase>,
    pub status: Listed<OperationStatus>,
    pub tool: String,
    /// What recovery needs, as JSON.
    pub payload: String,
    /// Why it was closed without effect.
    pub last_error: Option<String>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it moved last.
    pub updated_at: Timestamp,
}

/// Opens a saga; one that was closed without effect is reopened.
pub fn open(
    workspace: WorkspaceId,
    operation: &OperationId,
    run_key: &str,
    tool: &str,
    payload: &str,
    at: Timestamp,
) -> Op {
    Op::one(
        "INSERT INTO saga_log (ws, operation_id, run_key, phase, status, tool_name, payload,
           created_at, updated_at)
         VALUES (?1, ?2, ?3, 'journal_pending', 'pending', ?4, ?5, ?6, ?6)
         ON CONFLICT (ws, operation_id) DO UPDATE SET phase = 'journal_pending', status = 'pending',
           payload = excluded.payload, updated_at = excluded.updated_at
         WHERE saga_log.status = 'failed'",
        params![ws(workspace), operation.as_str(), run_key, tool, payload, at],
        Refusal::Exists,
    )
}

/// Closes a saga; refused when it is already closed.
pub fn close(
    workspace: WorkspaceId,
    operation: &OperationId,
    phase: Phase,
    status: OperationStatus,
    error: Option<&str>,
    at: Timestamp,
) -> Op {
    Op::one(
        "UPDATE saga_log SET phase = ?3, status = ?4, last_error = ?5, updated_at = ?6
         WHERE ws = ?1 AND operation_id = ?2 AND status = 'pending'",
        params![
            ws(workspace),
            operation.as_str(),
            phase.name(),
            status.name(),
            error.map(ToOwned::to_owned),
            at
        ],
        Refusal::ItemMoved,
    )
}

/// Closes a saga if it is open; a run recorded by an older version has no saga.
pub fn close_if_open(
    workspace: WorkspaceId,
    operation: &OperationId,
    phase: Phase,
    status: OperationStatus,
    error: Option<&str>,
    at: Timestamp,
) -> Op {
    let Op { sql, params, .. } = close(workspace, operation, phase, status, error, at);
    Op::any(sql, params)
}

fn decode(row: &Row) -> Result<Saga, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "saga", &e);
    Ok(Saga {
        operation: OperationId(row.text(0).map_err(column)?.to_owned()),
        run_key: row.text(1).map_err(column)?.to_owned(),
        phase: Listed::named(row.text(2).map_err(column)?),
        status: Listed::named(row.text(3).map_err(column)?),
        tool: row.text(4).map_err(column)?.to_owned(),
        payload: row.text(5).map_err(column)?.to_owned(),
        last_error: row.opt_text(6).map_err(column)?.map(ToOwned::to_owned),
        created_at: row.time(7).map_err(column)?,
        updated_at: row.time(8).map_err(column)?,
    })
}

/// How many sagas have a status.
pub fn count(workspace: WorkspaceId, status: OperationStatus) -> Query<usize> {
    Query {
        db: Db::Agent,
        sql: "SELECT COUNT(*) FROM saga_log WHERE ws = ?1 AND status = ?2",
        params: params_values![ws(workspace), status.name()],
        decode: |row| {
            let n = row.int(0).map_err(|e| ReadError::column(Db::Agent, "saga", &e))?;
            Ok(usize::try_from(n).unwrap_or_default())
        },
    }
}

/// The status of the saga of an operation, if there is one.
pub fn status_of(
    workspace: WorkspaceId,
    operation: &OperationId,
) -> Query<Listed<OperationStatus>> {
    Query {
        db: Db::Agent,
        sql: "SELECT status FROM saga_log WHERE ws = ?1 AND operation_id = ?2",
        params: params_values![ws(workspace), operation.as_str()],
        decode: |row| {
            let status = row.text(0).map_err(|e| ReadError::column(Db::Agent, "saga", &e))?;
            Ok(Listed::named(status))
        },
    }
}

/// Sagas by status, oldest first.
pub fn by_status(workspace: WorkspaceId, status: OperationStatus) -> Query<Saga> {
    Query {
        db: Db::Agent,
        sql: "SELECT operation_id, run_key, phase, status, tool_name, payload, last_error,
                created_at, updated_at
              FROM saga_log WHERE ws = ?1 AND status = ?2 ORDER BY updated_at, operation_id",
        params: params_values![ws(workspace), status.name()],
        decode,
    }
}

/// Sagas of every status after one operation id, ordered by operation.
pub fn page(workspace: WorkspaceId, after: &str, limit: i64) -> Query<Saga> {
    Query {
        db: Db::Agent,
        sql: "SELECT operation_id, run_key, phase, status, tool_name, payload, last_error,
                created_at, updated_at
              FROM saga_log WHERE ws = ?1 AND operation_id > ?2 ORDER BY operation_id LIMIT ?3",
        params: params_values![ws(workspace), after, limit],
        decode,
    }
}

/// Workspaces with an open saga.
pub fn workspaces() -> Query<WorkspaceId> {
    Query {
        db: Db::Agent,
        sql: "SELECT DISTINCT ws FROM saga_log WHERE status = 'pending' ORDER BY ws",
        params: Vec::new(),
        decode: |row| {
            row.int(0).map(WorkspaceId).map_err(|e| ReadError::column(Db::Agent, "saga", &e))
        },
    }
}
