//! What is watched of agent work: each request to a model, and each commit that was applied; and the answers
//! of models to it.

use dormouse_store::{Commit, Db, Row};
use dormouse_types::model::{Request, ToolCall, TurnEvent, Usage};
use serde_json::{Value as Json, json};

use crate::answers::Streamed;
use crate::chance::Chance;
use crate::locks::lock;
use crate::sim_state::SimState;
use crate::work_known::WS;

pub(crate) fn text(row: &Row, at: usize) -> String {
    row.text(at).unwrap_or_default().to_owned()
}

pub(crate) fn rows(sim: &SimState, sql: &'static str) -> Vec<Row> {
    sim.rows(Db::Agent, sql, Vec::new())
}

/// Whether a request is one of agent work.
pub(crate) fn is_work(request: &Request) -> bool {
    request.tools.iter().any(|tool| tool.name == "publish_result")
}

/// A model is called for agent work.
pub(crate) fn model_called(sim: &SimState, owner: &str, request: &Request, body: &str) {
    let sql = "SELECT agent_id FROM wake_run_log WHERE ws = 3 AND run_key = ?1";
    let found = sim.rows(Db::Agent, sql, vec![request.run_key.as_str().into()]);
    let run = found.first().map(|row| text(row, 0)).unwrap_or_default();
    sim.trace(format_args!("{owner} asks turn {} for {run}", request.turn));
    sim.count("work question");
    let mut wrong = Vec::new();
    {
        let known = &mut *lock(&sim.work);
        let key = (owner.to_owned(), run.clone());
        for owed in known.owed.get(&key).into_iter().flatten() {
            if !body.contains(owed) {
                wrong.push(format!("corrected: {run} does not see {owed:?}"));
            }
        }
        known.sent.entry(run).or_default().push(body.to_owned());
    }
    wrong.into_iter().for_each(|line| sim.report_violation(line));
}

/// Takes note of a commit about agent work that was applied. `claimed` is the holder that it claims, and
/// `guarded` the one whose lease guards it.
pub(crate) fn saw(
    sim: &SimState,
    owner: &str,
    commit: &Commit,
    claimed: Option<&str>,
    guarded: Option<&str>,
) {
    if commit.ws != WS || commit.db != Db::Agent {
        return;
    }
    if commit.label == "run.takeover" {
        sim.count("work taken over");
    }
    let Some(run) = claimed.or(guarded) else { return };
    let sql = "SELECT work_id, state FROM work_runs WHERE ws = 3 AND id = ?1";
    let found = sim.rows(Db::Agent, sql, vec![run.into()]);
    let Some(row) = found.first() else { return };
    let (work, state) = (text(row, 0), text(row, 1));
    let known = &mut *lock(&sim.work);
    let corrections =
        known.corrections.iter().filter(|(of, _)| *of == work).map(|(_, it)| it.clone());
    let corrections: Vec<String> = corrections.collect();
    let starts = commit.ops.iter().any(|op| op.sql.starts_with("INSERT INTO wake_run_log"));
    let mut unheard = Vec::new();
    match commit.label {
        // What is frozen when an attempt begins is in each of its requests.
        "run.claim" if starts => {
            known.owed.insert((owner.to_owned(), run.to_owned()), corrections);
        }
        "run.claim" => {
            known.owed.remove(&(owner.to_owned(), run.to_owned()));
        }
        "run.request" => {
            known.due.insert(run.to_owned(), corrections);
        }
        "run.final" if ["succeeded", "no_op", "needs_input"].contains(&state.as_str()) => {
            let sent = known.sent.get(run).map(Vec::as_slice).unwrap_or_default();
            let due = known.due.get(run).into_iter().flatten();
            let is_heard = |words: &&String| sent.iter().any(|body| body.contains(*words));
            unheard.extend(due.filter(|words| !is_heard(words)).cloned());
        }
        _ => {}
    }
    for words in unheard {
        sim.report_violation(format!("corrected: {run} ended, and never heard {words:?}"));
    }
}

/// The answer to a request of agent work.
pub(crate) fn answer(nonsense: bool, chance: &mut Chance) -> Vec<Streamed> {
    let n = chance.below(1 << 40);
    let finish =
        |outcome: &str| ("finish", json!({ "outcome": outcome, "summary": format!("Said {n}.") }));
    let result = (
        "publish_result",
        json!({ "title": format!("Result {n}"), "text": format!("It is {n}.") }),
    );
    let ask = ("ask", json!({ "question": format!("Is it {n}?"), "options": ["yes", "no"] }));
    let mut calls: Vec<(&str, Json)> = match chance.below(12) {
        0..=2 => vec![ask],
        3 => Vec::new(),
        4 => vec![finish("failed")],
        5 => vec![("read_task_log", json!({}))],
        6 => vec![finish("no_op")],
        7 => vec![result],
        _ => vec![result, finish("done")],
    };
    if nonsense {
        calls.push(("fold_the_laundry", json!({ "room": 4 })));
        calls.push(("ask", json!({ "question": "" })));
        calls.push(finish("perhaps"));
    }
    let mut events = vec![Ok(TurnEvent::Text(format!("thought {n}")))];
    events.extend(calls.into_iter().zip(0..).map(|((name, args), at)| {
        Ok(TurnEvent::Call(ToolCall { id: format!("c{at}"), name: name.to_owned(), args }))
    }));
    events.push(Ok(TurnEvent::Usage(Usage::default())));
    if !(nonsense && chance.one_in(6)) {
        events.push(Ok(TurnEvent::End { ended: !chance.one_in(4) }));
    }
    events
}
