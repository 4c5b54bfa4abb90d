//! The day the task is due.

use dormouse_types::task::Field;
use jiff::civil::Date;
use serde_json::json;

use super::pattern;
use super::statement::Statement;
use super::value::{self, Said};
use super::{Proposal, ledger, patterns};
use crate::Input;

/// The newest word on the deadline; the value is none when it was lifted.
pub fn said(input: &Input<'_>, statements: &[Statement<'_>]) -> Option<Said<Date>> {
    let rules = input.lang.propose;
    let patterns = patterns::of(input.lang);
    value::newest(statements.iter().filter(|s| s.is_about_task(input)).filter_map(|statement| {
        let said = |value, evidence| Said {
            rank: statement.rank,
            section: statement.section,
            evidence,
            value,
        };
        if let Some(found) = statement.find(&patterns.due_off)
            && !statement.is_question()
        {
            return Some(said(None, statement.evidence_of(&found)));
        }
        let found = statement.find(&patterns.due)?;
        let rest = &statement.sentence.tokens[statement.rest_of_clause(&found, rules)];
        if !statement.holds(&found, rules) || pattern::holds(rest, rules.due_void) {
            return None;
        }
        // A day that was over when the sentence was written, or is by now, is no deadline to set.
        let day =
            found.day.filter(|day| *day >= statement.on && *day >= input.instruction.today)?;
        Some(said(Some(day), statement.evidence_of(&found)))
    }))
}

/// Proposes the due date.
pub fn propose(input: &Input<'_>, said: Option<&Said<Date>>) -> Option<Proposal> {
    let said = said?;
    let day = said.value.filter(|day| input.state.due_on != Some(*day))?;
    value::propose(
        input,
        Field::DueDate,
        ledger::DUE,
        json!({ "dueDate": day.to_string() }),
        &said.evidence,
    )
}
