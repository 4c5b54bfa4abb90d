//! Calls of hooks: those that started runs, and how many there were of each kind in an hour.

use dormouse_types::work_hook::HookRefusal;
use dormouse_types::{HookId, Id as _, Timestamp, WorkRunId, WorkspaceId};

use super::Columns;
use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// Units: microseconds.
const HOUR: i64 = 3_600_000_000;

/// A call that started a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCall {
    pub run: WorkRunId,
    pub hook: HookId,
    /// The id that the sender gave it.
    pub delivery: String,
    /// What the signature makes unique: the same id, or the hash of the body if no id is signed.
    pub signed: String,
    pub body_hash: String,
    /// The body; empty if it is not kept any more.
    pub payload: String,
    /// How long a body was that is not kept any more. Units: bytes.
    pub removed_bytes: Option<i64>,
    /// The address that it came from.
    pub sender: String,
    /// When it came.
    pub received_at: Timestamp,
}

/// How many calls of a hook there were in an hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookHour {
    /// The hook; `None` counts the calls of addresses that no hook has.
    pub hook: Option<HookId>,
    /// When the hour began.
    pub hour: Timestamp,
    /// Calls that started a run.
    pub n_started: i64,
    /// Calls that came again, and were answered with the run of the first one.
    pub n_repeated: i64,
    /// Calls that were refused, by the reason, in the order of [`HookRefusal::ALL`].
    pub refused: Vec<(HookRefusal, i64)>,
    /// The last call that was refused: why, the address that it came from, and when.
    pub last_refused: Option<(HookRefusal, String, Timestamp)>,
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Became<'s> {
    /// It started a run.
    Started,
    /// It was answered with the run of an earlier call.
    Repeated,
    /// It was refused; with the address that it came from.
    Refused(HookRefusal, &'s str),
}

/// Writes a call. Refused if there is one with this id, or one that the same signature fits.
pub fn insert(workspace: WorkspaceId, new: &HookCall) -> Op {
    Op::one(
        "INSERT INTO work_hook_calls (ws, run_id, hook_id, delivery_id, signed, body_hash, payload,
           sender, received_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            ws(workspace),
            new.run.as_str(),
            new.hook.as_str(),
            new.delivery.as_str(),
            new.signed.as_str(),
            new.body_hash.as_str(),
            new.payload.as_str(),
            new.sender.as_str(),
            new.received_at
        ],
        Refusal::Exists,
    )
}

/// Counts a call in the row of its hook and hour.
pub fn count(
    workspace: WorkspaceId,
    hook: Option<&HookId>,
    became: Became<'_>,
    now: Timestamp,
) -> Op {
    let is = |refusal| i64::from(matches!(became, Became::Refused(why, _) if why == refusal));
    let (refusal, sender, at) = match became {
        Became::Refused(why, sender) => (Some(why.name()), Some(sender), Some(now)),
        Became::Started | Became::Repeated => (None, None, None),
    };
    Op::any(
        "INSERT INTO work_hook_hours (ws, hook_id, hour, n_started, n_repeated, n_unknown, n_malformed,
           n_forged, n_late, n_altered, n_inactive, n_too_many, n_unreadable, refusal, sender,
           refused_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
         ON CONFLICT (ws, hook_id, hour) DO UPDATE SET
           n_started = work_hook_hours.n_started + excluded.n_started,
           n_repeated = work_hook_hours.n_repeated + excluded.n_repeated,
           n_unknown = work_hook_hours.n_unknown + excluded.n_unknown,
           n_malformed = work_hook_hours.n_malformed + excluded.n_malformed,
           n_forged = work_hook_hours.n_forged + excluded.n_forged,
           n_late = work_hook_hours.n_late + excluded.n_late,
           n_altered = work_hook_hours.n_altered + excluded.n_altered,
           n_inactive = work_hook_hours.n_inactive + excluded.n_inactive,
           n_too_many = work_hook_hours.n_too_many + excluded.n_too_many,
           n_unreadable = work_hook_hours.n_unreadable + excluded.n_unreadable,
           refusal = COALESCE(excluded.refusal, work_hook_hours.refusal),
           sender = COALESCE(excluded.sender, work_hook_hours.sender),
           refused_at = COALESCE(excluded.refused_at, work_hook_hours.refused_at)",
        params![
            ws(workspace),
            hook.map_or("", HookId::as_str),
            hour_of(now),
            i64::from(became == Became::Started),
            i64::from(became == Became::Repeated),
            is(HookRefusal::Unknown),
            is(HookRefusal::Malformed),
            is(HookRefusal::Forged),
            is(HookRefusal::Late),
            is(HookRefusal::Altered),
            is(HookRefusal::Inactive),
            is(HookRefusal::TooMany),
            is(HookRefusal::Unreadable),
            refusal,
            sender,
            at
        ],
    )
}

/// When the hour of a time began.
pub fn hour_of(now: Timestamp) -> Timestamp {
    Timestamp::from_micros(now.micros().div_euclid(HOUR) * HOUR)
}

/// The query for the calls of a workspace that a condition holds for, with the columns of
/// [`decode_call`].
macro_rules! calls_where {
    ($condition:literal) => {
        concat!(
            "SELECT run_id, hook_id, delivery_id, signed, body_hash, payload, sender, received_at,
               removed_bytes
             FROM work_hook_calls WHERE ws = ?1 AND ",
            $condition
        )
    };
}

fn decode_call(row: &Row) -> Result<HookCall, ReadError> {
    let columns = Columns::of(row, "call of a hook")?;
    Ok(HookCall {
        run: columns.id(0)?,
        hook: columns.id(1)?,
        delivery: columns.text(2)?,
        signed: columns.text(3)?,
        body_hash: columns.text(4)?,
        payload: columns.text(5)?,
        sender: columns.text(6)?,
        received_at: columns.column(row.time(7))?,
        removed_bytes: columns.column(row.opt_int(8))?,
    })
}

/// The call that started a run.
pub fn of_run(workspace: WorkspaceId, run: &WorkRunId) -> Query<HookCall> {
    Query {
        db: Db::Agent,
        sql: calls_where!("run_id = ?2"),
        params: params_values![ws(workspace), run.as_str()],
        decode: decode_call,
    }
}

/// The call of a hook with this id.
pub fn of_delivery(workspace: WorkspaceId, hook: &HookId, delivery: &str) -> Query<HookCall> {
    Query {
        db: Db::Agent,
        sql: calls_where!("hook_id = ?2 AND delivery_id = ?3"),
        params: params_values![ws(workspace), hook.as_str(), delivery],
        decode: decode_call,
    }
}

/// The call of a hook that the same signature fits.
pub fn of_signed(workspace: WorkspaceId, hook: &HookId, signed: &str) -> Query<HookCall> {
    Query {
        db: Db::Agent,
        sql: calls_where!("hook_id = ?2 AND signed = ?3"),
        params: params_values![ws(workspace), hook.as_str(), signed],
        decode: decode_call,
    }
}

/// The newest calls of a hook that started runs.
pub fn newest(workspace: WorkspaceId, hook: &HookId, limit: i64) -> Query<HookCall> {
    Query {
        db: Db::Agent,
        sql: calls_where!("hook_id = ?2 ORDER BY received_at DESC LIMIT ?3"),
        params: params_values![ws(workspace), hook.as_str(), limit],
        decode: decode_call,
    }
}

/// Removes the body of a call; that there was one, and what it was, stays by its length and its hash. The run is
/// named as it is stored, and the length is counted where the body is: damage to the row keeps no body.
pub fn remove_body(workspace: WorkspaceId, run: &str) -> Op {
    Op::any(
        "UPDATE work_hook_calls SET payload = '', removed_bytes = octet_length(payload)
         WHERE ws = ?1 AND run_id = ?2 AND removed_bytes IS NULL",
        params![ws(workspace), run],
    )
}

/// The runs, as stored, of calls from before a time whose body is kept and whose run has ended; of one workspace or
/// of all, oldest first.
pub fn with_old_bodies(
    of: Option<WorkspaceId>,
    before: Timestamp,
    limit: i64,
) -> Query<(WorkspaceId, String)> {
    Query {
        db: Db::Agent,
        // The run of each call is looked up by its key, so that no engine reads all runs to join them.
        sql: "SELECT c.run_id, c.ws FROM work_hook_calls c
              WHERE c.removed_bytes IS NULL AND c.received_at < ?1
                AND (SELECT r.completed_at FROM work_runs r WHERE r.ws = c.ws AND r.id = c.run_id)
                    IS NOT NULL
                AND (CAST(?2 AS BIGINT) IS NULL OR c.ws = CAST(?2 AS BIGINT))
              ORDER BY c.received_at LIMIT ?3",
        params: params_values![before, of.map(|of| of.0), limit],
        decode: |row| {
            let columns = Columns::of(row, "call of a hook")?;
            Ok((WorkspaceId(columns.int(1)?), columns.text(0)?))
        },
    }
}

/// The newest hours in which a hook was called; those of no hook for `None`.
pub fn hours(workspace: WorkspaceId, hook: Option<&HookId>, limit: i64) -> Query<HookHour> {
    Query {
        db: Db::Agent,
        sql: "SELECT hook_id, hour, n_started, n_repeated, refusal, sender, refused_at, n_unknown,
                n_malformed, n_forged, n_late, n_altered, n_inactive, n_too_many, n_unreadable
              FROM work_hook_hours WHERE ws = ?1 AND hook_id = ?2 ORDER BY hour DESC LIMIT ?3",
        params: params_values![ws(workspace), hook.map_or("", HookId::as_str), limit],
        decode: |row| {
            let columns = Columns::of(row, "calls of a hook")?;
            let hook = columns.text(0)?;
            let hook = (!hook.is_empty()).then(|| columns.id(0)).transpose()?;
            let refusal: Option<HookRefusal> = columns.opt_listed(4)?;
            let (sender, at) = (columns.opt_text(5)?, columns.column(row.opt_time(6))?);
            let last = refusal.zip(sender).zip(at);
            let refused = HookRefusal::ALL.iter().enumerate();
            let refused = refused.map(|(n, why)| Ok((*why, columns.int(7 + n)?)));
            Ok(HookHour {
                hook,
                hour: columns.column(row.time(1))?,
                n_started: columns.int(2)?,
                n_repeated: columns.int(3)?,
                refused: refused.collect::<Result<_, ReadError>>()?,
                last_refused: last.map(|((why, sender), at)| (why, sender, at)),
            })
        },
    }
}
