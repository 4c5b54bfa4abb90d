//! Proposals: what the text clearly says about the task, and nothing else.
//!
//! Does not own: whether a proposal is valid or applied. Every rule reads all entries each time.
//! What the task already has, what is open and what was rejected is left out, so that asking again
//! proposes nothing new.
//!
//! Reading order: [`statement`] (sentences), [`words`], [`day`], [`duration`], [`pattern`] (how a
//! language describes sentences), [`ledger`] (what may still be proposed), [`value`], one file per
//! rule, [`retract`].

pub mod statement;
pub mod words;
pub mod day;
pub mod duration;
pub mod pattern;
pub mod patterns;
pub mod ledger;
pub mod value;
pub mod same;
pub mod due;
pub mod estimate;
pub mod priority;
pub mod status;
pub mod tick;
pub mod item;
pub mod title;
pub mod todo;
pub mod label;
pub mod retract;

use dormouse_types::directive::ProposalKind;
use dormouse_types::limits;
use serde_json::{Value, json};

use crate::Input;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Name of the tool.
    pub tool: &'static str,
    /// Arguments of the call.
    pub args: Value,
}

/// Returns what the entries of a task justify proposing now, retractions first.
pub fn proposals(input: &Input<'_>) -> Vec<Proposal> {
    let state = input.state;
    let statements = statement::statements(input);
    let reports = tick::Reports::of(input, &statements);
    let due = due::stated(input, &statements);
    let estimate = estimate::stated(input, &statements);
    let priority = priority::stated(input, &statements);
    let status = status::stated(input, &statements, &reports.settlements);
    let fields = [
        retract::FieldClaim::of(
            ledger::DUE,
            state.due_on.map(|day| json!({ "dueDate": day.to_string() })),
            due.as_ref(),
            |day| json!({ "dueDate": day.to_string() }),
        ),
        retract::FieldClaim::of(
            ledger::ESTIMATE,
            state.estimate_minutes.map(|minutes| json!({ "minutes": minutes })),
            estimate.as_ref(),
            |minutes| json!({ "minutes": minutes }),
        ),
        retract::FieldClaim::of(
            ledger::PRIORITY,
            state.priority.map(|priority| json!({ "priority": priority.name() })),
            priority.as_ref(),
            |priority| json!({ "priority": priority.name() }),
        ),
        retract::FieldClaim::of(
            ledger::STATUS,
            Some(json!({ "status": state.status.name() })),
            status.as_ref(),
            |stated| json!({ "status": stated.status.name() }),
        ),
    ];
    let mut found: Vec<Proposal> = Vec::new();
    found.extend(retract::propose(input, &fields, &reports));
    if state.status.is_terminal() {
        // Nothing is proposed about a closed task.
        return found;
    }
    let may = |kind| input.style().may_propose(kind);
    let fields = [
        (ProposalKind::Title, title::propose(input, &statements)),
        (ProposalKind::Status, status::propose(input, status.as_ref())),
        (ProposalKind::Priority, priority::propose(input, priority.as_ref())),
        (ProposalKind::DueDate, due::propose(input, due.as_ref())),
        (ProposalKind::Estimate, estimate::propose(input, estimate.as_ref())),
    ];
    found.extend(fields.into_iter().filter(|(kind, _)| may(*kind)).filter_map(|(_, call)| call));
    let labels = label::labels(input, &statements).into_iter().map(|found| {
        json!({ "id": found.label.id, "confidence": "high", "evidence": found.evidence.json() })
    });
    if may(ProposalKind::Labels) {
        let most = limits::LABELS_PER_CALL.max;
        found.extend(calls(ledger::LABELS, "labels", most, labels.collect()));
    }
    let ticks = tick::ticks(input, &reports).into_iter().map(
        |tick| json!({ "id": tick.item.id, "isChecked": true, "evidence": tick.evidence.json() }),
    );
    if may(ProposalKind::Ticks) {
        found.extend(calls(ledger::TICK, "items", limits::ITEMS_PER_CALL.max, ticks.collect()));
    }
    let items = item::items(input, &statements, &reports)
        .into_iter()
        .map(|item| json!({ "title": item.title, "evidence": item.evidence.json() }));
    if may(ProposalKind::Items) {
        found.extend(calls(ledger::ADD, "items", limits::ITEMS_PER_CALL.max, items.collect()));
    }
    found
}

/// Splits the proposals into as many calls as the limit per call requires.
fn calls(kind: ledger::Kind, list: &str, max: usize, parts: Vec<Value>) -> Vec<Proposal> {
    let call = |parts: &[Value]| Proposal { tool: kind.call, args: json!({ list: parts }) };
    parts.chunks(max).map(call).collect()
}
