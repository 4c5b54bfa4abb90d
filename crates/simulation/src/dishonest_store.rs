//! A store that breaks one of its promises: what a play must notice.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use dormouse_store::{Backend as _, Commit, CommitError, Committed, Db, Op, Param, Row, Value};
use futures_util::future::FutureExt as _;

use crate::locks::lock;
use crate::mutation::Mutation;
use crate::sim_state::SimState;

/// Applies a commit to the store of a play, as far as it is honest.
pub(crate) fn apply(sim: &SimState, mut commit: Commit) -> Result<Committed, CommitError> {
    match sim.mutation {
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
        Some(Mutation::Budget) => budget_as_of_the_claim(sim, &mut commit),
        Some(Mutation::Opaque) => {
            commit.ops.retain(|op| !op.sql.starts_with("INSERT INTO provider_states"));
        }
        Some(Mutation::Fold) => {
            let is_insert = |op: &&mut Op| op.sql.starts_with("INSERT INTO checkpoints");
            if let Some(op) = commit.ops.iter_mut().find(is_insert)
                && let Some(Param::Value(Value::Int(upto))) = op.params.get_mut(8)
            {
                *upto += 1;
            }
        }
        Some(
            Mutation::Receipts
            | Mutation::Feed
            | Mutation::Marks
            | Mutation::Back
            | Mutation::Turns,
        )
        | None => {}
    }
    applied(sim, commit)
}

/// Reserves whatever fitted when the run was claimed.
fn budget_as_of_the_claim(sim: &SimState, commit: &mut Commit) {
    let text = |op: &Op, at: usize| match op.params.get(at) {
        Some(Param::Value(Value::Text(text))) => text.clone(),
        _ => String::new(),
    };
    let int = |op: &Op, at: usize| match op.params.get(at) {
        Some(Param::Value(Value::Int(number))) => *number,
        _ => 0,
    };
    let used = |scope: &str| {
        let sql = "SELECT COALESCE(SUM(reserved + spent - extra), 0) FROM spend
                   WHERE ws = 1 AND scope = ?1 AND day = (SELECT MAX(day) FROM spend WHERE ws = 1)";
        sim.number(Db::Agent, sql, vec![scope.into()])
    };
    let Some(first) = commit.ops.first() else { return };
    let agent = text(first, 1);
    if commit.label == "run.claim" {
        let agents = commit.ops.iter().filter(|op| op.sql.contains("wake_queue"));
        for agent in agents.map(|op| text(op, 1)) {
            let balances =
                [agent.as_str(), "workspace"].map(|scope| (scope.to_owned(), used(scope)));
            for (scope, balance) in balances {
                lock(&sim.stale).insert((agent.clone(), scope), balance);
            }
        }
    }
    if commit.label == "run.reserve" {
        for op in &mut commit.ops {
            let (scope, amount, limit) = (text(op, 1), int(op, 4), int(op, 5));
            let known = lock(&sim.stale).get(&(agent.clone(), scope)).copied().unwrap_or(0);
            if known <= limit - amount {
                let room = "<= CAST(?6 AS BIGINT) - excluded.reserved";
                op.sql = rewritten(op.sql, room, "+ CAST(?6 AS BIGINT) IS NOT NULL");
            }
        }
    }
}

fn applied(sim: &SimState, commit: Commit) -> Result<Committed, CommitError> {
    let label = commit.label;
    sim.sqlite.commit(commit).now_or_never().unwrap_or_else(|| {
        let detail = "a store in memory answers at once".into();
        Err(CommitError::Unknown { label, detail })
    })
}

/// What a store tells that does not let proposals grow old, or forgets the turns of a run.
pub(crate) fn rewrite(sim: &SimState, sql: &'static str, rows: &mut Vec<Row>) {
    if sim.mutation == Some(Mutation::Turns) && sql.contains("AND thread_id = ?2 AND type") {
        rows.clear();
    }
    if sim.mutation == Some(Mutation::Expiry) && sql.contains("FROM change_items") {
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
