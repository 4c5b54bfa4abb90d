//! At most one proposal is open for a single-valued field: a newer one replaces the older.

use dormouse_store::agent::change_item::{Item, State};
use serde_json::Value;

use crate::set::proposed::Proposed;
use crate::tool::{Retraction, Target};
use crate::tools;

/// Reason given when a newer proposal for the field replaces an older one.
pub const REASON: &str = "a newer proposal takes its place";

/// Returns the open items for whose field a turn proposes another value.
pub fn superseded(proposed: &[Proposed], items: &[Item]) -> Vec<Retraction> {
    let open = items.iter().filter(|item| matches!(item.state, State::Pending | State::Deferred));
    let is_superseded = |item: &&Item| {
        proposed.iter().any(|newer| {
            newer.fingerprint != item.fingerprint
                && is_one_field(&target(newer.tool, &newer.args), &of_item(item))
        })
    };
    open.filter(is_superseded)
        .map(|item| Retraction { item: item.clone(), reason: REASON.to_owned() })
        .collect()
}

/// Returns the open items for whose field a newer open item proposes a value.
pub fn older(items: &[Item]) -> Vec<&Item> {
    let open: Vec<&Item> = items
        .iter()
        .filter(|item| matches!(item.state, State::Pending | State::Deferred))
        .collect();
    let place = |item: &Item| (item.created_at, item.set.clone(), item.index);
    let is_older = |item: &&&Item| {
        open.iter().any(|other| is_same_field(other, item) && place(other) > place(item))
    };
    open.iter().filter(is_older).copied().collect()
}

/// Returns whether two items propose a value for the same field of the same task.
pub fn is_same_field(one: &Item, other: &Item) -> bool {
    one.task == other.task && is_one_field(&of_item(one), &of_item(other))
}

fn is_one_field(one: &Target, other: &Target) -> bool {
    one.is_field() && one.part == other.part
}

fn of_item(item: &Item) -> Target {
    target(&item.tool, &serde_json::from_str(&item.args).unwrap_or_default())
}

fn target(tool: &str, args: &Value) -> Target {
    tools::item(tool).map(|tool| tool.target(args)).unwrap_or_default()
}
