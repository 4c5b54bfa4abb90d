//! Queries on the wake queue.

use std::fmt::Display;
use std::sync::LazyLock;

use dormouse_types::agent::PutOff;
use dormouse_types::closed_list::Listed;
use dormouse_types::{HolderId, RunKey, Seq, Timestamp, WorkspaceId};

use super::{QueueEntry, Reason};
use crate::commit::Db;
use crate::in_list;
use crate::params_values;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;

fn decode(row: &Row) -> Result<QueueEntry, ReadError> {
    let damaged = |detail: String| ReadError::Corrupt {
        db: "agent",
        noun: "wake queue row",
        id: row.text(0).unwrap_or("row").to_owned(),
        detail,
    };
    let column = |e: crate::value::ColumnError| damaged(e.to_string());
    let corrupt = |e: dormouse_types::IdError| damaged(e.to_string());
    Ok(QueueEntry {
        holder: row.text(0).map_err(column)?.parse().map_err(corrupt)?,
        reasons: Reason::of_bits(row.int(1).map_err(column)?),
        first_signal_at: row.opt_time(2).map_err(column)?,
        due_at: row.opt_time(3).map_err(column)?,
        upto: Seq(row.int(4).map_err(column)?),
        priority: row.int(5).map_err(column)?,
        request_id: row.opt_text(6).map_err(column)?.map(ToOwned::to_owned),
        run_key: row.opt_text(7).map_err(column)?.map(|key| RunKey(key.to_owned())),
        owner: row.opt_text(8).map_err(column)?.map(ToOwned::to_owned),
        epoch: row.int(9).map_err(column)?,
        expires_at: row.opt_time(10).map_err(column)?,
        crashes: row.int(11).map_err(column)?,
        sleep_until: row.opt_time(12).map_err(column)?,
        put_off: row.opt_text(13).map_err(column)?.map(Listed::named),
    })
}

/// The row of a holder.
pub fn of_holder(workspace: WorkspaceId, holder: impl Into<HolderId>) -> Query<QueueEntry> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                run_key, owner, epoch, expires_at, crashes, sleep_until, put_off
              FROM wake_queue WHERE ws = ?1 AND agent_id = ?2",
        params: params_values![ws(workspace), String::from(holder.into())],
        decode,
    }
}

/// The rows of some holders.
pub fn of_holders(workspace: WorkspaceId, holders: &[impl Display]) -> Query<QueueEntry> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
               run_key, owner, epoch, expires_at, crashes, sleep_until, put_off
             FROM wake_queue WHERE ws = ?1 AND agent_id IN (",
            ")",
        )
    });
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, holders), decode }
}

/// The rows that something puts off, in no particular order.
pub fn put_off(workspace: WorkspaceId) -> Query<QueueEntry> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                run_key, owner, epoch, expires_at, crashes, sleep_until, put_off
              FROM wake_queue WHERE ws = ?1 AND put_off IS NOT NULL",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// Whom budgets put off: each agent that waits for its own, and `None` if anybody waits for that of all
/// agents.
pub fn put_off_by_budgets(workspace: WorkspaceId) -> Query<Option<HolderId>> {
    Query {
        db: Db::Agent,
        sql: "SELECT DISTINCT CASE WHEN put_off = ?2 THEN agent_id ELSE NULL END FROM wake_queue
              WHERE ws = ?1 AND put_off IN (?2, ?3)",
        params: params_values![
            ws(workspace),
            PutOff::AgentBudget.name(),
            PutOff::WorkspaceBudget.name()
        ],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "wake_queue", &e);
            let Some(holder) = row.opt_text(0).map_err(column)? else { return Ok(None) };
            let corrupt = |e: dormouse_types::IdError| ReadError::Corrupt {
                db: "agent",
                noun: "wake_queue",
                id: holder.to_owned(),
                detail: e.to_string(),
            };
            holder.parse().map(Some).map_err(corrupt)
        },
    }
}

/// The rows that may be claimed at a time, in claim order.
pub fn claimable(workspace: WorkspaceId, now: Timestamp, limit: i64) -> Query<QueueEntry> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                run_key, owner, epoch, expires_at, crashes, sleep_until, put_off
              FROM wake_queue
              WHERE ws = ?1 AND due_at IS NOT NULL AND due_at <= ?2 AND owner IS NULL
              ORDER BY priority, due_at, agent_id LIMIT ?3",
        params: params_values![ws(workspace), now, limit],
        decode,
    }
}

/// Begins of ids that tell the kinds of holders apart.
fn begin_of(kind: &str) -> String {
    format!("{kind}-").chars().take(3).collect()
}

/// The same of one kind of holder, however many rows of other kinds come before. The index knows the
/// first three characters of an id, so kinds that begin alike come together.
pub fn claimable_of(
    workspace: WorkspaceId,
    kind: &str,
    now: Timestamp,
    limit: i64,
) -> Query<QueueEntry> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                run_key, owner, epoch, expires_at, crashes, sleep_until, put_off
              FROM wake_queue
              WHERE ws = ?1 AND substr(agent_id, 1, 3) = ?4 AND due_at IS NOT NULL
                AND due_at <= ?2 AND owner IS NULL
              ORDER BY priority, due_at, agent_id LIMIT ?3",
        params: params_values![ws(workspace), now, limit, begin_of(kind)],
        decode,
    }
}

/// All rows that are pending or running, in claim order.
pub fn waiting(workspace: WorkspaceId) -> Query<QueueEntry> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                run_key, owner, epoch, expires_at, crashes, sleep_until, put_off
              FROM wake_queue WHERE ws = ?1 AND due_at IS NOT NULL
              ORDER BY priority, due_at, agent_id",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// All leased rows.
///
/// The `+` in `+ws` keeps SQLite on the index of leased rows: to get the order, it would otherwise
/// walk the rows of all holders.
pub fn leased(workspace: WorkspaceId) -> Query<QueueEntry> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                run_key, owner, epoch, expires_at, crashes, sleep_until, put_off
              FROM wake_queue WHERE owner IS NOT NULL AND +ws = ?1 ORDER BY agent_id",
        params: params_values![ws(workspace)],
        decode,
    }
}

/// Rows of all workspaces whose lease has expired by a time.
pub fn expired_leases(now: Timestamp) -> Query<(WorkspaceId, QueueEntry)> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                run_key, owner, epoch, expires_at, crashes, sleep_until, put_off, ws
              FROM wake_queue WHERE owner IS NOT NULL AND expires_at <= ?1 ORDER BY +ws, agent_id",
        params: params_values![now],
        decode: with_workspace,
    }
}

/// Rows of all workspaces held by an owner.
pub fn owned_by(owner: &str) -> Query<(WorkspaceId, QueueEntry)> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                run_key, owner, epoch, expires_at, crashes, sleep_until, put_off, ws
              FROM wake_queue WHERE owner = ?1 ORDER BY ws, agent_id",
        params: params_values![owner],
        decode: with_workspace,
    }
}

fn with_workspace(row: &Row) -> Result<(WorkspaceId, QueueEntry), ReadError> {
    let workspace = row.int(14).map_err(|e| ReadError::column(Db::Agent, "wake queue row", &e))?;
    Ok((WorkspaceId(workspace), decode(row)?))
}

/// The first claimable rows of each priority, with a condition on the kind of holder.
macro_rules! first_per_priority {
    ($of_kind:literal) => {
        concat!(
            first_per_priority!($of_kind, "0"),
            " UNION ALL ",
            first_per_priority!($of_kind, "1"),
            " UNION ALL ",
            first_per_priority!($of_kind, "2"),
            " UNION ALL ",
            first_per_priority!($of_kind, "3")
        )
    };
    ($of_kind:literal, $priority:literal) => {
        concat!(
            "SELECT * FROM (SELECT agent_id, reasons, first_signal_at, due_at, upto, priority,
               request_id, run_key, owner, epoch, expires_at, crashes, sleep_until, put_off
             FROM wake_queue WHERE ws = ?1",
            $of_kind,
            " AND priority = ",
            $priority,
            " AND due_at IS NOT NULL AND due_at <= ?2 AND owner IS NULL
             ORDER BY due_at, agent_id LIMIT 4) AS first_",
            $priority
        )
    };
}

/// The first claimable rows of each priority; the oldest among them is the oldest of all. A few of
/// each, because one may be damaged.
pub fn first_per_priority(workspace: WorkspaceId, now: Timestamp) -> Query<QueueEntry> {
    Query {
        db: Db::Agent,
        sql: first_per_priority!(""),
        params: params_values![ws(workspace), now],
        decode,
    }
}

/// The same of one kind of holder; see [`claimable_of`].
pub fn first_per_priority_of(
    workspace: WorkspaceId,
    kind: &str,
    now: Timestamp,
) -> Query<QueueEntry> {
    Query {
        db: Db::Agent,
        sql: first_per_priority!(" AND substr(agent_id, 1, 3) = ?3"),
        params: params_values![ws(workspace), now, begin_of(kind)],
        decode,
    }
}

/// Workspaces with pending rows; one index probe each, however many rows there are.
pub fn workspaces() -> Query<WorkspaceId> {
    Query {
        db: Db::Agent,
        sql: "WITH RECURSIVE waiting(ws) AS (
                SELECT MIN(ws) FROM wake_queue WHERE due_at IS NOT NULL
                UNION ALL
                SELECT (SELECT MIN(q.ws) FROM wake_queue q
                        WHERE q.due_at IS NOT NULL AND q.ws > waiting.ws)
                FROM waiting WHERE waiting.ws IS NOT NULL)
              SELECT ws FROM waiting WHERE ws IS NOT NULL",
        params: Vec::new(),
        decode: |row| {
            row.int(0)
                .map(WorkspaceId)
                .map_err(|e| ReadError::column(Db::Agent, "wake queue row", &e))
        },
    }
}

/// When the oldest signal that no run has taken up arrived; `None` when nothing is pending.
pub fn oldest_signal(workspace: WorkspaceId) -> Query<Option<Timestamp>> {
    Query {
        db: Db::Agent,
        sql: "SELECT MIN(first_signal_at) FROM wake_queue WHERE ws = ?1 AND reasons <> 0",
        params: params_values![ws(workspace)],
        decode: |row| {
            row.opt_time(0).map_err(|e| ReadError::column(Db::Agent, "wake queue row", &e))
        },
    }
}

/// When the next unleased row becomes due after a time; `None` when none will.
pub fn next_due(workspace: WorkspaceId, now: Timestamp) -> Query<Option<Timestamp>> {
    Query {
        db: Db::Agent,
        sql: "SELECT MIN(due_at) FROM wake_queue
              WHERE ws = ?1 AND due_at IS NOT NULL AND due_at > ?2 AND owner IS NULL",
        params: params_values![ws(workspace), now],
        decode: |row| {
            row.opt_time(0).map_err(|e| ReadError::column(Db::Agent, "wake queue row", &e))
        },
    }
}

/// A row due for a signal that seems to have arrived after a time; `None` in a healthy queue.
pub fn with_due_beyond(workspace: WorkspaceId, beyond: Timestamp) -> Query<QueueEntry> {
    Query {
        db: Db::Agent,
        sql:
            "SELECT agent_id, reasons, first_signal_at, due_at, upto, priority, request_id,
                run_key, owner, epoch, expires_at, crashes, sleep_until, put_off
              FROM wake_queue
              WHERE ws = ?1 AND due_at IS NOT NULL AND due_at > ?2 AND first_signal_at > ?2 LIMIT 1",
        params: params_values![ws(workspace), beyond],
        decode,
    }
}
