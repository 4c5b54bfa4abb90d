//! Fields with one value: the newest word on each counts.

use dormouse_types::task::Field;
use serde_json::{Value, json};

use super::Proposal;
use super::ledger::{self, Kind};
use super::statement::{Evidence, Rank};
use crate::Input;

/// What a sentence says about a field.
#[derive(Debug)]
pub struct Said<T> {
    /// How new it is.
    pub rank: Rank,
    /// Which heading it stands below.
    pub section: usize,
    /// The sentence.
    pub evidence: Evidence,
    /// The value; none when the sentence takes back what was said before.
    pub value: Option<T>,
    /// Of a sentence that speaks of the field in words no rule reads: the values it names.
    pub unread: Option<Vec<T>>,
}

/// The newest of what was said.
///
/// A newer sentence that no rule reads comes back without a value. Sections of one text that each name a value of their own speak of parts, not of the task.
pub fn newest<T: PartialEq>(said: impl IntoIterator<Item = Said<T>>) -> Option<Said<T>> {
    let (said, unread): (Vec<Said<T>>, Vec<Said<T>>) =
        said.into_iter().partition(|said| said.unread.is_none());
    let at = said.iter().enumerate().max_by_key(|(_, said)| said.rank).map(|(at, _)| at)?;
    let newest = &said[at];
    let is_of_part = said.iter().any(|other| {
        other.rank.is_of_same_moment(&newest.rank)
            && other.section != newest.section
            && other.value != newest.value
            && other.value.is_some()
            && newest.value.is_some()
    });
    // A newer sentence that cannot be read may say something else.
    let outdated = unread.iter().filter(|later| {
        let names_it = match (&newest.value, &later.unread) {
            (Some(value), Some(named)) => named.contains(value),
            (None, _) | (_, None) => false,
        };
        later.rank > newest.rank && !names_it
    });
    let outdated = outdated.max_by_key(|later| later.rank).map(|later| later.rank);
    if is_of_part {
        return None;
    }
    match outdated {
        // It names no value to propose, and what was proposed by the older one does not hold.
        Some(rank) => unread.into_iter().find(|later| later.rank == rank),
        None => said.into_iter().nth(at),
    }
}

/// A single-value proposal, unless the field, the person or the ledger stands against it.
pub fn propose(
    input: &Input<'_>,
    field: Field,
    kind: Kind,
    args: Value,
    evidence: &Evidence,
) -> Option<Proposal> {
    let same = |open: &Value| same_args(&args, open);
    if !ledger::open(input, kind, &same).is_empty()
        || !ledger::allows_field(input, field, kind, evidence.at)
    {
        return None;
    }
    let mut args = args;
    if let Value::Object(map) = &mut args {
        map.insert("evidence".into(), evidence.json());
    }
    Some(Proposal { tool: kind.call, args })
}

/// Whether the ledger's arguments name the same value; a reason in other words is no other value.
pub fn same_args(args: &Value, open: &Value) -> bool {
    ["title", "minutes", "dueDate", "priority", "status"].iter().all(|key| {
        let text = |value: Option<&Value>| match value {
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(other) => other.to_string(),
            None => json!(null).to_string(),
        };
        text(args.get(key)) == text(open.get(key))
    })
}
