//! Withdraws open proposals that newer text has overtaken.

use dormouse_types::limits;
use dormouse_types::model::OpenProposal;
use serde_json::{Value, json};

use super::Proposal;
use super::ledger::{self, Kind};
use super::statement::Evidence;
use super::tick::{Reports, is_tick_of};
use super::value::{Stated, same_args};
use super::{label, same::Key};
use crate::Input;
use crate::lang::propose::Retracting;
use crate::settle::Outcome;

/// A single-valued field, as retraction sees it.
#[derive(Debug)]
pub struct FieldClaim {
    kind: Kind,
    /// Arguments that would set the task's present value.
    now: Option<Value>,
    /// Arguments that the newest statement asks for, with its evidence; the inner `None` means that
    /// it takes the value back.
    stated: Option<(Option<Value>, Evidence)>,
    /// Whether a rule could interpret the newest statement.
    is_read: bool,
}

impl FieldClaim {
    /// Combines the state of a field with what is said about it.
    pub fn of<T>(
        kind: Kind,
        now: Option<Value>,
        stated: Option<&Stated<T>>,
        args: impl Fn(&T) -> Value,
    ) -> Self {
        let is_read = stated.is_some_and(|stated| stated.unread.is_none());
        let stated =
            stated.map(|stated| (stated.value.as_ref().map(args), stated.evidence.clone()));
        Self { kind, now, stated, is_read }
    }
}

/// Builds one call that withdraws every overtaken proposal.
pub fn propose(
    input: &Input<'_>,
    fields: &[FieldClaim],
    reports: &Reports<'_>,
) -> Option<Proposal> {
    let proposals: Vec<Value> = input
        .ledger
        .open
        .iter()
        .filter_map(|open| {
            let reason = reason(input, open, fields, reports)?;
            let reason: String = reason.chars().take(limits::REASON.max.min(500)).collect();
            Some(json!({ "fingerprint": open.fingerprint, "reason": reason }))
        })
        .collect();
    (!proposals.is_empty())
        .then(|| Proposal { tool: ledger::RETRACT, args: json!({ "proposals": proposals }) })
}

fn reason(
    input: &Input<'_>,
    open: &OpenProposal,
    fields: &[FieldClaim],
    reports: &Reports<'_>,
) -> Option<String> {
    let words = &input.lang.propose.retract;
    if let Some(field) = fields.iter().find(|field| field.kind.is(&open.tool)) {
        return overtaken(input, open, field, words);
    }
    if ledger::ADD.is(&open.tool) {
        let title = open.args.get("title").and_then(Value::as_str)?;
        let key = Key::of(title, input.lang);
        if input
            .state
            .items
            .iter()
            .any(|item| Key::of(&item.title, input.lang).is(&key, input.lang))
        {
            return Some(words.has_it.to_owned());
        }
        if let Some(report) = reports.on(title, None).filter(|report| report.is_done) {
            return is_newer(input, open, &report.evidence).then(|| words.done.to_owned());
        }
        let settled = reports.settlements.over(title, entry_of(input, open, title)?, &[])?;
        return is_newer(input, open, &settled.statement.evidence()).then(|| {
            match settled.outcome {
                Outcome::Done => words.done,
                Outcome::Dropped => words.taken_back,
            }
            .to_owned()
        });
    }
    if ledger::TICK.is(&open.tool) {
        let id = open.args.get("id").and_then(Value::as_str)?;
        let Some(item) = input.state.items.iter().find(|item| item.id.to_string() == id) else {
            return Some(words.gone.to_owned());
        };
        if !is_tick_of(&open.args, item) {
            return None;
        }
        if item.is_archived {
            return Some(words.gone.to_owned());
        }
        if item.is_checked {
            return Some(words.has_it.to_owned());
        }
        let report = reports.on(&item.title, None)?;
        return (!report.is_done && is_newer(input, open, &report.evidence))
            .then(|| words.not_done.to_owned());
    }
    if ledger::LABELS.is(&open.tool) {
        let has = input.state.labels.iter().any(|on| label::is_assignment_of(&open.args, on));
        return has.then(|| words.has_it.to_owned());
    }
    None
}

fn overtaken(
    input: &Input<'_>,
    open: &OpenProposal,
    field: &FieldClaim,
    words: &Retracting,
) -> Option<String> {
    if field.now.as_ref().is_some_and(|now| same_args(now, &open.args)) {
        return Some(words.has_it.to_owned());
    }
    let (args, evidence) = field.stated.as_ref()?;
    if !is_newer(input, open, evidence) {
        return None;
    }
    match args {
        Some(args) if same_args(args, &open.args) => None,
        Some(args) => {
            let value = args.as_object()?.values().next()?;
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            Some(words.newer.replace("{value}", &value))
        }
        None if field.is_read => Some(words.taken_back.to_owned()),
        None => Some(words.unread.to_owned()),
    }
}

/// Returns the entry that an open proposal quotes, or else the first one that has its words.
fn entry_of(input: &Input<'_>, open: &OpenProposal, title: &str) -> Option<usize> {
    let entries = &input.state.entries;
    let quoted = open.args.get("evidence").and_then(|evidence| {
        let id = evidence.get("entryId")?.as_str()?;
        entries.iter().position(|entry| entry.id.to_string() == id)
    });
    quoted.or_else(|| entries.iter().position(|entry| entry.text.contains(title)))
}

/// Returns whether evidence is newer than the evidence of an open proposal; a proposal without an
/// entry is older than any.
fn is_newer(input: &Input<'_>, open: &OpenProposal, evidence: &Evidence) -> bool {
    let rests_on = open.args.get("evidence").and_then(|evidence| {
        let id = evidence.get("entryId")?.as_str()?;
        let entry = input.state.entries.iter().find(|entry| entry.id.to_string() == id)?;
        // The quoted sentence may have been edited away.
        let quote = evidence.get("quote").and_then(Value::as_str).unwrap_or_default();
        entry.text.contains(quote).then_some(entry)
    });
    rests_on.is_none_or(|entry| evidence.at > entry.speaks_at())
}
