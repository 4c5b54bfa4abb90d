//! Nobody is marked for nothing, and the feed position never goes back.

use dormouse_store::{Commit, Db, Value};

use crate::locks::lock;
use crate::sim_state::SimState;

fn position(sim: &SimState) -> Option<(String, i64)> {
    let sql = "SELECT host, seq FROM feed_position WHERE ws = 1";
    let rows = sim.rows(Db::Agent, sql, Vec::new());
    let row = rows.first()?;
    Some((row.text(0).ok()?.to_owned(), row.int(1).ok()?))
}

/// The agents that are to wake because something changed.
fn marked(sim: &SimState) -> Vec<String> {
    let sql = "SELECT agent_id FROM wake_queue WHERE ws = 1 AND reasons % 2 = 1";
    let rows = sim.rows(Db::Agent, sql, Vec::new());
    rows.iter().filter_map(|row| Some(row.text(0).ok()?.to_owned())).collect()
}

fn is_of_interest(commit: &Commit) -> bool {
    let is_named = |sql: &str| sql.contains("wake_queue") || sql.contains("feed_position");
    commit.db == Db::Agent && commit.ops.iter().any(|op| is_named(op.sql))
}

/// Looks at what is there before a commit is applied.
pub(crate) fn before(sim: &SimState, commit: &Commit) {
    if is_of_interest(commit) {
        let (routed, marked) = (position(sim).map_or(0, |(_, seq)| seq), marked(sim));
        let marks = &mut lock(&sim.oracle).marks;
        (marks.routed, marks.marked) = (routed, marked);
    }
}

/// Looks at what a commit left.
pub(crate) fn after(sim: &SimState, commit: &Commit) {
    if !is_of_interest(commit) {
        return;
    }
    let label = commit.label;
    let now = position(sim);
    let (from, before) = {
        let marks = &mut lock(&sim.oracle).marks;
        (marks.routed, std::mem::take(&mut marks.marked))
    };
    let upto = now.as_ref().map_or(0, |(_, seq)| *seq);
    if let Some((host, seq)) = now {
        let furthest = {
            let marks = &mut lock(&sim.oracle).marks;
            let furthest = marks.furthest.entry(host).or_insert(seq);
            *furthest = seq.max(*furthest);
            *furthest
        };
        if seq < furthest {
            sim.report_violation(format!(
                "back: {label} moved the feed position from {furthest} to {seq}"
            ));
        }
    }
    for agent in marked(sim).into_iter().filter(|agent| !before.contains(agent)) {
        sim.count("agent marked");
        // The link stays when an agent is destroyed while a commit is on its way.
        let sql = "SELECT to_id FROM agent_links WHERE ws = 1 AND from_id = ?1
                   AND type = 'agent_task'";
        let tasks = sim.rows(Db::Agent, sql, vec![agent.as_str().into()]);
        let (from, upto) = match label {
            // What a cancelled run was to see waits again, and may have been routed long ago.
            "run.cancel" => cancelled_interval(sim, &agent),
            _ => (from, upto),
        };
        let is_named = tasks.iter().filter_map(|row| row.text(0).ok()).any(|task| {
            let sql = "SELECT COUNT(*) FROM change_log WHERE ws = 1 AND seq > ?1 AND seq <= ?2
                       AND (touched LIKE '%' || ?3 || '%' OR neighbours LIKE '%' || ?3 || '%')";
            let params: Vec<Value> = vec![from.into(), upto.into(), task.into()];
            sim.number(Db::Journal, sql, params) > 0
        });
        if !is_named {
            sim.report_violation(format!(
                "marked: {label} marked agent {agent}, and no change in {from}-{upto} names its task"
            ));
        }
    }
    let sql = "SELECT COUNT(*) FROM outdated_agents WHERE ws = 1";
    if sim.number(Db::Agent, sql, Vec::new()) > 0 {
        sim.report_violation(format!("marked: {label} took the store for a restored one"));
    }
}

/// What the run of an agent that was cancelled last was to see: after the first position, up to the
/// second.
fn cancelled_interval(sim: &SimState, agent: &str) -> (i64, i64) {
    let processed = "SELECT processed FROM wake_run_log WHERE ws = 1 AND agent_id = ?1
                     AND failure = 'cancelled' ORDER BY completed_at DESC LIMIT 1";
    let upto = "SELECT upto FROM wake_run_log WHERE ws = 1 AND agent_id = ?1
                AND failure = 'cancelled' ORDER BY completed_at DESC LIMIT 1";
    let number = |sql| sim.number(Db::Agent, sql, vec![agent.into()]);
    (number(processed), number(upto))
}
