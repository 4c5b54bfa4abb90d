//! How many agents wait in the wake queue and run, and how long the oldest has waited.
//!
//! The queue holds runs of agent work as well; they are no agents and no wakes, so nothing here counts
//! them.

use dormouse_types::{Timestamp, WorkspaceId};

use crate::commit::Db;
use crate::params_values;
use crate::store::{Query, ReadError, ws};

/// Counts of agents waiting for a claim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WaitingCount {
    /// All of them.
    pub total: i64,
    /// Those that are due.
    pub due: i64,
    /// When the earliest of those became due.
    pub oldest_due: Option<Timestamp>,
    /// When the next of the others becomes due.
    pub next_due: Option<Timestamp>,
}

/// Counts the agents waiting at a time.
pub fn waiting(workspace: WorkspaceId, now: Timestamp) -> Query<WaitingCount> {
    Query {
        db: Db::Agent,
        sql: "SELECT COUNT(*), COUNT(CASE WHEN due_at <= ?2 THEN 1 END),
                MIN(CASE WHEN due_at <= ?2 THEN due_at END),
                MIN(CASE WHEN due_at > ?2 THEN due_at END)
              FROM wake_queue WHERE ws = ?1 AND due_at IS NOT NULL AND owner IS NULL
                AND agent_id LIKE 'ag-%'",
        params: params_values![ws(workspace), now],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "wake queue row", &e);
            Ok(WaitingCount {
                total: row.int(0).map_err(column)?,
                due: row.int(1).map_err(column)?,
                oldest_due: row.opt_time(2).map_err(column)?,
                next_due: row.opt_time(3).map_err(column)?,
            })
        },
    }
}

/// How many agents are leased, and how many of those leases have expired.
///
/// The `+` in `+ws` keeps SQLite on the index of leased rows.
pub fn leased(workspace: WorkspaceId, now: Timestamp) -> Query<(i64, i64)> {
    Query {
        db: Db::Agent,
        sql: "SELECT COUNT(*), COUNT(CASE WHEN expires_at <= ?2 THEN 1 END)
              FROM wake_queue WHERE owner IS NOT NULL AND +ws = ?1 AND agent_id LIKE 'ag-%'",
        params: params_values![ws(workspace), now],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "wake queue row", &e);
            Ok((row.int(0).map_err(column)?, row.int(1).map_err(column)?))
        },
    }
}
