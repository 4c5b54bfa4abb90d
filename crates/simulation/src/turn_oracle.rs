//! Each turn is requested until it is recorded and never afterwards, and the part of it that its
//! provider wants back goes to that provider and nowhere else.

use dormouse_store::{Commit, Param, Value};
use dormouse_types::model::Request;

use crate::answers::OPAQUE;
use crate::locks::lock;
use crate::sim_state::SimState;
use crate::terms::{PROVIDER, Place};

/// A turn of an agent's run was recorded.
pub(crate) fn recorded(sim: &SimState, agent: &str) {
    let Some(run) = sim.run_of(agent) else { return };
    *lock(&sim.oracle).turns.recorded.entry(run).or_default() += 1;
}

/// What is wrong with a turn that is requested.
pub(crate) fn check_request(sim: &SimState, request: &Request) -> Vec<String> {
    let (run, turn) = (request.run_key.to_string(), request.turn);
    let mut wrong = Vec::new();
    let (recorded, times) = {
        let mut oracle = lock(&sim.oracle);
        let times = oracle.turns.requests.entry((run.clone(), turn)).or_default();
        *times += 1;
        let times = *times;
        (oracle.turns.recorded.get(&run).copied().unwrap_or(0), times)
    };
    if turn > 0 && turn <= recorded {
        wrong.push(format!("repeat: turn {turn} of run {run} is recorded, and requested again"));
    }
    if turn > 1 && times > 1 {
        sim.count("later turn requested again");
    }
    if sim.terms.place != Place::Provider {
        return wrong;
    }
    for (n, earlier) in request.turns.iter().enumerate() {
        let thought = earlier.text.strip_prefix("thought ").unwrap_or_default();
        let state = earlier.provider_state.as_ref();
        let is_there = state.is_some_and(|state| {
            state.provider == PROVIDER && state.data.strip_prefix(OPAQUE) == Some(thought)
        });
        if is_there {
            sim.count("opaque part returned");
        } else {
            let n = n + 1;
            wrong.push(format!("opaque: turn {n} of run {run} came with {state:?}"));
        }
    }
    let is_opaque = |text: &str| text.contains(OPAQUE);
    let turns = request.turns.iter();
    let texts = turns.flat_map(|turn| {
        let results = turn.results.iter().map(|result| result.text.as_str());
        results.chain([turn.text.as_str()])
    });
    let fragments = request.fragments.iter().map(|fragment| fragment.text.as_str());
    if texts.chain(fragments).any(is_opaque) {
        wrong.push(format!("opaque: a text of turn {turn} of run {run} shows it"));
    }
    wrong
}

/// What is wrong with a commit: only one table keeps what a provider wants back.
pub(crate) fn misplaced(commit: &Commit) -> Option<String> {
    let is_opaque = |param: &Param| match param {
        Param::Value(Value::Text(text)) => text.contains(OPAQUE),
        _ => false,
    };
    let ops = commit.ops.iter().filter(|op| !op.sql.starts_with("INSERT INTO provider_states"));
    let mut found = ops.filter(|op| op.params.iter().any(is_opaque));
    found.next().map(|op| format!("opaque: {} writes it by {:?}", commit.label, op.sql))
}
