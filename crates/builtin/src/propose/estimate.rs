//! How long the task takes.

use dormouse_types::limits;
use dormouse_types::task::Field;
use serde_json::json;

use super::pattern;
use super::statement::Statement;
use super::value::{self, Said};
use super::{Proposal, ledger, patterns};
use crate::Input;

/// The newest estimate. Units: minutes.
pub fn said(input: &Input<'_>, statements: &[Statement<'_>]) -> Option<Said<u32>> {
    let rules = input.lang.propose;
    let patterns = patterns::of(input.lang);
    value::newest(statements.iter().filter(|s| s.is_about_task(input)).filter_map(|statement| {
        let found = statement.find(&patterns.estimate)?;
        if !statement.holds(&found, rules)
            || pattern::holds(&statement.sentence.tokens, rules.estimate_void)
        {
            return None;
        }
        // "2 hours and 1 hour of tests", "2 hours, maybe 3": the sum or choice is the person's.
        let sentence = &statement.sentence;
        let next = sentence.spans.range(found.tokens.end..).next().map(|(at, _)| *at);
        let goes_on = next.is_some_and(|next| {
            (found.tokens.end..next).any(|at| sentence.joints[at] || sentence.unsure[at])
        });
        if goes_on {
            return None;
        }
        let minutes = found.minutes.filter(|m| {
            usize::try_from(*m).is_ok_and(|m| (1..=limits::ESTIMATE.max).contains(&m))
        })?;
        Some(Said {
            rank: statement.rank,
            section: statement.section,
            evidence: statement.evidence_of(&found),
            value: Some(minutes),
        })
    }))
}

/// Proposes the estimate.
pub fn propose(input: &Input<'_>, said: Option<&Said<u32>>) -> Option<Proposal> {
    let said = said?;
    let minutes = said.value.filter(|minutes| input.state.estimate_minutes != Some(*minutes))?;
    value::propose(
        input,
        Field::Estimate,
        ledger::ESTIMATE,
        json!({ "minutes": minutes }),
        &said.evidence,
    )
}
