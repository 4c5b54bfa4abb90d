//! No call without a reservation of its own, and no account beyond its budget.

use dormouse_store::{Commit, Db, Param, Row, Value};
use dormouse_types::model::Request;
use dormouse_types::model_settings::ModelSettings;
use dormouse_types::spend::{Budgets, OverBudget, Unit, reservation};

use crate::locks::lock;
use crate::sim_state::SimState;
use crate::terms::{MOST_OUTPUT, Place};

fn text(row: &Row, at: usize) -> String {
    row.text(at).unwrap_or_default().to_owned()
}

fn number(row: &Row, at: usize) -> i64 {
    row.int(at).unwrap_or(0)
}

/// The switching off of paid calls was acknowledged.
pub(crate) fn note_paid_calls_off(sim: &SimState) {
    let sql = "SELECT paid_calls FROM model_settings WHERE ws = 1";
    // Somebody else may have switched them on again before the answer came.
    if sim.number(Db::Agent, sql, Vec::new()) == 0 {
        let moment = sim.moment();
        lock(&sim.oracle).spent.is_off = Some(moment);
    }
}

/// What is wrong with a call that is made.
pub(crate) fn check_request(sim: &SimState, request: &Request, body: &str) -> Vec<String> {
    if sim.terms.place == Place::BuiltIn {
        return Vec::new();
    }
    let (run, turn) = (request.run_key.to_string(), request.turn);
    let sql = "SELECT reserved, cost IS NULL FROM model_calls
               WHERE ws = 1 AND run_key = ?1 AND turn = ?2 ORDER BY attempt";
    let params = || vec![run.as_str().into(), Value::Int(i64::from(turn))];
    let calls = sim.rows(Db::Agent, sql, params());
    let (times, is_off, reserved_at) = {
        let oracle = lock(&sim.oracle);
        let times = oracle.turns.requests.get(&(run.clone(), turn)).copied().unwrap_or(0);
        let reserved_at = oracle.spent.reserved_at.get(&run).copied();
        (times, oracle.spent.is_off, reserved_at)
    };
    let mut wrong = Vec::new();
    if i64::try_from(calls.len()).unwrap_or(0) < times {
        wrong.push(format!(
            "spend: turn {turn} of run {run} is requested {times} times, and has {} rows",
            calls.len()
        ));
    }
    if sim.terms.place != Place::Provider {
        return wrong;
    }
    let bytes = u64::try_from(body.len()).unwrap_or(u64::MAX);
    let most = reservation(sim.terms.price.as_ref(), bytes, MOST_OUTPUT).value;
    if calls.last().is_some_and(|call| number(call, 0) < most) {
        wrong.push(format!("spend: turn {turn} of run {run} may cost {most}, and reserved less"));
    }
    if is_off.is_some_and(|off| reserved_at.is_none_or(|reserved| reserved > off)) {
        wrong.push(format!(
            "spend: turn {turn} of run {run} was reserved after paid calls were switched off"
        ));
    }
    wrong
}

/// Looks at what a commit left of the accounts.
pub(crate) fn applied(sim: &SimState, commit: &Commit) {
    let names = |table| commit.ops.iter().any(|op| op.sql.contains(table));
    if names("model_settings") && commit.label == "models.edit" {
        settings(sim);
    }
    if !names("model_calls") && !names("spend") {
        return;
    }
    let reserves = (commit.label == "run.reserve").then(|| holder(commit)).flatten();
    if let Some(agent) = reserves {
        sim.count("reserved call");
        let moment = sim.moment();
        if let Some(run) = sim.run_of(agent) {
            lock(&sim.oracle).spent.reserved_at.insert(run, moment);
        }
        let sql = "SELECT MAX(reserved) FROM model_calls WHERE ws = 1";
        let largest = sim.number(Db::Agent, sql, Vec::new());
        lock(&sim.oracle).spent.largest = largest;
    }
    accounts(sim, commit.label, reserves);
}

/// The agent whose lease guards a commit.
fn holder(commit: &Commit) -> Option<&str> {
    match commit.ops.first()?.params.get(1) {
        Some(Param::Value(Value::Text(agent))) => Some(agent),
        _ => None,
    }
}

/// Takes note of the settings as they are now.
fn settings(sim: &SimState) {
    let rows = sim.rows(Db::Agent, "SELECT doc FROM model_settings WHERE ws = 1", Vec::new());
    let doc = rows.first().and_then(|row| row.text(0).ok()).unwrap_or_default();
    let Ok(settings) = serde_json::from_str::<ModelSettings>(doc) else { return };
    let spent = &mut lock(&sim.oracle).spent;
    let now = settings.budgets;
    let before = spent.budgets.unwrap_or(now);
    spent.budgets = Some(Budgets {
        workspace_day: before.workspace_day.max(now.workspace_day),
        agent_day: before.agent_day.max(now.agent_day),
        wake: before.wake.max(now.wake),
        unpriced_day: before.unpriced_day.max(now.unpriced_day),
    });
    if settings.paid_calls {
        spent.is_off = None;
    }
}

/// Each account holds what its calls come to, and that is within its budget: when a call is reserved
/// to the last cent, and by no more than one call when one cost more than was reserved.
fn accounts(sim: &SimState, label: &str, reserves: Option<&str>) {
    let sql = "SELECT scope, day, unit, reserved, spent, extra FROM spend WHERE ws = 1
               ORDER BY scope, day, unit";
    let (budgets, largest) = {
        let spent = &lock(&sim.oracle).spent;
        (spent.budgets, spent.largest)
    };
    for account in sim.rows(Db::Agent, sql, Vec::new()) {
        let (scope, unit) = (text(&account, 0), text(&account, 2));
        let sql = "SELECT COALESCE(SUM(COALESCE(cost, reserved)), 0) FROM model_calls
                   WHERE ws = 1 AND day = ?1 AND unit = ?2
                     AND (?3 = 'workspace' OR holder = ?3)";
        let params = [1, 2, 0].map(|at| Value::Text(text(&account, at)));
        let called = sim.number(Db::Agent, sql, params.into());
        let (reserved, spent) = (number(&account, 3), number(&account, 4));
        if reserved < 0 || reserved + spent != called {
            sim.report_violation(format!(
                "spend: after {label} {scope} holds {reserved} and {spent}, and its calls come to {called}"
            ));
        }
        let is_money = unit == Unit::MicroDollars.name();
        let unit = if is_money { Unit::MicroDollars } else { Unit::Tokens };
        let of = if scope == "workspace" { OverBudget::Workspace } else { OverBudget::Agent };
        let Some(limit) = budgets.and_then(|budgets| budgets.limit(of, unit)) else { continue };
        let beyond = called - limit - number(&account, 5);
        // An account that is reserved in has room for the call, whatever came before.
        let is_reserved_in = reserves.is_some_and(|agent| scope == "workspace" || scope == agent);
        let most = if is_reserved_in { 0 } else { largest };
        if beyond > most {
            sim.report_violation(format!(
                "spend: after {label} {scope} is {beyond} beyond its budget of {limit}"
            ));
        }
    }
}

/// How often budgets mattered, once nothing is due any more.
pub(crate) fn inspect(sim: &SimState) {
    let sql = "SELECT COUNT(*) FROM spend WHERE ws = 1 AND (held_at IS NOT NULL OR extra > 0)";
    for _ in 0..sim.number(Db::Agent, sql, Vec::new()) {
        sim.count("budget used up");
    }
}
