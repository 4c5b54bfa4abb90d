//! How much the task matters.

use dormouse_types::task::{Field, Priority};
use serde_json::json;

use super::pattern::Pattern;
use super::statement::Statement;
use super::value::{self, Said};
use super::{Proposal, ledger};
use crate::Input;

/// The newest word on the priority; the value is none when an older word was taken back.
pub fn said(input: &Input<'_>, statements: &[Statement<'_>]) -> Option<Said<Priority>> {
    let rules = input.lang.propose;
    let patterns: Vec<(Vec<Pattern>, Priority)> = rules
        .priority
        .iter()
        .map(|(text, priority)| (vec![Pattern::of(text, rules.classes)], *priority))
        .collect();
    let taken_back = Pattern::all(rules.priority_off, rules.classes);
    value::newest(statements.iter().filter(|s| s.is_about_task(input)).filter_map(|statement| {
        let said = |value, evidence| Said { rank: statement.rank, evidence, value };
        if let Some(found) = statement.find(&taken_back)
            && !statement.is_question()
        {
            return Some(said(None, statement.evidence_of(&found)));
        }
        patterns.iter().find_map(|(pattern, priority)| {
            let found = statement.find(pattern).filter(|found| statement.holds(found, rules))?;
            Some(said(Some(*priority), statement.evidence_of(&found)))
        })
    }))
}

/// Proposes the priority. A task nobody ranked counts as P2.
pub fn propose(input: &Input<'_>, said: Option<&Said<Priority>>) -> Option<Proposal> {
    let said = said?;
    let now = input.state.priority.unwrap_or_default();
    let priority = said.value.filter(|priority| *priority != now)?;
    value::propose(input, Field::Priority, ledger::PRIORITY, json!({ "priority": priority.name() }), &said.evidence)
}
