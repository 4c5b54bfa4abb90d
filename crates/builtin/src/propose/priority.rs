//! How much the task matters.

use dormouse_types::task::{Field, Priority};
use serde_json::json;

use super::statement::Statement;
use super::value::{self, Stated};
use super::{Proposal, ledger, patterns};
use crate::Input;

/// Returns the newest statement about the priority; its value is `None` if an older one was taken
/// back.
pub fn stated(input: &Input<'_>, statements: &[Statement<'_>]) -> Option<Stated<Priority>> {
    let rules = input.lang.propose;
    let patterns = patterns::of(input.lang);
    value::newest(statements.iter().filter(|s| s.is_about_task(input)).filter_map(|statement| {
        let stated = |value, evidence| Stated {
            rank: statement.rank,
            section: statement.section,
            evidence,
            value,
            unread: None,
        };
        if let Some(found) = statement.find(&patterns.priority_off)
            && !statement.is_question()
        {
            return Some(stated(None, statement.evidence_of(&found)));
        }
        patterns.priority.iter().find_map(|(pattern, priority)| {
            let found = statement.find([pattern]).filter(|found| statement.holds(found, rules))?;
            Some(stated(Some(*priority), statement.evidence_of(&found)))
        })
    }))
}

/// Proposes the priority. An unranked task counts as P2.
pub fn propose(input: &Input<'_>, stated: Option<&Stated<Priority>>) -> Option<Proposal> {
    let stated = stated?;
    let now = input.state.priority.unwrap_or_default();
    let priority = stated.value.filter(|priority| *priority != now)?;
    value::propose(
        input,
        Field::Priority,
        ledger::PRIORITY,
        json!({ "priority": priority.name() }),
        &stated.evidence,
    )
}
