//! Single-valued fields: the newest statement about each counts.

use dormouse_types::task::Field;
use serde_json::{Value, json};

use super::Proposal;
use super::ledger::{self, Kind};
use super::statement::{Evidence, Rank};
use crate::Input;

/// What a sentence says about a field.
#[derive(Debug)]
pub struct Stated<T> {
    /// How new it is.
    pub rank: Rank,
    /// Section that contains the sentence.
    pub section: usize,
    /// The sentence.
    pub evidence: Evidence,
    /// The value; `None` if the sentence takes back what was said before.
    pub value: Option<T>,
    /// Values that the sentence names, if it is about the field but no rule can interpret it.
    pub unread: Option<Vec<T>>,
}

/// Returns the newest statement.
///
/// If a newer sentence cannot be interpreted, it is returned without a value. If sections of one
/// text each name a different value, they are about parts of the task, not about the task itself.
pub fn newest<T: PartialEq>(stated: impl IntoIterator<Item = Stated<T>>) -> Option<Stated<T>> {
    let (stated, unread): (Vec<Stated<T>>, Vec<Stated<T>>) =
        stated.into_iter().partition(|stated| stated.unread.is_none());
    let at = stated.iter().enumerate().max_by_key(|(_, stated)| stated.rank).map(|(at, _)| at)?;
    let newest = &stated[at];
    let is_of_part = stated.iter().any(|other| {
        other.rank.is_of_same_moment(&newest.rank)
            && other.section != newest.section
            && other.value != newest.value
            && other.value.is_some()
            && newest.value.is_some()
    });
    // A newer sentence that cannot be interpreted may say something else.
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
        // It names no value to propose, but a proposal based on the older one no longer holds.
        Some(rank) => unread.into_iter().find(|later| later.rank == rank),
        None => stated.into_iter().nth(at),
    }
}

/// Builds a single-value proposal, unless the field, the person or the ledger speaks against it.
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

/// Returns whether the ledger's arguments name the same value; a different reason does not make a
/// different value.
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
