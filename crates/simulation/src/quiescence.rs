//! What must hold when nothing is due any more.

use std::collections::BTreeMap;

use dormouse_changes::set::rows::operation;
use dormouse_store::{Backend as _, Db, Row, Value};
use dormouse_types::port::ModelClass;
use dormouse_types::{Fingerprint, Timestamp};

use crate::locks::lock;
use crate::sim_state::SimState;
use crate::{fold_oracle, heard, oracle, spend_oracle};

fn text(row: &Row, at: usize) -> String {
    row.text(at).unwrap_or_default().to_owned()
}

fn number(row: &Row, at: usize) -> i64 {
    row.int(at).unwrap_or(0)
}

/// What still waits or is under way; none when everything is at rest.
pub(crate) fn pending_work(sim: &SimState) -> Option<String> {
    let agent = |sql| sim.number(Db::Agent, sql, Vec::new());
    let sql = "SELECT COUNT(*) FROM wake_queue WHERE due_at IS NOT NULL OR owner IS NOT NULL";
    if agent(sql) > 0 {
        return Some("an agent is due or at work".into());
    }
    // A call of a run that waits for its agent to be resumed is finished by that run.
    let sql = "SELECT COUNT(*) FROM saga_log s WHERE s.ws = 1 AND s.status = 'pending'
               AND NOT EXISTS (SELECT 1 FROM wake_run_log r
                 WHERE r.ws = 1 AND r.run_key = s.run_key AND r.status = 'queued')";
    if agent(sql) > 0 {
        return Some("an operation is open".into());
    }
    if agent("SELECT COUNT(*) FROM timers WHERE fired_at IS NULL") > 0 {
        return Some("a timer waits".into());
    }
    let head = "SELECT COALESCE(MAX(seq), 0) FROM change_log WHERE ws = 1";
    let head = sim.number(Db::Journal, head, Vec::new());
    (agent("SELECT COALESCE(MAX(seq), 0) FROM feed_position WHERE ws = 1") < head)
        .then(|| "a change is not routed".into())
}

/// Whether a run is under way.
pub(crate) fn is_busy(sim: &SimState) -> bool {
    let sql = "SELECT COUNT(*) FROM wake_queue WHERE owner IS NOT NULL";
    sim.number(Db::Agent, sql, Vec::new()) > 0
}

/// When the next row comes due.
pub(crate) fn next_due(sim: &SimState) -> Option<Timestamp> {
    let sql = "SELECT MIN(at) FROM (
                 SELECT MIN(due_at) AS at FROM wake_queue WHERE owner IS NULL
                 UNION ALL SELECT MIN(at) FROM timers WHERE fired_at IS NULL)";
    let rows = sim.rows(Db::Agent, sql, Vec::new());
    rows.first().and_then(|row| row.opt_time(0).ok().flatten())
}

/// Looks at everything; notes the first promise that is broken.
pub(crate) fn inspect(sim: &SimState) {
    oracle::heads(sim);
    ended(sim);
    operations(sim);
    effects(sim);
    acknowledged(sim);
    heard::inspect(sim);
    changes(sim);
    asleep(sim);
    fold_oracle::inspect(sim);
    spend_oracle::inspect(sim);
}

/// Nobody sleeps because of a task that is there.
fn asleep(sim: &SimState) {
    let sql = "SELECT s.agent_id, s.task_id FROM subscriptions s JOIN agent_entities a
                 ON a.ws = 1 AND a.id = s.agent_id
               WHERE s.ws = 1 AND json_extract(a.serialized, '$.dormantReason') = 'taskDeleted'
                 AND json_extract(a.serialized, '$.config.automation') <> 'off'";
    for row in sim.rows(Db::Agent, sql, Vec::new()) {
        let (agent, task) = (text(&row, 0), text(&row, 1));
        let sql = "SELECT COUNT(*) FROM journal WHERE ws = 1 AND id = ?1 AND deleted_at IS NULL";
        if sim.number(Db::Journal, sql, vec![Value::Text(task)]) > 0 {
            sim.report_violation(format!(
                "asleep: agent {agent} sleeps for a deleted task that is back"
            ));
        }
    }
}

/// Every run has an end, and nothing is half way.
fn ended(sim: &SimState) {
    let checks = [
        (
            "end: a run is neither completed, skipped, failed nor abandoned",
            "SELECT COUNT(*) FROM wake_run_log WHERE ws = 1 AND status IN ('started', 'queued')
               AND NOT EXISTS (SELECT 1 FROM wake_queue q
                 JOIN agent_entities a ON a.ws = 1 AND a.id = q.agent_id
                 WHERE q.ws = 1 AND q.agent_id = wake_run_log.agent_id
                   AND q.run_key = wake_run_log.run_key AND q.due_at IS NULL
                   AND wake_run_log.status = 'queued'
                   AND json_extract(a.serialized, '$.lifecycle') <> 'destroyed')",
        ),
        (
            "end: an item is half applied",
            "SELECT COUNT(*) FROM change_items WHERE ws = 1 AND state = 'applying'",
        ),
        (
            "end: a set says otherwise than its items",
            "SELECT COUNT(*) FROM change_items i WHERE i.ws = 1 AND NOT EXISTS (
               SELECT 1 FROM agent_entities s WHERE s.ws = 1 AND s.id = i.set_id)",
        ),
    ];
    for (what, sql) in checks {
        let n = sim.number(Db::Agent, sql, Vec::new());
        if n > 0 {
            sim.report_violation(format!("{what} ({n})"));
        }
    }
    // A run that waits belongs to an agent that may not run.
    let sql = "SELECT q.agent_id FROM wake_queue q WHERE q.ws = 1 AND q.run_key IS NOT NULL";
    for row in sim.rows(Db::Agent, sql, Vec::new()) {
        let agent = text(&row, 0);
        if is_automatic(sim, &agent) {
            sim.report_violation(format!(
                "end: the run of agent {agent} waits and nobody resumes it"
            ));
        }
    }
}

/// Receipts and items agree.
fn operations(sim: &SimState) {
    let sql = "SELECT set_id || ':' || item_index, state, operation_id, error FROM change_items
               WHERE ws = 1 ORDER BY set_id, item_index";
    for row in sim.rows(Db::Agent, sql, Vec::new()) {
        let (item, state, operation) = (text(&row, 0), text(&row, 1), text(&row, 2));
        let sql = "SELECT COUNT(*) FROM applied_operations WHERE ws = 1 AND id = ?1";
        let applied = sim.number(Db::Journal, sql, vec![Value::Text(operation)]);
        let wrong = match state.as_str() {
            "confirmed" => applied != 1,
            // "Proposed again": it was applied, undone, and has ended.
            "retracted" => {
                applied != 0 && {
                    !matches!(row.text(3), Ok("proposed again" | "a newer proposal is open"))
                }
            }
            _ => applied != 0,
        };
        if wrong {
            sim.report_violation(format!(
                "receipt: item {item} is {state}, and has {applied} receipts"
            ));
        }
    }
}

/// Each item that was confirmed is on the task as often as it was applied.
fn effects(sim: &SimState) {
    let sql = "SELECT json_extract(i.args, '$.title'), json_extract(s.serialized, '$.runKey'),
                 i.fingerprint, i.round
               FROM change_items i JOIN agent_entities s ON s.ws = 1 AND s.id = i.set_id
               WHERE i.ws = 1 AND i.tool = 'add_checklist_item' ORDER BY i.set_id, i.item_index";
    let mut applied: BTreeMap<String, i64> = BTreeMap::new();
    for row in sim.rows(Db::Agent, sql, Vec::new()) {
        let count = applied.entry(text(&row, 0)).or_default();
        for round in 0..=number(&row, 3) {
            let id = operation(&text(&row, 1), &Fingerprint(text(&row, 2)), round);
            let sql = "SELECT COUNT(*) FROM applied_operations WHERE ws = 1 AND id = ?1";
            *count += sim.number(Db::Journal, sql, vec![Value::Text(id.0)]);
        }
    }
    for (title, expected) in applied {
        let sql = "SELECT COUNT(*) FROM change_log, json_each(change_log.what) one
                   WHERE change_log.ws = 1 AND json_extract(one.value, '$.what') = 'itemAdded'
                     AND json_extract(one.value, '$.title') = ?1";
        let found = sim.number(Db::Journal, sql, vec![Value::Text(title.clone())]);
        if found != expected {
            sim.report_violation(format!(
                "twice: {title:?} was applied {expected} times and added {found} times"
            ));
        }
        for _ in 0..expected {
            sim.count("applied item");
        }
    }
}

/// A text whose writing was acknowledged exists exactly once.
fn acknowledged(sim: &SimState) {
    let acknowledged = lock(&sim.oracle).acknowledged.clone();
    for (kind, words) in acknowledged {
        let sql = match kind.as_str() {
            "title" => {
                "SELECT COUNT(*) FROM change_log, json_each(change_log.what) one
                 WHERE change_log.ws = 1 AND json_extract(one.value, '$.what') = 'fieldSet'
                   AND json_extract(one.value, '$.to.text') = ?1"
            }
            "entry" => {
                "SELECT COUNT(*) FROM journal WHERE ws = 1 AND type = 'entry'
                   AND instr(serialized, ?1) > 0"
            }
            _ => {
                "SELECT COUNT(*) FROM journal WHERE ws = 1 AND type = 'checklistItem'
                   AND json_extract(serialized, '$.title') = ?1"
            }
        };
        let found = sim.number(Db::Journal, sql, vec![Value::Text(words.clone())]);
        if found != 1 {
            sim.report_violation(format!(
                "edit: {kind} {words:?} was acknowledged and is there {found} times"
            ));
        }
    }
}

/// Whether changes wake an agent by themselves, by its rows.
pub(crate) fn is_automatic(sim: &SimState, agent: &str) -> bool {
    let sql = "SELECT json_extract(serialized, '$.lifecycle'),
                 COALESCE(json_extract(serialized, '$.config.automation'), 'auto'),
                 COALESCE(json_extract(serialized, '$.config.byName'), 0)
               FROM agent_entities WHERE ws = 1 AND id = ?1";
    let rows = sim.rows(Db::Agent, sql, vec![agent.into()]);
    let Some(row) = rows.first() else { return false };
    let alive = ["created", "active"].contains(&text(row, 0).as_str());
    let on = match text(row, 1).as_str() {
        "on" => true,
        "off" => false,
        _ => sim.terms.class() == ModelClass::Free || number(row, 2) == 1,
    };
    alive && on
}

/// Every change was seen by a run of each agent that it concerns.
fn changes(sim: &SimState) {
    let host = sim.sqlite.host(Db::Journal);
    let sql = "SELECT s.agent_id, s.task_id,
                 COALESCE((SELECT json_extract(st.serialized, '$.processedCounterByHost.\"' || ?1 || '\"')
                   FROM agent_entities a JOIN agent_entities st ON st.ws = 1
                     AND st.id = json_extract(a.serialized, '$.currentStateId')
                   WHERE a.ws = 1 AND a.id = s.agent_id), 0)
               FROM subscriptions s WHERE s.ws = 1 ORDER BY s.agent_id";
    for row in sim.rows(Db::Agent, sql, vec![host.to_string().into()]) {
        let (agent, task, processed) = (text(&row, 0), text(&row, 1), number(&row, 2));
        if !is_automatic(sim, &agent) {
            continue;
        }
        let sql =
            "SELECT c.seq FROM touched_tasks t JOIN change_log c ON c.ws = 1 AND c.seq = t.seq
                   WHERE t.ws = 1 AND t.task_id = ?1
                     AND json_extract(c.origin, '$.kind') <> 'agent'
                     AND COALESCE(json_extract(c.origin, '$.via'), '') <> ?2 ORDER BY c.seq";
        let rows = sim.rows(Db::Journal, sql, vec![Value::Text(task), agent.as_str().into()]);
        let cancelled = lock(&sim.oracle).cancelled.get(&agent).copied().unwrap_or(0);
        let Some(last) = rows.last().map(|row| number(row, 0)) else { continue };
        if last > processed && last > cancelled && !waits_for_words(sim, &agent) {
            sim.report_violation(format!(
                "lost: agent {agent} has seen {processed}, and {last} concerns it as well"
            ));
        }
        let sql = "SELECT processed, upto FROM wake_run_log WHERE ws = 1 AND agent_id = ?1
                   AND status IN ('completed', 'skipped')";
        let runs = sim.rows(Db::Agent, sql, vec![agent.as_str().into()]);
        for seq in rows.iter().map(|row| number(row, 0)).filter(|seq| *seq <= processed) {
            sim.count("change seen");
            let seen = |run: &Row| number(run, 0) < seq && seq <= number(run, 1);
            if !runs.iter().any(seen) {
                sim.report_violation(format!("lost: change {seq} lies in no run of agent {agent}"));
            }
        }
    }
}

/// Agents created for empty tasks, which sleep until there is content.
fn waits_for_words(sim: &SimState, agent: &str) -> bool {
    let sql = "SELECT COALESCE(json_extract(serialized, '$.config.byName'), 0) FROM agent_entities
               WHERE ws = 1 AND id = ?1";
    sim.lifecycle(agent) == "created" && sim.number(Db::Agent, sql, vec![agent.into()]) == 0
}
