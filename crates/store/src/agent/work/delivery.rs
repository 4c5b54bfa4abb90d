//! Notices to the person about agent work, and how far each has come.

use std::sync::LazyLock;

use dormouse_types::delivery::{DeliveryKind, DeliveryState, DeliveryTarget};
use dormouse_types::{DeliveryId, Id as _, Timestamp, WorkId, WorkRunId, WorkspaceId};

use super::Columns;
use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// A notice to the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub id: DeliveryId,
    pub target: DeliveryTarget,
    pub kind: DeliveryKind,
    /// The definition.
    pub work: WorkId,
    pub run: WorkRunId,
    /// The attempt of the run.
    pub attempt: i64,
    pub state: DeliveryState,
    /// How often its target showed it, or tried to.
    pub n_tries: i64,
    pub created_at: Timestamp,
    /// When its target showed it first.
    pub delivered_at: Option<Timestamp>,
    /// When the person saw it, or had dealt with what it is about.
    pub read_at: Option<Timestamp>,
}

/// One row of a list; a damaged row does not hide the others.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its id as stored.
    pub id: String,
    pub created_at: Timestamp,
    /// The delivery, or why it cannot be read.
    pub row: Result<Delivery, ReadError>,
}

/// Writes a new delivery; one that there is already stays as it is.
pub fn insert(
    workspace: WorkspaceId,
    (target, kind): (DeliveryTarget, DeliveryKind),
    work: &WorkId,
    (run, attempt): (&WorkRunId, i64),
    now: Timestamp,
) -> Op {
    Op::any(
        "INSERT INTO deliveries (ws, id, target, kind, work_id, run_id, attempt, state, n_tries,
           created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'pending', 0, ?8)
         ON CONFLICT (ws, id) DO NOTHING",
        params![
            ws(workspace),
            DeliveryId::about(run, attempt, kind, target).as_str(),
            target.name(),
            kind.name(),
            work.as_str(),
            run.as_str(),
            attempt,
            now
        ],
    )
}

/// Notes that its target showed a delivery. What was read stays read.
pub fn delivered(workspace: WorkspaceId, id: &DeliveryId, now: Timestamp) -> Op {
    Op::one(
        "UPDATE deliveries SET n_tries = n_tries + 1, delivered_at = COALESCE(delivered_at, ?3),
           state = CASE WHEN state = 'pending' THEN 'delivered' ELSE state END
         WHERE ws = ?1 AND id = ?2",
        params![ws(workspace), id.as_str(), now],
        Refusal::Missing,
    )
}

/// Notes that the person saw a delivery.
pub fn read(workspace: WorkspaceId, id: &DeliveryId, now: Timestamp) -> Op {
    Op::one(
        "UPDATE deliveries SET state = 'read', read_at = COALESCE(read_at, ?3)
         WHERE ws = ?1 AND id = ?2",
        params![ws(workspace), id.as_str(), now],
        Refusal::Missing,
    )
}

/// Notes that the person has dealt with what a run waited for; its results stay to be read.
pub fn settle_run(workspace: WorkspaceId, run: &WorkRunId, now: Timestamp) -> Op {
    Op::any(
        "UPDATE deliveries SET state = 'read', read_at = ?3
         WHERE ws = ?1 AND run_id = ?2 AND state <> 'read' AND kind <> 'result'",
        params![ws(workspace), run.as_str(), now],
    )
}

/// Leaves no open notice of a definition.
pub fn settle_work(workspace: WorkspaceId, work: &WorkId, now: Timestamp) -> Op {
    Op::any(
        "UPDATE deliveries SET state = 'read', read_at = ?3
         WHERE ws = ?1 AND work_id = ?2 AND state <> 'read'",
        params![ws(workspace), work.as_str(), now],
    )
}

/// Deletes a delivery that was read before a time.
pub fn delete_read(workspace: WorkspaceId, id: &str, before: Timestamp) -> Op {
    Op::any(
        "DELETE FROM deliveries WHERE ws = ?1 AND id = ?2 AND state = 'read' AND read_at < ?3",
        params![ws(workspace), id, before],
    )
}

/// The query for the deliveries of a workspace that a condition holds for, with the columns of [`decode`].
macro_rules! deliveries_where {
    ($condition:literal) => {
        concat!(
            "SELECT id, target, kind, work_id, run_id, attempt, state, n_tries, created_at,
               delivered_at, read_at
             FROM deliveries WHERE ws = ?1 AND ",
            $condition
        )
    };
}

fn decode(row: &Row) -> Result<Delivery, ReadError> {
    let columns = Columns::of(row, "delivery")?;
    Ok(Delivery {
        id: columns.id(0)?,
        target: columns.listed(1)?,
        kind: columns.listed(2)?,
        work: columns.id(3)?,
        run: columns.id(4)?,
        attempt: columns.int(5)?,
        state: columns.listed(6)?,
        n_tries: columns.int(7)?,
        created_at: columns.column(row.time(8))?,
        delivered_at: columns.column(row.opt_time(9))?,
        read_at: columns.column(row.opt_time(10))?,
    })
}

fn line(row: &Row) -> Result<Line, ReadError> {
    let columns = Columns::of(row, "delivery")?;
    Ok(Line { id: columns.text(0)?, created_at: columns.column(row.time(8))?, row: decode(row) })
}

/// A delivery.
pub fn by_id(workspace: WorkspaceId, id: &DeliveryId) -> Query<Delivery> {
    Query {
        db: Db::Agent,
        sql: deliveries_where!("id = ?2"),
        params: params_values![ws(workspace), id.as_str()],
        decode,
    }
}

/// Those of a list of ids, at most one page of them, that there are deliveries for.
pub fn known(workspace: WorkspaceId, ids: &[DeliveryId]) -> Query<DeliveryId> {
    static SQL: LazyLock<String> =
        LazyLock::new(|| in_list::sql("SELECT id FROM deliveries WHERE ws = ?1 AND id IN (", ")"));
    let decode = |row: &Row| Columns::of(row, "delivery")?.id(0);
    Query { db: Db::Agent, sql: &SQL, params: in_list::params(workspace, ids), decode }
}

/// The run of the newest delivery of a definition that the person has not seen; as stored, so that damage to
/// the rest of the row keeps nothing unread.
pub fn unread_of_work(workspace: WorkspaceId, work: &WorkId) -> Query<String> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, run_id
              FROM deliveries WHERE ws = ?1 AND work_id = ?2 AND state <> 'read'
              ORDER BY created_at DESC, id DESC LIMIT 1",
        params: params_values![ws(workspace), work.as_str()],
        decode: |row| Columns::of(row, "delivery")?.text(1),
    }
}

/// Deliveries before a place, newest first.
pub fn newest(workspace: WorkspaceId, (at, id): (Timestamp, &str), limit: i64) -> Query<Line> {
    Query {
        db: Db::Agent,
        sql: deliveries_where!(
            "(created_at, id) < (?2, ?3) ORDER BY created_at DESC, id DESC LIMIT ?4"
        ),
        params: params_values![ws(workspace), at, id, limit],
        decode: line,
    }
}

/// The same for those of one state.
pub fn newest_of_state(
    workspace: WorkspaceId,
    state: DeliveryState,
    (at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Line> {
    Query {
        db: Db::Agent,
        sql: deliveries_where!(
            "state = ?2 AND (created_at, id) < (?3, ?4) ORDER BY created_at DESC, id DESC LIMIT ?5"
        ),
        params: params_values![ws(workspace), state.name(), at, id, limit],
        decode: line,
    }
}

/// Deliveries that were read before a time, of one workspace or of all, the longest ago first: their ids, as
/// stored.
pub fn read_before(
    of: Option<WorkspaceId>,
    before: Timestamp,
    limit: i64,
) -> Query<(WorkspaceId, String)> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, ws FROM deliveries WHERE state = 'read' AND read_at < ?1
                AND (CAST(?2 AS BIGINT) IS NULL OR ws = CAST(?2 AS BIGINT))
              ORDER BY read_at LIMIT ?3",
        params: params_values![before, of.map(|of| of.0), limit],
        decode: |row| {
            let columns = Columns::of(row, "delivery")?;
            Ok((WorkspaceId(columns.int(1)?), columns.text(0)?))
        },
    }
}
