//! What people say to agents: each message that was acknowledged is in the request of one completed
//! run, in order, or was returned to the caller that cancelled its wake.

use dormouse_store::agent::wake_request::Span;
use dormouse_store::{Db, Row, Value};
use dormouse_types::model::PromptPart;

use crate::locks::lock;
use crate::sim_state::SimState;

/// The sending of a message was acknowledged.
pub(crate) fn acknowledged(sim: &SimState, agent: &str, words: &str) {
    sim.count("acknowledged words");
    let mut oracle = lock(&sim.oracle);
    oracle.messages.acknowledged.entry(agent.to_owned()).or_default().push(words.to_owned());
}

/// A cancellation returned the messages that it dropped.
pub(crate) fn named(sim: &SimState, agent: &str, words: Vec<String>) {
    let mut oracle = lock(&sim.oracle);
    *oracle.messages.unanswered.entry(agent.to_owned()).or_default() -= 1;
    oracle.messages.named.extend(words);
}

/// A run of an agent was cancelled: what was said to it waits until something else wakes it.
pub(crate) fn waits(sim: &SimState, agent: &str) {
    let newest = sent(sim, agent).last().map_or(0, |(position, _)| *position);
    lock(&sim.oracle).messages.waiting.insert(agent.to_owned(), newest);
}

/// Notes the mark of an agent after a commit that may have moved it.
pub(crate) fn moved(sim: &SimState, agent: &str, is_cancelled: bool) {
    let sql = "SELECT COALESCE(json_extract(serialized, '$.heardUpto'), 0) FROM agent_entities
               WHERE ws = 1 AND agent_id = ?1 AND type = 'agentState'";
    let mark = sim.number(Db::Agent, sql, vec![agent.into()]);
    let before = {
        let mut oracle = lock(&sim.oracle);
        let before = oracle.messages.marks.insert(agent.to_owned(), mark).unwrap_or(0);
        oracle.messages.waiting.remove(agent);
        if is_cancelled {
            *oracle.messages.unanswered.entry(agent.to_owned()).or_default() += 1;
            if mark > before {
                oracle.messages.withdrawn.entry(agent.to_owned()).or_default().push((before, mark));
            }
        }
        before
    };
    if mark < before {
        sim.report_violation(format!(
            "heard: the mark of agent {agent} went back from {before} to {mark}"
        ));
    }
}

/// The words of a person in the requests of the completed runs of an agent, in order.
fn in_requests(sim: &SimState, agent: &str) -> Vec<String> {
    let sql = "SELECT q.spans FROM wake_run_log r
               JOIN wake_requests q ON q.ws = 1 AND q.run_key = r.run_key AND q.turn = 1
               WHERE r.ws = 1 AND r.agent_id = ?1 AND r.status = 'completed'
               ORDER BY r.epoch";
    let mut words = Vec::new();
    for row in sim.rows(Db::Agent, sql, vec![agent.into()]) {
        let spans: Vec<Span> =
            serde_json::from_str(row.text(0).unwrap_or_default()).unwrap_or_default();
        for span in spans {
            let Span::Text { kind, sha256 } = span else { continue };
            if kind == PromptPart::Message {
                let sql = "SELECT text FROM texts WHERE ws = 1 AND sha256 = ?1";
                let rows = sim.rows(Db::Agent, sql, vec![sha256.to_string().into()]);
                words.extend(rows.first().and_then(|row| row.text(0).ok()).map(unfenced));
            }
        }
    }
    words
}

fn unfenced(text: &str) -> String {
    let inner = text.strip_prefix("<data of=\"message\">\n").unwrap_or(text);
    inner.strip_suffix("\n</data>").unwrap_or(inner).to_owned()
}

/// What was said to an agent, with its position, oldest first.
fn sent(sim: &SimState, agent: &str) -> Vec<(i64, String)> {
    let sql = "SELECT m.clock_counter, x.text FROM agent_entities m
               JOIN agent_entities p ON p.ws = 1
                 AND p.id = json_extract(m.serialized, '$.contentEntryId')
               JOIN texts x ON x.ws = 1 AND x.sha256 = json_extract(p.serialized, '$.spans[0]')
               WHERE m.ws = 1 AND m.agent_id = ?1 AND m.type = 'agentMessage'
                 AND m.subtype = 'user' ORDER BY m.clock_counter";
    let read = |row: &Row| Some((row.int(0).ok()?, row.text(1).ok()?.to_owned()));
    let rows = sim.rows(Db::Agent, sql, vec![Value::Text(agent.to_owned())]);
    rows.iter().filter_map(read).collect()
}

/// Everything that was said is heard, once and in order.
pub(crate) fn inspect(sim: &SimState) {
    let agents: Vec<String> = lock(&sim.oracle).messages.acknowledged.keys().cloned().collect();
    for agent in agents {
        let (acknowledged, withdrawn, is_answered, named, waiting) = {
            let messages = &lock(&sim.oracle).messages;
            (
                messages.acknowledged.get(&agent).cloned().unwrap_or_default(),
                messages.withdrawn.get(&agent).cloned().unwrap_or_default(),
                messages.unanswered.get(&agent).copied().unwrap_or(0) == 0,
                messages.named.clone(),
                messages.waiting.get(&agent).copied().unwrap_or(0),
            )
        };
        let sent = sent(sim, &agent);
        let heard = in_requests(sim, &agent);
        let place = |words: &String| sent.iter().position(|(_, known)| known == words);
        let places: Vec<Option<usize>> = heard.iter().map(place).collect();
        if !places.is_sorted_by(|a, b| a < b) || places.contains(&None) {
            sim.report_violation(format!("heard: agent {agent} heard {heard:?} of {sent:?}"));
        }
        // An agent at rest has not run yet, and hears it when it may run again.
        let lives = ["created", "active"].contains(&sim.lifecycle(&agent).as_str());
        for words in acknowledged {
            let Some((position, _)) = sent.iter().find(|(_, known)| *known == words) else {
                sim.report_violation(format!("heard: {words:?} was acknowledged and is not there"));
                continue;
            };
            let is_withdrawn =
                withdrawn.iter().any(|(from, upto)| from < position && position <= upto);
            if heard.contains(&words) {
                sim.count("heard words");
            } else if is_withdrawn && is_answered && !named.contains(&words) {
                sim.report_violation(format!(
                    "heard: {words:?} went with a cancelled wake, unnamed"
                ));
            } else if !is_withdrawn && lives && *position > waiting {
                sim.report_violation(format!("heard: {words:?} is in no request of agent {agent}"));
            }
        }
    }
}
