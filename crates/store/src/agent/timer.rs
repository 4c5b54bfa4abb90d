//! Timers: when a holder is to wake even if nothing changes. One row per holder and kind.

use std::fmt::Display;
use std::sync::LazyLock;

use dormouse_types::{HolderId, Timestamp, WorkspaceId};

pub use dormouse_types::agent::TimerKind as Kind;

use dormouse_types::closed_list::ClosedList as _;

use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::{Param, Row};
use crate::{params, params_values};

/// A timer of a holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timer {
    pub holder: HolderId,
    /// What it is for.
    pub kind: Kind,
    /// When it wakes the holder.
    pub at: Timestamp,
    /// What it is about: the due date, as `2026-03-01`.
    pub about: Option<String>,
    pub set_at: Timestamp,
    /// When it fired; kept until a run that saw it completes.
    pub fired_at: Option<Timestamp>,
}

/// Sets a timer, replacing an earlier one of its kind.
pub fn set(
    workspace: WorkspaceId,
    holder: impl Into<HolderId>,
    kind: Kind,
    at: Timestamp,
    about: Option<&str>,
) -> Op {
    Op::one(
        "INSERT INTO timers (ws, agent_id, kind, at, about, set_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (ws, agent_id, kind) DO UPDATE SET at = excluded.at, about = excluded.about,
           set_at = excluded.set_at, fired_at = NULL",
        params![
            ws(workspace),
            String::from(holder.into()),
            kind.name(),
            at,
            about.map(ToOwned::to_owned),
            Param::Now
        ],
        Refusal::Broken,
    )
}

/// Moves a timer to another time, unless it was reset, removed or fired in the meantime.
pub fn shift(workspace: WorkspaceId, timer: &Timer, to: Timestamp) -> Op {
    Op::any(
        "UPDATE timers SET at = ?5
         WHERE ws = ?1 AND agent_id = ?2 AND kind = ?3 AND at = ?4 AND fired_at IS NULL",
        params![ws(workspace), timer.holder.to_string(), timer.kind.name(), timer.at, to],
    )
}

/// Removes a timer that has not fired.
pub fn unset(workspace: WorkspaceId, holder: impl Into<HolderId>, kind: Kind) -> Op {
    Op::any(
        "DELETE FROM timers WHERE ws = ?1 AND agent_id = ?2 AND kind = ?3 AND fired_at IS NULL",
        params![ws(workspace), String::from(holder.into()), kind.name()],
    )
}

/// Marks a timer as fired; refused when it was reset, removed or already fired, and when by the time
/// of the database it is not due.
pub fn fire(workspace: WorkspaceId, timer: &Timer) -> Op {
    Op::one(
        "UPDATE timers SET fired_at = ?5
         WHERE ws = ?1 AND agent_id = ?2 AND kind = ?3 AND at = ?4 AND fired_at IS NULL
           AND at <= CAST(?5 AS BIGINT)",
        params![ws(workspace), timer.holder.to_string(), timer.kind.name(), timer.at, Param::Now],
        Refusal::Missing,
    )
}

/// Clears a fired timer that the completing run has seen.
pub fn clear(workspace: WorkspaceId, timer: &Timer) -> Op {
    Op::any(
        "DELETE FROM timers
         WHERE ws = ?1 AND agent_id = ?2 AND kind = ?3 AND at = ?4 AND fired_at IS NOT NULL",
        params![ws(workspace), timer.holder.to_string(), timer.kind.name(), timer.at],
    )
}

/// Removes all timers of a holder.
pub fn delete_of_holder(workspace: WorkspaceId, holder: impl Into<HolderId>) -> Op {
    Op::any(
        "DELETE FROM timers WHERE ws = ?1 AND agent_id = ?2",
        params![ws(workspace), String::from(holder.into())],
    )
}

fn decode(row: &Row) -> Result<Timer, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "timer", &e);
    let corrupt = |detail: String| ReadError::Corrupt {
        db: "agent",
        noun: "timer",
        id: row.text(0).unwrap_or("row").to_owned(),
        detail,
    };
    let kind = row.text(1).map_err(column)?;
    Ok(Timer {
        holder: row
            .text(0)
            .map_err(column)?
            .parse()
            .map_err(|e: dormouse_types::IdError| corrupt(e.to_string()))?,
        kind: Kind::of_name(kind).ok_or_else(|| corrupt(format!("unknown kind `{kind}`")))?,
        at: row.time(2).map_err(column)?,
        about: row.opt_text(3).map_err(column)?.map(ToOwned::to_owned),
        set_at: row.time(4).map_err(column)?,
        fired_at: row.opt_time(5).map_err(column)?,
    })
}

/// Timers of a holder, by kind.
pub fn of_holder(workspace: WorkspaceId, holder: impl Into<HolderId>) -> Query<Timer> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, kind, at, about, set_at, fired_at FROM timers
              WHERE ws = ?1 AND agent_id = ?2 ORDER BY kind",
        params: params_values![ws(workspace), String::from(holder.into())],
        decode,
    }
}

/// Timers of at most a page of holders. A damaged row is returned as an error of its own.
pub fn of_holders(
    workspace: WorkspaceId,
    holders: &[impl Display],
) -> Query<Result<Timer, ReadError>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT agent_id, kind, at, about, set_at, fired_at FROM timers
             WHERE ws = ?1 AND agent_id IN (",
            ")",
        )
    });
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, holders),
        decode: |row| Ok(decode(row)),
    }
}

/// Timers that will fire after a time, earliest first. A damaged row is returned as an error of its
/// own.
pub fn coming(
    workspace: WorkspaceId,
    after: Timestamp,
    limit: i64,
) -> Query<Result<Timer, ReadError>> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, kind, at, about, set_at, fired_at FROM timers
              WHERE ws = ?1 AND fired_at IS NULL AND at > ?2 ORDER BY at, agent_id LIMIT ?3",
        params: params_values![ws(workspace), after, limit],
        decode: |row| Ok(decode(row)),
    }
}

/// Timers of a kind that have not fired, by holder. A damaged row is returned as an error of its own.
pub fn waiting(workspace: WorkspaceId, kind: Kind) -> Query<Result<Timer, ReadError>> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, kind, at, about, set_at, fired_at FROM timers
              WHERE ws = ?1 AND kind = ?2 AND fired_at IS NULL ORDER BY agent_id",
        params: params_values![ws(workspace), kind.name()],
        decode: |row| Ok(decode(row)),
    }
}

/// Due timers that have not fired, earliest first. A damaged row is returned as an error of its own
/// and does not stop the others from firing.
pub fn due(workspace: WorkspaceId, now: Timestamp, limit: i64) -> Query<Result<Timer, ReadError>> {
    Query {
        db: Db::Agent,
        sql: "SELECT agent_id, kind, at, about, set_at, fired_at FROM timers
              WHERE ws = ?1 AND fired_at IS NULL AND at <= ?2 ORDER BY at, agent_id LIMIT ?3",
        params: params_values![ws(workspace), now, limit],
        decode: |row| Ok(decode(row)),
    }
}

/// Workspaces with a pending timer, each with the time of its earliest one.
pub fn next_of_each() -> Query<(WorkspaceId, Timestamp)> {
    Query {
        db: Db::Agent,
        sql: "WITH RECURSIVE armed(ws) AS (
                SELECT MIN(ws) FROM timers WHERE fired_at IS NULL
                UNION ALL
                SELECT (SELECT MIN(t.ws) FROM timers t
                        WHERE t.fired_at IS NULL AND t.ws > armed.ws)
                FROM armed WHERE armed.ws IS NOT NULL)
              SELECT armed.ws, (SELECT MIN(at) FROM timers t
                                WHERE t.ws = armed.ws AND t.fired_at IS NULL)
              FROM armed WHERE armed.ws IS NOT NULL",
        params: Vec::new(),
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "timer", &e);
            Ok((WorkspaceId(row.int(0).map_err(column)?), row.time(1).map_err(column)?))
        },
    }
}
