//! Notes what a rejection with a reason teaches.

use dormouse_types::agent::DecisionVerdict;
use dormouse_types::model::{Decided, ObservationCategory, ObservationPriority, Resolution};
use serde_json::Value;

use super::{Observation, cut};
use crate::Input;
use crate::propose::ledger;

/// Notes each rejection that has a reason, oldest first.
pub fn observe(input: &Input<'_>) -> Vec<Observation> {
    let words = &input.lang.propose.observe;
    input
        .ledger
        .decisions
        .iter()
        .rev()
        .filter(|decided| decided.verdict == Resolution::Decided(DecisionVerdict::Rejected))
        .filter_map(|decided| {
            let reason = decided.reason.as_deref().map(cut).filter(|reason| !reason.is_empty())?;
            let what = subject(input, decided)?;
            let text = words.rejected.replace("{what}", &what).replace("{reason}", &reason);
            Some(Observation {
                text,
                priority: ObservationPriority::Routine,
                category: ObservationCategory::Grievance,
            })
        })
        .collect()
}

/// Names what a proposal was about, in the words of the language.
fn subject(input: &Input<'_>, decided: &Decided) -> Option<String> {
    let args = &decided.args;
    let text = |key: &str| match args.get(key)? {
        Value::String(text) => Some(cut(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let id = args.get("id").and_then(Value::as_str);
    let kinds = [
        (ledger::DUE, text("dueDate")),
        (ledger::ESTIMATE, text("minutes")),
        (ledger::PRIORITY, text("priority")),
        (ledger::STATUS, text("status")),
        (ledger::TITLE, text("title")),
        (ledger::LABELS, {
            let label =
                input.state.available_labels.iter().find(|label| id == Some(&label.id.to_string()));
            label.map(|label| cut(&label.name))
        }),
        (ledger::ADD, text("title")),
        (ledger::TICK, {
            let item = input.state.items.iter().find(|item| id == Some(&item.id.to_string()));
            item.map(|item| cut(&item.title))
        }),
    ];
    let templates = input.lang.propose.observe.subjects;
    let at = kinds.iter().position(|(kind, _)| kind.is(&decided.tool))?;
    Some(templates[at].replace("{value}", kinds[at].1.as_deref()?))
}
