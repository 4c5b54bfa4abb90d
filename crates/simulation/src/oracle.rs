//! What must hold at every commit and at every question to a model.
//!
//! The oracle sits between the faults and the store. It reads what a commit claims (its label,
//! its guard, its fence) and what the rows say, in the one moment in which the commit is applied.

use std::time::Duration;

use dormouse_store::{Commit, Db, Op, Param, Value};
use dormouse_types::audit::AuditAction;
use dormouse_types::change::What;
use dormouse_types::field_change::FieldRef;
use dormouse_types::model::Request;
use dormouse_types::port::Clock as _;
use dormouse_types::{Id as _, Origin, Timestamp, limits};

use crate::locks::lock;
use crate::oracle_memory::Ask;
use crate::sim_state::SimState;
use crate::{fold_oracle, heard, marks, spend_oracle, turn_oracle, work_watch};

/// Commits that only the owner of a lease may make.
const GUARDED: [&str; 11] = [
    "run.request",
    "run.turn",
    "run.effect",
    "run.final",
    "run.skip",
    "run.fail",
    "run.putBack",
    "run.beat",
    "run.renew",
    "run.fold",
    "run.reserve",
];

fn text(op: &Op, at: usize) -> &str {
    match op.params.get(at) {
        Some(Param::Value(Value::Text(text))) => text,
        _ => "",
    }
}

fn int(op: &Op, at: usize) -> i64 {
    match op.params.get(at) {
        Some(Param::Value(Value::Int(number))) => *number,
        _ => 0,
    }
}

/// Agent, owner and epoch of the lease that guards a commit.
fn guard(commit: &Commit) -> Option<(&str, &str, i64)> {
    let first = commit.ops.first()?;
    let is_guard = first.sql.starts_with("UPDATE wake_queue SET expires_at");
    is_guard.then(|| (text(first, 1), text(first, 2), int(first, 3)))
}

/// Agent and epoch of a claim: the epoch that it makes.
fn claim(commit: &Commit) -> Option<(&str, i64)> {
    let op = commit.ops.iter().find(|op| {
        op.sql.starts_with("UPDATE wake_queue SET owner = ?3") && op.sql.contains("run_key")
    })?;
    Some((text(op, 1), int(op, 3) + 1))
}

/// A commit in a few words.
pub(crate) fn brief(commit: &Commit) -> String {
    let about = match (guard(commit), claim(commit)) {
        (Some((agent, _, epoch)), _) | (None, Some((agent, epoch))) => {
            format!(" {} epoch {epoch}", short(agent))
        }
        (None, None) => {
            let subject = commit.changes.first().map(|change| match &change.subject {
                Some(subject) => subject.clone(),
                None => change.touched.iter().map(|task| task.short().to_owned()).collect(),
            });
            subject.map(|subject| format!(" {}", short(&subject))).unwrap_or_default()
        }
    };
    let once =
        commit.once.as_ref().map(|once| format!(" once {}", &once.id[..once.id.len().min(8)]));
    format!("{}{about}{}", commit.label, once.unwrap_or_default())
}

fn short(id: &str) -> &str {
    &id[id.len().saturating_sub(5)..]
}

/// What would be wrong if a commit were applied now.
pub(crate) fn suspicions(sim: &SimState, owner: &str, commit: &Commit) -> Vec<String> {
    let mut wrong = Vec::new();
    let label = commit.label;
    marks::before(sim, commit);
    if GUARDED.contains(&label) {
        match guard(commit) {
            None => wrong.push(format!("{label} is not guarded by a lease")),
            Some((agent, holder, epoch)) => {
                let sql = "SELECT owner, epoch FROM wake_queue WHERE agent_id = ?1";
                let rows = sim.rows(Db::Agent, sql, vec![agent.into()]);
                let held = rows.first().and_then(|row| Some((row.text(0).ok()?, row.int(1).ok()?)));
                if held != Some((holder, epoch)) || holder != owner {
                    wrong.push(format!(
                        "epoch: {label} of {owner} with epoch {epoch} was applied while {} is held by {held:?}",
                        short(agent)
                    ));
                }
                let last = lock(&sim.oracle).epochs.get(agent).copied().unwrap_or(0);
                if epoch < last {
                    wrong.push(format!("epoch: {label} with epoch {epoch} after one with {last}"));
                }
            }
        }
    }
    if commit.db == Db::Journal {
        wrong.extend(journal(sim, commit));
    }
    wrong.extend(turn_oracle::misplaced(commit));
    let confirms = |audit: &&dormouse_store::Audit| audit.action == AuditAction::ChangeConfirm;
    if let Some(audit) = commit.audit.iter().find(confirms) {
        let sql = "SELECT COALESCE(MAX(shown_at), 0) FROM change_items
                   WHERE ws = 1 AND set_id || ':' || item_index = ?1";
        let shown = sim.number(Db::Agent, sql, vec![audit.object.as_str().into()]);
        let age = Duration::from_secs(limits::PROPOSAL_AGE_SECONDS);
        let paused = paused_since(sim, &audit.object, Timestamp::from_micros(shown));
        let over = Timestamp::from_micros(shown) + age + paused;
        if shown > 0 && over <= sim.clock.now() {
            wrong.push(format!("expiry: {} was confirmed, it expired at {over}", audit.object));
        }
    }
    wrong
}

/// How long the task of an item was closed or deleted since a time.
fn paused_since(sim: &SimState, item: &str, from: Timestamp) -> Duration {
    let sql = "SELECT task_id FROM change_items WHERE ws = 1 AND set_id || ':' || item_index = ?1";
    let rows = sim.rows(Db::Agent, sql, vec![item.into()]);
    let Some(task) = rows.first().and_then(|row| row.text(0).ok()) else { return Duration::ZERO };
    let sql = "SELECT serialized FROM journal WHERE ws = 1 AND type = 'task' AND id = ?1";
    let rows = sim.rows(Db::Journal, sql, vec![task.into()]);
    let task = rows.first().and_then(|row| serde_json::from_str(row.text(0).ok()?).ok());
    task.map_or(Duration::ZERO, |task| {
        dormouse_journal::review_state::paused_between(&task, from, sim.clock.now())
    })
}

fn journal(sim: &SimState, commit: &Commit) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(once) = &commit.once
        && lock(&sim.oracle).operations.contains(&once.id)
    {
        wrong.push(format!("twice: operation {} wrote the journal again", once.id));
    }
    let Some(change) = commit.changes.first() else { return wrong };
    match &change.origin {
        Origin::Agent { agent } => {
            let language = |what: &What| matches!(what, What::FieldSet(change) if change.field == FieldRef::Language);
            if !change.what.iter().all(language) {
                wrong.push(format!("undecided: agent {agent} wrote {:?} by itself", change.what));
            }
            let fence = commit.ops.iter().find(|op| op.sql.starts_with("UPDATE fence SET epoch"));
            match fence {
                None => wrong.push(format!("epoch: {} of an agent passes no fence", commit.label)),
                Some(fence) => {
                    let (holder, epoch) = (text(fence, 1), int(fence, 2));
                    let newest = lock(&sim.oracle).claimed.get(holder).copied().unwrap_or(0);
                    if newest > epoch {
                        wrong.push(format!(
                            "epoch: the journal was written with epoch {epoch} after a claim with {newest}"
                        ));
                    }
                }
            }
        }
        Origin::Person { via: Some(agent) } => {
            let id = commit.once.as_ref().map(|once| once.id.as_str()).unwrap_or_default();
            let sql = "SELECT COUNT(*) FROM saga_log WHERE ws = 1 AND operation_id = ?1
                       AND status = 'pending'";
            if sim.number(Db::Agent, sql, vec![id.into()]) != 1 {
                wrong.push(format!(
                    "undecided: what {agent} proposed was applied with no open saga"
                ));
            }
        }
        Origin::Work { .. } | Origin::Person { via: None } | Origin::Import | Origin::Unknown => {}
    }
    wrong
}

/// Takes note of a commit that was applied, and looks at what it left.
pub(crate) fn saw(sim: &SimState, owner: &str, commit: &Commit) {
    let label = commit.label;
    {
        let mut oracle = lock(&sim.oracle);
        if let Some((agent, _, epoch)) = guard(commit) {
            oracle.epochs.insert(agent.to_owned(), epoch);
        }
        if let Some((agent, epoch)) = claim(commit) {
            oracle.claimed.insert(agent.to_owned(), epoch);
        }
        if let (Db::Journal, Some(once)) = (commit.db, &commit.once) {
            oracle.operations.insert(once.id.clone());
        }
        if label == "run.request"
            && let Some((_, _, epoch)) = guard(commit)
            && let Some(op) = commit.ops.iter().find(|op| op.sql.contains("wake_requests"))
        {
            let at = sim.moment();
            oracle.requests.insert((owner.to_owned(), text(op, 1).to_owned()), (epoch, at));
        }
    }
    if let Some((agent, epoch)) = claim(commit)
        && commit.db == Db::Agent
    {
        holds(sim, owner, agent, epoch);
    }
    if let (Some((agent, _, epoch)), "run.fold") = (guard(commit), label) {
        holds(sim, owner, agent, epoch);
    }
    sim.count(label);
    let guarded = guard(commit).map(|(holder, ..)| holder);
    work_watch::saw(sim, owner, commit, claim(commit).map(|(holder, _)| holder), guarded);
    if label == "run.takeover" {
        let by = commit.ops.first().and_then(|op| op.params.get(4));
        let by_expiry = matches!(by, Some(Param::Now));
        sim.count(if by_expiry { "takeover by expiry" } else { "takeover at a start" });
    }
    if commit.db == Db::Journal {
        same_instant(sim, commit);
        return;
    }
    marks::after(sim, commit);
    let subject = commit.changes.first().and_then(|change| change.subject.clone());
    if let (true, Some(agent)) = (label.starts_with("agent.change"), &subject)
        && ["created", "active"].contains(&sim.lifecycle(agent).as_str())
    {
        lock(&sim.oracle).held.remove(agent);
    }
    if label == "wake.cancel"
        && let Some(agent) = subject
    {
        let sql = "SELECT seq FROM feed_position WHERE ws = 1";
        let routed = sim.number(Db::Agent, sql, Vec::new());
        heard::moved(sim, &agent, true);
        lock(&sim.oracle).cancelled.insert(agent, routed);
    }
    if label == "run.cancel"
        && let Some(agent) = commit.audit.first().map(|line| line.object.clone())
    {
        let sql = "SELECT seq FROM feed_position WHERE ws = 1";
        let routed = sim.number(Db::Agent, sql, Vec::new());
        heard::waits(sim, &agent);
        lock(&sim.oracle).cancelled.insert(agent, routed);
    }
    if label.starts_with("run.") || label == "wake.cancel" {
        let sql = "SELECT COUNT(*) FROM wake_run_log r WHERE r.ws = 1 AND r.status = 'started'
                   AND NOT EXISTS (SELECT 1 FROM wake_queue q WHERE q.ws = 1
                     AND q.agent_id = r.agent_id AND q.run_key = r.run_key AND q.owner IS NOT NULL)";
        if sim.number(Db::Agent, sql, Vec::new()) > 0 {
            sim.report_violation(format!(
                "lease: after {label} a run is started and nobody holds its lease"
            ));
        }
    }
    spend_oracle::applied(sim, commit);
    if label == "run.final" {
        heads(sim);
    }
    if let Some((agent, _, _)) = guard(commit) {
        match label {
            "run.turn" => turn_oracle::recorded(sim, agent),
            "run.fold" => fold_oracle::folded(sim, agent, commit),
            _ => {}
        }
    }
    if let (Some((agent, _, _)), "run.final" | "run.skip") = (guard(commit), label) {
        heard::moved(sim, agent, false);
    }
}

/// Notes that a process holds the run of an agent now.
fn holds(sim: &SimState, owner: &str, agent: &str, epoch: i64) {
    if let Some(run) = sim.run_of(agent) {
        let at = sim.moment();
        lock(&sim.oracle).holds.insert((owner.to_owned(), run), (epoch, at));
    }
}

/// Every head points to a report of the same agent that a completed run published.
pub(crate) fn heads(sim: &SimState) {
    let sql = "SELECT COUNT(*) FROM agent_entities h WHERE h.ws = 1 AND h.type = 'agentReportHead'
               AND NOT EXISTS (SELECT 1 FROM agent_entities r JOIN wake_run_log w
                 ON w.ws = 1 AND w.run_key = json_extract(r.serialized, '$.provenance.runKey')
                 WHERE r.ws = 1 AND r.id = json_extract(h.serialized, '$.reportId')
                 AND r.type = 'agentReport' AND r.agent_id = h.agent_id AND r.subtype = h.subtype
                 AND w.agent_id = h.agent_id AND w.status = 'completed')";
    if sim.number(Db::Agent, sql, Vec::new()) > 0 {
        sim.report_violation("head: a report head points to no report of a completed run");
    }
}

/// Counts instants in which an agent and a person wrote to the same task.
fn same_instant(sim: &SimState, commit: &Commit) {
    let Some(change) = commit.changes.first() else { return };
    let by_agent = matches!(change.origin, Origin::Agent { .. });
    let at = sim.clock.now().micros();
    for task in &change.touched {
        let both = {
            let mut oracle = lock(&sim.oracle);
            let known = oracle.writes.entry((task.to_string(), at)).or_default();
            let before = *known;
            *known = (before.0 || by_agent, before.1 || !by_agent);
            before != (true, true) && *known == (true, true)
        };
        if both {
            sim.count("agent and person in one instant");
        }
    }
}

/// A pause or the end of an agent was acknowledged.
pub(crate) fn note_held(sim: &SimState, agent: &str) {
    // Somebody else may have resumed it before the answer came.
    if ["dormant", "destroyed"].contains(&sim.lifecycle(agent).as_str()) {
        let moment = sim.moment();
        lock(&sim.oracle).held.insert(agent.to_owned(), moment);
    }
}

/// The writing of a text on a task was acknowledged.
pub(crate) fn note_written(sim: &SimState, task: &str, text: &str) {
    sim.count("acknowledged edit");
    lock(&sim.oracle).acknowledged.push((task.to_owned(), text.to_owned()));
}

/// A question is under way until this is let go of.
pub(crate) struct Asking {
    sim: std::sync::Arc<SimState>,
    number: u64,
}

impl Drop for Asking {
    fn drop(&mut self) {
        let number = self.number;
        lock(&self.sim.oracle).asks.retain(|ask| ask.number != number);
    }
}

pub(crate) fn model_called(
    sim: &std::sync::Arc<SimState>,
    owner: &str,
    request: &Request,
    body: &str,
) -> Asking {
    let run = request.run_key.as_str();
    sim.count("question");
    let sql = "SELECT r.agent_id, q.owner, q.epoch FROM wake_run_log r
               JOIN wake_queue q ON q.ws = 1 AND q.agent_id = r.agent_id
               WHERE r.ws = 1 AND r.run_key = ?1";
    let rows = sim.rows(Db::Agent, sql, vec![run.into()]);
    let agent = rows.first().and_then(|row| row.text(0).ok()).unwrap_or_default().to_owned();
    let holder = rows.first().and_then(|row| row.text(1).ok()).unwrap_or_default().to_owned();
    let current = rows.first().and_then(|row| row.int(2).ok()).unwrap_or(0);
    sim.trace(format_args!("{owner} asks turn {} for {}", request.turn, short(&agent)));
    let mut oracle = lock(&sim.oracle);
    let key = (owner.to_owned(), run.to_owned());
    // What folds a log is no turn, and no request of it is recorded.
    let recorded = match request.turn {
        0 => oracle.holds.get(&key).copied(),
        _ => oracle.requests.get(&key).copied(),
    };
    let held = oracle.held.get(&agent).copied();
    let may_commit = |owner: &str, epoch: i64| owner == holder && epoch == current;
    let mut wrong = Vec::new();
    match recorded {
        None => wrong.push(format!("request: {owner} asks what it never recorded")),
        Some((epoch, at)) => {
            if held.is_some_and(|held| held < at) {
                wrong.push(format!(
                    "held: a model is called for {}, which a person saw at rest",
                    short(&agent)
                ));
            }
            let rival = oracle.asks.iter().find(|ask| {
                ask.agent == agent && may_commit(&ask.owner, ask.epoch) && may_commit(owner, epoch)
            });
            if let Some(rival) = rival {
                wrong.push(format!(
                    "single flight: {owner} and {} ask for {} at once, and both may commit ({run}, {})",
                    rival.owner,
                    short(&agent),
                    rival.run
                ));
            }
        }
    }
    oracle.n_asks += 1;
    let number = oracle.n_asks;
    let (owner, run) = (owner.to_owned(), run.to_owned());
    let epoch = recorded.map_or(-1, |(epoch, _)| epoch);
    let may_commit = may_commit(&owner, epoch);
    oracle.asks.push(Ask { number, agent: agent.clone(), owner, run, epoch });
    drop(oracle);
    wrong.extend(turn_oracle::check_request(sim, request));
    wrong.extend(spend_oracle::check_request(sim, request, body));
    if may_commit {
        wrong.extend(fold_oracle::check_request(sim, &agent, request));
    }
    wrong.into_iter().for_each(|line| sim.report_violation(line));
    Asking { sim: sim.clone(), number }
}
