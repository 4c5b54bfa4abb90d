//! Folding loses nothing: what a checkpoint replaces was shown to the model that made it, stays in
//! the log, and what it does not stand for is shown to every later turn.

use dormouse_store::{Commit, Db, Row};
use dormouse_types::model::{FragmentKind, Request};

use crate::locks::lock;
use crate::sim_state::SimState;
use crate::terms::Place;

fn number(row: &Row, at: usize) -> i64 {
    row.int(at).unwrap_or(0)
}

/// The lines of an agent's log in a range: their texts, in order.
fn lines(sim: &SimState, agent: &str, after: i64, upto: i64) -> Vec<Option<String>> {
    let sql = "SELECT t.text FROM log_lines l LEFT JOIN texts t ON t.ws = 1 AND t.sha256 = l.sha256
               WHERE l.ws = 1 AND l.agent_id = ?1 AND l.n > ?2 AND l.n <= ?3 ORDER BY l.n";
    let rows = sim.rows(Db::Agent, sql, vec![agent.into(), after.into(), upto.into()]);
    rows.iter().map(|row| row.text(0).ok().map(ToOwned::to_owned)).collect()
}

fn audience(sim: &SimState) -> &'static str {
    match sim.terms.place {
        Place::BuiltIn | Place::OwnServer => "everything",
        Place::Provider => "public",
    }
}

/// The text of a kind in a request.
fn text_of(request: &Request, kind: FragmentKind) -> Option<&str> {
    let mut fragments = request.fragments.iter();
    fragments.find(|fragment| fragment.kind == kind).map(|fragment| fragment.text.as_str())
}

/// What is wrong with a request of an agent; takes note of what it is to fold.
pub(crate) fn check_request(sim: &SimState, agent: &str, request: &Request) -> Vec<String> {
    if sim.terms.place == Place::BuiltIn {
        return Vec::new();
    }
    let log = text_of(request, FragmentKind::Log).unwrap_or_default();
    if request.turn == 0 {
        let run = request.run_key.to_string();
        lock(&sim.oracle).folding.insert(run, log.to_owned());
        return Vec::new();
    }
    if request.turn > 1 {
        // The same as the first turn, which was looked at.
        return Vec::new();
    }
    let sql = "SELECT c.upto, t.text FROM checkpoints c
               LEFT JOIN texts t ON t.ws = 1 AND t.sha256 = c.sha256
               WHERE c.ws = 1 AND c.agent_id = ?1 AND c.audience = ?2 ORDER BY c.n DESC LIMIT 1";
    let found = sim.rows(Db::Agent, sql, vec![agent.into(), audience(sim).into()]);
    let mut wrong = Vec::new();
    let upto = found.first().map_or(0, |row| number(row, 0));
    if let Some(text) = found.first().and_then(|row| row.text(1).ok()) {
        sim.count("turn with a summary");
        let summary = text_of(request, FragmentKind::Summary).unwrap_or_default();
        // A summary is fenced, and what looks like a fence in it is broken up.
        if !text.contains("<data") && !summary.contains(text.trim_end()) {
            wrong.push(format!("fold: a turn of agent {agent} does not see its newest summary"));
        }
    }
    let lines = lines(sim, agent, upto, i64::MAX);
    let missing = |line: &&Option<String>| !line.as_ref().is_some_and(|text| log.contains(text));
    let n_missing = lines.iter().filter(missing).count();
    let notice = format!("\n{n_missing} older line");
    let instruction = text_of(request, FragmentKind::Instruction).unwrap_or_default();
    if n_missing > 0 && !instruction.contains(&notice) {
        wrong.push(format!(
            "fold: a turn of agent {agent} sees {n_missing} of {} lines after {upto} neither in \
             its log nor in a summary, and is not counted as left out",
            lines.len()
        ));
    }
    wrong
}

/// Looks at a checkpoint that a commit made.
pub(crate) fn folded(sim: &SimState, agent: &str, commit: &Commit) {
    if !commit.ops.iter().any(|op| op.sql.starts_with("INSERT INTO checkpoints")) {
        sim.count("fold that wrote nothing");
        return;
    }
    let sql = "SELECT n, from_line, upto, depth FROM checkpoints WHERE ws = 1 AND agent_id = ?1
               ORDER BY n DESC LIMIT 1";
    let made = sim.rows(Db::Agent, sql, vec![agent.into()]);
    let Some(made) = made.first() else { return };
    let [n, from, upto, depth] = [0, 1, 2, 3].map(|at| number(made, at));
    sim.count("folded piece");
    let sql = "SELECT upto, depth FROM checkpoints
               WHERE ws = 1 AND agent_id = ?1 AND audience = ?2 AND n < ?3 ORDER BY n DESC LIMIT 1";
    let before = sim.rows(Db::Agent, sql, vec![agent.into(), audience(sim).into(), n.into()]);
    let (begun, deep) = before.first().map_or((0, 0), |row| (number(row, 0), number(row, 1)));
    if deep > 0 {
        sim.count("folded again");
    }
    if from != 1 || upto <= begun || depth != deep + 1 {
        sim.report_violation(format!(
            "fold: checkpoint {n} of agent {agent} folds {from} to {upto} in depth {depth}, after \
             one up to {begun} in depth {deep}"
        ));
    }
    let run = sim.run_of(agent).unwrap_or_default();
    let shown = lock(&sim.oracle).folding.get(&run).cloned().unwrap_or_default();
    let lines = lines(sim, agent, begun, upto);
    let is_shown = |line: &Option<String>| line.as_ref().is_some_and(|text| shown.contains(text));
    if i64::try_from(lines.len()).unwrap_or(0) != upto - begun || !lines.iter().all(is_shown) {
        sim.report_violation(format!(
            "fold: checkpoint {n} of agent {agent} replaces lines {} to {upto}, and not all were \
             shown to its model",
            begun + 1
        ));
    }
}

/// Each checkpoint leads to the lines that it replaces, and a log has no gap.
pub(crate) fn inspect(sim: &SimState) {
    let sql = "SELECT agent_id, n, upto FROM checkpoints WHERE ws = 1 ORDER BY agent_id, n";
    for row in sim.rows(Db::Agent, sql, Vec::new()) {
        let agent = row.text(0).unwrap_or_default().to_owned();
        let (n, upto) = (number(&row, 1), number(&row, 2));
        let lines = lines(sim, &agent, 0, upto);
        let is_whole = i64::try_from(lines.len()).unwrap_or(0) == upto;
        if !is_whole || lines.iter().any(Option::is_none) {
            sim.report_violation(format!(
                "fold: checkpoint {n} of agent {agent} leads to {} of {upto} lines",
                lines.len()
            ));
        }
    }
    let sql = "SELECT COUNT(*) FROM (SELECT agent_id, MAX(n) AS last, COUNT(*) AS lines
                 FROM log_lines WHERE ws = 1 GROUP BY agent_id) WHERE last <> lines";
    if sim.number(Db::Agent, sql, Vec::new()) > 0 {
        sim.report_violation("fold: a log has a gap");
    }
}
