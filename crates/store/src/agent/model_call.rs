//! Calls of models that are not built in: one row per call, written before it.

use dormouse_types::closed_list::{ClosedList as _, Listed};
use dormouse_types::model::Usage;
use dormouse_types::spend::{Amount, CallStatus, Unit};
use dormouse_types::{HolderId, RunKey, Timestamp, WorkspaceId};
use jiff::civil::Date;

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// A call that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCall {
    /// The run that makes it.
    pub run: RunKey,
    /// The turn it asks for, from 1.
    pub turn: u32,
    /// How many calls were made for this turn before, and 1.
    pub attempt: i64,
    /// The holder of the run.
    pub holder: HolderId,
    pub model: String,
    /// When it is made.
    pub at: Timestamp,
    /// That day in the workspace's time zone.
    pub day: Date,
    /// What it may cost at most.
    pub reserved: Amount,
}

/// Records a call before it is made; refused if this attempt was made already.
pub fn insert(workspace: WorkspaceId, call: &NewCall) -> Op {
    Op::one(
        "INSERT INTO model_calls (ws, run_key, turn, attempt, holder, model, called_at, day,
           status, unit, reserved)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            ws(workspace),
            call.run.as_str(),
            i64::from(call.turn),
            call.attempt,
            call.holder.to_string(),
            call.model.as_str(),
            call.at,
            call.day.to_string(),
            CallStatus::Reserved.name(),
            call.reserved.unit.name(),
            call.reserved.value
        ],
        Refusal::Exists,
    )
}

/// Records how a call ended; refused if that is recorded.
///
/// `usage` is what the provider said, if it said something; `cost` is in the unit of the call.
pub fn settle(
    workspace: WorkspaceId,
    call: &NewCall,
    status: CallStatus,
    cost: i64,
    usage: Option<&Usage>,
) -> Op {
    let tokens =
        |of: fn(&Usage) -> u64| usage.map(|usage| i64::try_from(of(usage)).unwrap_or(i64::MAX));
    Op::one(
        "UPDATE model_calls SET status = ?5, cost = ?6, input_tokens = CAST(?7 AS BIGINT),
           cached_input_tokens = CAST(?8 AS BIGINT), cache_write_tokens = CAST(?9 AS BIGINT),
           output_tokens = CAST(?10 AS BIGINT), reasoning_tokens = CAST(?11 AS BIGINT)
         WHERE ws = ?1 AND run_key = ?2 AND turn = ?3 AND attempt = ?4 AND cost IS NULL",
        params![
            ws(workspace),
            call.run.as_str(),
            i64::from(call.turn),
            call.attempt,
            status.name(),
            cost,
            tokens(|usage| usage.input),
            tokens(|usage| usage.cached_input),
            tokens(|usage| usage.cache_write),
            tokens(|usage| usage.output),
            tokens(|usage| usage.reasoning)
        ],
        Refusal::Broken,
    )
}

/// A call that has not been settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// The holder of its run.
    pub holder: HolderId,
    /// The day it counts for.
    pub day: Date,
    pub reserved: Amount,
}

/// The calls of a run that have not been settled.
pub fn open_of_run(workspace: WorkspaceId, run: &RunKey) -> Query<OpenCall> {
    Query {
        db: Db::Agent,
        sql: "SELECT holder, day, unit, reserved FROM model_calls
              WHERE ws = ?1 AND run_key = ?2 AND cost IS NULL ORDER BY turn, attempt",
        params: params_values![ws(workspace), run.as_str()],
        decode: open_call,
    }
}

fn open_call(row: &Row) -> Result<OpenCall, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "model_call", &e);
    let holder = row.text(0).map_err(column)?;
    let corrupt = |detail: String| ReadError::Corrupt {
        db: "agent",
        noun: "model_call",
        id: holder.to_owned(),
        detail,
    };
    let (day, unit) = (row.text(1).map_err(column)?, row.text(2).map_err(column)?);
    let unit = Unit::of_name(unit).ok_or_else(|| corrupt(format!("unknown unit `{unit}`")))?;
    Ok(OpenCall {
        holder: holder.parse().map_err(|e: dormouse_types::IdError| corrupt(e.to_string()))?,
        day: day.parse().map_err(|e: jiff::Error| corrupt(e.to_string()))?,
        reserved: Amount { unit, value: row.int(3).map_err(column)? },
    })
}

/// What is reserved on a day by runs that are under way, other than those of `besides`.
pub fn reserved_under_way(
    workspace: WorkspaceId,
    day: Date,
    unit: Unit,
    besides: &HolderId,
) -> Query<i64> {
    Query {
        db: Db::Agent,
        sql: "SELECT CAST(COALESCE(SUM(c.reserved), 0) AS BIGINT) FROM wake_queue q
              CROSS JOIN model_calls c
              WHERE q.owner IS NOT NULL AND +q.ws = ?1 AND q.agent_id <> ?4
                AND c.ws = q.ws AND c.run_key = q.run_key AND c.cost IS NULL AND c.day = ?2 AND c.unit = ?3",
        params: params_values![ws(workspace), day.to_string(), unit.name(), besides.to_string()],
        decode: |row| row.int(0).map_err(|e| ReadError::column(Db::Agent, "model_call", &e)),
    }
}

/// Records that the open calls of a run cost what was reserved for them; refused if there are more
/// or fewer than `count`, so that none is left out that began since they were read.
pub fn assume(workspace: WorkspaceId, run: &RunKey, count: usize) -> Op {
    Op {
        sql: "UPDATE model_calls SET status = ?3, cost = reserved
              WHERE ws = ?1 AND run_key = ?2 AND cost IS NULL",
        params: params![ws(workspace), run.as_str(), CallStatus::Assumed.name()],
        rows: count..=count,
        refusal: Refusal::Stale,
    }
}

/// What the calls of a run have cost so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunCost {
    /// Calls for the turn that is requested next.
    pub attempts: i64,
    /// Units: micro-dollars. Only calls that ended by themselves count: the provider or a person ended the
    /// others, or the process died with them, and the wake is no cause of that.
    pub micro_dollars: i64,
}

/// What a run has cost so far, and how many calls were made for one of its turns.
pub fn of_run(workspace: WorkspaceId, run: &RunKey, turn: u32) -> Query<RunCost> {
    Query {
        db: Db::Agent,
        sql: "SELECT CAST(COALESCE(SUM(CASE WHEN turn = ?3 THEN 1 ELSE 0 END), 0) AS BIGINT),
                CAST(COALESCE(SUM(CASE WHEN unit = 'microDollars' AND status IN (?4, ?5)
                  THEN cost ELSE 0 END), 0) AS BIGINT)
              FROM model_calls WHERE ws = ?1 AND run_key = ?2",
        params: params_values![
            ws(workspace),
            run.as_str(),
            i64::from(turn),
            CallStatus::Settled.name(),
            CallStatus::Assumed.name()
        ],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "model_call", &e);
            let attempts = row.int(0).map_err(column)?;
            Ok(RunCost { attempts, micro_dollars: row.int(1).map_err(column)? })
        },
    }
}

/// What the calls of a model used on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayUsage {
    /// The day in the workspace's time zone.
    pub day: String,
    pub model: String,
    /// What `cost` counts.
    pub unit: Listed<Unit>,
    /// How many calls.
    pub calls: i64,
    /// Their cost; a call without a figure counts as its reservation.
    pub cost: i64,
    /// The tokens that providers reported.
    pub usage: Usage,
}

/// The use of models per day, oldest first, between two days, both included.
pub fn per_day(workspace: WorkspaceId, from: Date, to: Date) -> Query<DayUsage> {
    Query {
        db: Db::Agent,
        sql: "SELECT day, model, unit, COUNT(*), CAST(SUM(COALESCE(cost, reserved)) AS BIGINT),
                CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT),
                CAST(COALESCE(SUM(cached_input_tokens), 0) AS BIGINT),
                CAST(COALESCE(SUM(cache_write_tokens), 0) AS BIGINT),
                CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT),
                CAST(COALESCE(SUM(reasoning_tokens), 0) AS BIGINT)
              FROM model_calls WHERE ws = ?1 AND day >= ?2 AND day <= ?3
              GROUP BY day, model, unit ORDER BY day, model, unit",
        params: params_values![ws(workspace), from.to_string(), to.to_string()],
        decode: day_usage,
    }
}

fn day_usage(row: &Row) -> Result<DayUsage, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "model_call", &e);
    let tokens = |n| row.int(n).map(|n| u64::try_from(n).unwrap_or(0)).map_err(column);
    Ok(DayUsage {
        day: row.text(0).map_err(column)?.to_owned(),
        model: row.text(1).map_err(column)?.to_owned(),
        unit: Listed::named(row.text(2).map_err(column)?),
        calls: row.int(3).map_err(column)?,
        cost: row.int(4).map_err(column)?,
        usage: Usage {
            input: tokens(5)?,
            cached_input: tokens(6)?,
            cache_write: tokens(7)?,
            output: tokens(8)?,
            reasoning: tokens(9)?,
            cost: None,
        },
    })
}
