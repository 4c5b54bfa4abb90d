//! What was spent on models: one row per scope, day and unit.
//!
//! An amount is reserved before a call and settled after it. A reservation that is never settled,
//! because the process died, stays counted.

use dormouse_types::WorkspaceId;
use dormouse_types::spend::Unit;
use jiff::civil::Date;

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// The scope of a whole workspace.
pub const WORKSPACE: &str = "workspace";

/// What a row counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// [`WORKSPACE`], or the id of a holder.
    pub scope: String,
    /// The day in the workspace's time zone.
    pub day: Date,
    /// What is counted.
    pub unit: Unit,
}

/// The state of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// [`WORKSPACE`], or the id of a holder.
    pub scope: String,
    /// Reserved by calls that have not been settled.
    pub reserved: i64,
    /// Spent by calls that have been settled.
    pub spent: i64,
}

/// Reserves an amount; refused if the account would go beyond its limit.
///
/// One statement reads and writes, so that of two nodes that reserve the last cent one is refused.
pub fn reserve(workspace: WorkspaceId, account: &Account, amount: i64, limit: i64) -> Op {
    Op::one(
        "INSERT INTO spend (ws, scope, day, unit, reserved, spent)
         SELECT CAST(?1 AS BIGINT), CAST(?2 AS TEXT), CAST(?3 AS TEXT), CAST(?4 AS TEXT),
           CAST(?5 AS BIGINT), 0
         WHERE CAST(?5 AS BIGINT) <= CAST(?6 AS BIGINT)
         ON CONFLICT (ws, scope, day, unit) DO UPDATE SET reserved = spend.reserved + excluded.reserved
         WHERE spend.reserved + spend.spent + excluded.reserved <= CAST(?6 AS BIGINT)",
        params![
            ws(workspace),
            account.scope.as_str(),
            account.day.to_string(),
            account.unit.name(),
            amount,
            limit
        ],
        Refusal::OverBudget,
    )
}

/// Replaces a reservation by what was spent.
pub fn settle(workspace: WorkspaceId, account: &Account, reserved: i64, spent: i64) -> Op {
    Op::one(
        "UPDATE spend SET reserved = reserved - ?5, spent = spent + ?6
         WHERE ws = ?1 AND scope = ?2 AND day = ?3 AND unit = ?4",
        params![
            ws(workspace),
            account.scope.as_str(),
            account.day.to_string(),
            account.unit.name(),
            reserved,
            spent
        ],
        Refusal::Broken,
    )
}

fn decode(row: &Row) -> Result<Balance, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "spend", &e);
    Ok(Balance {
        scope: row.text(0).map_err(column)?.to_owned(),
        reserved: row.int(1).map_err(column)?,
        spent: row.int(2).map_err(column)?,
    })
}

/// The balance of an account; `None` while nothing was reserved.
pub fn of_account(workspace: WorkspaceId, account: &Account) -> Query<Balance> {
    Query {
        db: Db::Agent,
        sql: "SELECT scope, reserved, spent FROM spend
              WHERE ws = ?1 AND scope = ?2 AND day = ?3 AND unit = ?4",
        params: params_values![
            ws(workspace),
            account.scope.as_str(),
            account.day.to_string(),
            account.unit.name()
        ],
        decode,
    }
}
