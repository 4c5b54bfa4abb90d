//! A store that breaks one of its promises: what a play must notice.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use dormouse_store::{Backend as _, Commit, CommitError, Committed, Db, Op, Param, Row, Value};
use futures_util::future::FutureExt as _;

use crate::sim_state::{SimState, lock};

/// A promise that the store of a play does not keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// Nobody's epoch is looked at: neither the lease's nor the fence's.
    Epoch,
    /// The journal keeps no receipts.
    Receipts,
    /// Proposals never grow old.
    Expiry,
    /// The feed position moves on before the signals are written.
    Feed,
    /// A claim says that its run hears more than has been said.
    Words,
    /// A change marks every agent, not only those that it concerns.
    Marks,
    /// The feed position goes back now and then.
    Back,
}

/// Applies a commit to the store of a play, as far as it is honest.
pub(crate) fn apply(sim: &SimState, mut commit: Commit) -> Result<Committed, CommitError> {
    match sim.sabotage {
        Some(Mutation::Epoch) => {
            for op in &mut commit.ops {
                op.sql = rewritten(op.sql, "owner = ?3 AND epoch = ?4", "?3 = ?3 AND ?4 = ?4");
                op.sql = rewritten(op.sql, "AND epoch <= ?3", "AND ?3 = ?3");
            }
        }
        Some(Mutation::Receipts) if commit.db == Db::Journal => commit.once = None,
        Some(Mutation::Expiry) => {
            if commit.label == "change.expire" {
                let detail = "no expiry".into();
                return Err(CommitError::Broken { label: commit.label, db: "agent", detail });
            }
            for op in &mut commit.ops {
                let age = "shown_at + CAST(?11 AS BIGINT) > CAST(?12 AS BIGINT)";
                op.sql = rewritten(op.sql, age, "?12 = ?12");
            }
        }
        Some(Mutation::Feed) if commit.label == "wake.route" && commit.ops.len() > 1 => {
            let rest = commit.ops.split_off(1);
            let mut first = commit.clone();
            first.changes.clear();
            first.audit.clear();
            commit.ops = rest;
            let first = applied(sim, first)?;
            // The second half of the commit is lost now and then.
            if sim.draw(|chance| chance.one_in(4)) {
                return Ok(first);
            }
        }
        Some(Mutation::Words) => {
            for op in commit.ops.iter_mut().filter(|op| op.sql.contains("INTO wake_run_log")) {
                if let Some(Param::Value(Value::Int(upto))) = op.params.get_mut(11) {
                    *upto += 20;
                }
            }
        }
        Some(Mutation::Marks) if commit.label == "wake.route" => {
            for op in &mut commit.ops {
                op.sql = rewritten(op.sql, "AND agent_id = ?2", "AND ?2 = ?2");
            }
        }
        Some(Mutation::Back) if commit.label == "wake.route" => {
            if sim.draw(|chance| chance.one_in(4)) {
                let sql = "UPDATE feed_position SET seq = seq - 9 WHERE ws = ?1 AND seq > 9";
                commit.ops.push(Op::any(sql, vec![Param::Value(Value::Int(commit.ws.0))]));
            }
        }
        Some(Mutation::Receipts | Mutation::Feed | Mutation::Marks | Mutation::Back) | None => {}
    }
    applied(sim, commit)
}

fn applied(sim: &SimState, commit: Commit) -> Result<Committed, CommitError> {
    let label = commit.label;
    sim.sqlite.commit(commit).now_or_never().unwrap_or_else(|| {
        let detail = "a store in memory answers at once".into();
        Err(CommitError::Unknown { label, detail })
    })
}

/// What a store tells that does not let proposals grow old.
pub(crate) fn rewrite(sim: &SimState, sql: &'static str, rows: &mut [Row]) {
    if sim.sabotage == Some(Mutation::Expiry) && sql.contains("FROM change_items") {
        for Row(values) in rows {
            if let Some(Value::Int(shown)) = values.get_mut(14) {
                *shown = shown.saturating_add(365 * 86_400_000_000);
            }
        }
    }
}

/// A statement with a part of it replaced; the same text for the same statement.
fn rewritten(sql: &'static str, from: &str, to: &str) -> &'static str {
    static TEXTS: OnceLock<Mutex<BTreeMap<(&'static str, String), &'static str>>> = OnceLock::new();
    if !sql.contains(from) {
        return sql;
    }
    let mut texts = lock(TEXTS.get_or_init(Mutex::default));
    // There are few statements, and each is leaked once.
    texts.entry((sql, from.to_owned())).or_insert_with(|| sql.replace(from, to).leak())
}
