//! Circuit breakers for model providers that failed recently: work stays queued instead of failing.

use dormouse_types::closed_list::Listed;
use dormouse_types::model::ProviderUnavailable;
use dormouse_types::{Timestamp, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// The recorded failures of a provider, or of one model of it. What works has no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaker {
    /// The name of the provider; `provider/model` if only a model is held.
    pub provider: String,
    /// Why the latest call failed.
    pub why: Listed<ProviderUnavailable>,
    /// Failures since `since`.
    pub failures: i64,
    /// When the first of them was.
    pub since: Timestamp,
    /// How many times in a row it was opened.
    pub opened: i64,
    /// No requests are sent before this time; `None` while the breaker is still closed.
    pub open_until: Option<Timestamp>,
    /// The provider's latest error.
    pub detail: String,
}

/// Writes a breaker's next state; refused when the row was changed since it was read.
pub fn put(workspace: WorkspaceId, before: Option<&Breaker>, after: &Breaker) -> Op {
    let new = params![
        ws(workspace),
        after.provider.as_str(),
        after.failures,
        after.since,
        after.opened,
        after.open_until,
        after.detail.as_str(),
        after.why.name(),
    ];
    match before {
        None => Op::one(
            "INSERT INTO breakers (ws, provider, failures, since, opened, open_until, detail, why)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            new,
            Refusal::Stale,
        ),
        Some(before) => {
            let mut params = new;
            params.extend(params![before.failures, before.opened, before.open_until]);
            Op::one(
                "UPDATE breakers SET failures = ?3, since = ?4, opened = ?5,
                   open_until = CAST(?6 AS BIGINT), detail = ?7, why = ?8
                 WHERE ws = ?1 AND provider = ?2 AND failures = ?9 AND opened = ?10
                   AND COALESCE(open_until, -1) = COALESCE(CAST(?11 AS BIGINT), -1)",
                params,
                Refusal::Stale,
            )
        }
    }
}

/// Clears the failures of a provider that answered.
pub fn delete(workspace: WorkspaceId, provider: &str) -> Op {
    Op::any(
        "DELETE FROM breakers WHERE ws = ?1 AND provider = ?2",
        params![ws(workspace), provider],
    )
}

fn decode(row: &Row) -> Result<Breaker, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "breaker", &e);
    Ok(Breaker {
        provider: row.text(0).map_err(column)?.to_owned(),
        failures: row.int(1).map_err(column)?,
        since: row.time(2).map_err(column)?,
        opened: row.int(3).map_err(column)?,
        open_until: row.opt_time(4).map_err(column)?,
        detail: row.text(5).map_err(column)?.to_owned(),
        why: Listed::named(row.text(6).map_err(column)?),
    })
}

/// The breaker of a provider; `None` when the provider is healthy.
pub fn of_provider(workspace: WorkspaceId, provider: &str) -> Query<Breaker> {
    Query {
        db: Db::Agent,
        sql: "SELECT provider, failures, since, opened, open_until, detail, why FROM breakers
              WHERE ws = ?1 AND provider = ?2",
        params: params_values![ws(workspace), provider],
        decode,
    }
}

/// The breakers that hold a model: that of its provider, and its own.
pub fn of_model(workspace: WorkspaceId, provider: &str, model: &str) -> Query<Breaker> {
    Query {
        db: Db::Agent,
        sql: "SELECT provider, failures, since, opened, open_until, detail, why FROM breakers
              WHERE ws = ?1 AND provider IN (?2, ?3) ORDER BY provider",
        params: params_values![ws(workspace), provider, model],
        decode,
    }
}

/// All breakers of a workspace.
pub fn all(workspace: WorkspaceId) -> Query<Breaker> {
    Query {
        db: Db::Agent,
        sql: "SELECT provider, failures, since, opened, open_until, detail, why FROM breakers
              WHERE ws = ?1 ORDER BY provider",
        params: params_values![ws(workspace)],
        decode,
    }
}
