//! Notes momentum: several items at once, the last open item, blocked and unblocked.

use std::collections::BTreeMap;

use dormouse_types::change::What;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::model::ObservationPriority;
use dormouse_types::task::Status;

use super::{Observation, cut};
use crate::Input;

/// Notes progress and setbacks.
pub fn observe(input: &Input<'_>) -> Vec<Observation> {
    let words = &input.lang.propose.observe;
    let mut found = Vec::new();
    found.extend(standstill(input));
    let live: Vec<_> = input.state.items.iter().filter(|item| !item.is_archived).collect();
    let mut ticked = BTreeMap::new();
    for change in &input.delta.changes {
        if let What::ItemChecked { item, is_checked, .. } = &change.what {
            ticked.insert(item, *is_checked);
        }
    }
    let n =
        live.iter().filter(|item| item.is_checked && ticked.get(&item.id) == Some(&true)).count();
    // Two out of twenty is nothing unusual.
    if n >= 3 || n == 2 && live.len() <= 4 {
        let text =
            words.momentum.replace("{n}", &n.to_string()).replace("{all}", &live.len().to_string());
        found.push(Observation::of_work(text, ObservationPriority::Routine));
    }
    let open: Vec<_> = live.iter().filter(|item| !item.is_checked).collect();
    if let [last] = open.as_slice()
        && n > 0
        && live.len() > 2
    {
        let text = words.last_item.replace("{title}", &cut(&last.title));
        found.push(Observation::of_work(text, ObservationPriority::Routine));
    }
    found
}

/// Notes the newest change of the status to or from a standstill.
fn standstill(input: &Input<'_>) -> Option<Observation> {
    let words = &input.lang.propose.observe;
    let (from, to, reason) =
        input.delta.changes.iter().rev().find_map(|change| match &change.what {
            What::FieldSet(FieldChange {
                field: FieldRef::Status,
                from,
                to: Some(FieldValue::Status { status, reason }),
            }) => Some((from.as_ref().and_then(FieldValue::status), *status, reason)),
            _ => None,
        })?;
    let note = |template: &str, priority| {
        let reason =
            reason.as_deref().or(input.state.status_reason.as_deref()).map(cut).unwrap_or_default();
        let text = template.replace("{reason}", &reason);
        Observation::of_work(text.trim_end_matches([':', ' ']).to_owned(), priority)
    };
    match to {
        Status::Blocked => Some(note(words.blocked, ObservationPriority::Notable)),
        Status::OnHold => Some(note(words.held, ObservationPriority::Routine)),
        Status::Open | Status::Groomed | Status::InProgress => (from == Some(Status::Blocked))
            .then(|| note(words.unblocked, ObservationPriority::Routine)),
        Status::Done | Status::Rejected => None,
    }
}
