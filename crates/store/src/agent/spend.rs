//! What was spent on models: one row per scope, day and unit.
//!
//! An amount is reserved before a call and settled after it. A reservation that is never settled,
//! because the process died, stays counted.

use std::fmt;

use dormouse_types::closed_list::Listed;
use dormouse_types::spend::Unit;
use dormouse_types::{HolderId, IdError, Timestamp, WorkspaceId};
use jiff::civil::Date;

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// How [`SpendScope::Workspace`] is stored.
const WORKSPACE: &str = "workspace";

/// Whose calls an account counts. A row has the id of the holder, or `workspace`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpendScope {
    /// All holders together.
    Workspace,
    Holder(HolderId),
}

impl SpendScope {
    /// The scope as it is stored, and as events name it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Workspace => WORKSPACE,
            Self::Holder(holder) => holder.as_str(),
        }
    }

    fn named(text: &str) -> Result<Self, IdError> {
        Ok(if text == WORKSPACE { Self::Workspace } else { Self::Holder(text.parse()?) })
    }
}

impl fmt::Display for SpendScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a row counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Whose calls.
    pub scope: SpendScope,
    /// The day in the workspace's time zone.
    pub day: Date,
    /// What is counted.
    pub unit: Unit,
}

/// The state of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// Whose calls.
    pub scope: SpendScope,
    /// What is counted.
    pub unit: Listed<Unit>,
    /// Reserved by calls that have not been settled.
    pub reserved: i64,
    /// Spent by calls that have been settled.
    pub spent: i64,
    /// What a person allowed beyond the budget of the day.
    pub extra: i64,
    /// Since when there is no room for the next call.
    pub held_at: Option<Timestamp>,
    /// What that call may cost.
    pub wanted: i64,
}

impl Balance {
    /// What is reserved and spent.
    pub fn used(&self) -> i64 {
        self.reserved.saturating_add(self.spent)
    }
}

/// Reserves an amount; refused if the account would go beyond its limit and what a person allowed
/// beyond it.
///
/// One statement reads and writes, so that of two nodes that reserve the last cent one is refused.
pub fn reserve(workspace: WorkspaceId, account: &Account, amount: i64, limit: i64) -> Op {
    Op::one(
        "INSERT INTO spend (ws, scope, day, unit, reserved, spent)
         SELECT CAST(?1 AS BIGINT), CAST(?2 AS TEXT), CAST(?3 AS TEXT), CAST(?4 AS TEXT),
           CAST(?5 AS BIGINT), 0
         WHERE CAST(?5 AS BIGINT) <= CAST(?6 AS BIGINT) OR EXISTS (SELECT 1 FROM spend
           WHERE ws = ?1 AND scope = ?2 AND day = ?3 AND unit = ?4)
         ON CONFLICT (ws, scope, day, unit) DO UPDATE SET reserved = spend.reserved + excluded.reserved
         WHERE spend.reserved + spend.spent - spend.extra
           <= CAST(?6 AS BIGINT) - excluded.reserved",
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

/// Notes that an account has no room for a call; refused if it has by now.
pub fn hold(
    workspace: WorkspaceId,
    account: &Account,
    at: Timestamp,
    wanted: i64,
    limit: i64,
) -> Op {
    Op::one(
        "INSERT INTO spend (ws, scope, day, unit, reserved, spent, held_at, wanted)
         SELECT CAST(?1 AS BIGINT), CAST(?2 AS TEXT), CAST(?3 AS TEXT), CAST(?4 AS TEXT), 0, 0,
           CAST(?5 AS BIGINT), CAST(?6 AS BIGINT)
         WHERE CAST(?6 AS BIGINT) > CAST(?7 AS BIGINT) OR EXISTS (SELECT 1 FROM spend
           WHERE ws = ?1 AND scope = ?2 AND day = ?3 AND unit = ?4)
         ON CONFLICT (ws, scope, day, unit) DO UPDATE
           SET held_at = COALESCE(spend.held_at, excluded.held_at), wanted = excluded.wanted
         WHERE spend.reserved + spend.spent - spend.extra
           > CAST(?7 AS BIGINT) - excluded.wanted",
        params![
            ws(workspace),
            account.scope.as_str(),
            account.day.to_string(),
            account.unit.name(),
            at,
            wanted,
            limit
        ],
        Refusal::Stale,
    )
}

/// Checks that an account is still held: a decision was made on it.
pub fn is_held(workspace: WorkspaceId, account: &Account) -> Op {
    Op::one(
        "UPDATE spend SET held_at = held_at
         WHERE ws = ?1 AND scope = ?2 AND day = ?3 AND unit = ?4 AND held_at IS NOT NULL",
        params![
            ws(workspace),
            account.scope.as_str(),
            account.day.to_string(),
            account.unit.name()
        ],
        Refusal::Stale,
    )
}

/// Allows an amount beyond the budget of the day, once; refused unless the account is held.
pub fn lift(workspace: WorkspaceId, account: &Account, amount: i64) -> Op {
    Op::one(
        "UPDATE spend SET extra = extra + ?5, held_at = NULL
         WHERE ws = ?1 AND scope = ?2 AND day = ?3 AND unit = ?4 AND held_at IS NOT NULL",
        params![
            ws(workspace),
            account.scope.as_str(),
            account.day.to_string(),
            account.unit.name(),
            amount
        ],
        Refusal::Missing,
    )
}

/// Ends the holds of all accounts of a day: budgets or models have changed, and the next call finds
/// out whether there is room.
pub fn end_holds(workspace: WorkspaceId, day: Date) -> Op {
    Op::any(
        "UPDATE spend SET held_at = NULL WHERE ws = ?1 AND day = ?2 AND held_at IS NOT NULL",
        params![ws(workspace), day.to_string()],
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
    let scope = row.text(0).map_err(column)?;
    let damaged = |e: IdError| ReadError::Corrupt {
        db: "agent",
        noun: "spend",
        id: scope.to_owned(),
        detail: e.to_string(),
    };
    Ok(Balance {
        scope: SpendScope::named(scope).map_err(damaged)?,
        unit: Listed::named(row.text(1).map_err(column)?),
        reserved: row.int(2).map_err(column)?,
        spent: row.int(3).map_err(column)?,
        extra: row.int(4).map_err(column)?,
        held_at: row.opt_time(5).map_err(column)?,
        wanted: row.int(6).map_err(column)?,
    })
}

/// The balance of an account; `None` while nothing was reserved.
pub fn of_account(workspace: WorkspaceId, account: &Account) -> Query<Balance> {
    Query {
        db: Db::Agent,
        sql: "SELECT scope, unit, reserved, spent, extra, held_at, wanted FROM spend
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

/// The balances of a scope on a day, one for each unit that something was reserved in.
pub fn of_scope(workspace: WorkspaceId, scope: &SpendScope, day: Date) -> Query<Balance> {
    Query {
        db: Db::Agent,
        sql: "SELECT scope, unit, reserved, spent, extra, held_at, wanted FROM spend
              WHERE ws = ?1 AND scope = ?2 AND day = ?3",
        params: params_values![ws(workspace), scope.as_str(), day.to_string()],
        decode,
    }
}

/// The accounts of a day that have no room for their next call, by scope.
pub fn held(workspace: WorkspaceId, day: Date) -> Query<Balance> {
    Query {
        db: Db::Agent,
        sql: "SELECT scope, unit, reserved, spent, extra, held_at, wanted FROM spend
              WHERE ws = ?1 AND day = ?2 AND held_at IS NOT NULL ORDER BY scope, unit",
        params: params_values![ws(workspace), day.to_string()],
        decode,
    }
}
