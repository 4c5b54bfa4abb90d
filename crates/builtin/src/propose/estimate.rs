//! How long the task takes.

use dormouse_types::limits;
use dormouse_types::task::Field;
use serde_json::json;

use super::pattern;
use super::statement::Statement;
use super::value::{self, Stated};
use super::{Proposal, ledger, patterns};
use crate::Input;
use crate::lang::propose::Rules;

/// Returns the newest estimate. Units: minutes.
pub fn stated(input: &Input<'_>, statements: &[Statement<'_>]) -> Option<Stated<u32>> {
    let about = statements.iter().filter(|statement| statement.is_about_task(input));
    value::newest(
        about.filter_map(|statement| read(input, statement).or_else(|| unread(input, statement))),
    )
}

fn read(input: &Input<'_>, statement: &Statement<'_>) -> Option<Stated<u32>> {
    let rules = input.lang.propose;
    let found = statement.find(&patterns::of(input.lang).estimate)?;
    if !statement.holds(&found, rules) || is_of_the_past(statement, rules) {
        return None;
    }
    // "2 hours and 1 hour of tests", "2 hours, maybe 3": the sum or choice is left to the person.
    // "2 hours, not 3" is not a choice.
    let sentence = &statement.sentence;
    let next = sentence.spans.range(found.tokens.end..).next().map(|(at, _)| *at);
    let goes_on = next.is_some_and(|next| {
        let between = found.tokens.end..next;
        let corrects = matches!(&sentence.tokens[between.clone()], [comma, not]
            if comma.is(",") && rules.negations.contains(&not.word.as_str()));
        !corrects && between.into_iter().any(|at| sentence.joints[at] || sentence.unsure[at])
    });
    if goes_on {
        return None;
    }
    let minutes = found.minutes.filter(is_possible)?;
    Some(Stated {
        rank: statement.rank,
        section: statement.section,
        evidence: statement.evidence_of(&found),
        value: Some(minutes),
        unread: None,
    })
}

/// Reads a sentence about the estimate that no pattern can interpret.
fn unread(input: &Input<'_>, statement: &Statement<'_>) -> Option<Stated<u32>> {
    let rules = input.lang.propose;
    statement.find(&patterns::of(input.lang).estimate_topic)?;
    let spans = &statement.sentence.spans;
    let is_vague = pattern::holds(&statement.sentence.tokens, rules.estimate_vague);
    let names_length = !spans.is_empty() && !is_of_the_past(statement, rules);
    if !(is_vague || names_length) || !statement.is_stated(rules) {
        return None;
    }
    Some(Stated {
        rank: statement.rank,
        section: statement.section,
        evidence: statement.evidence(),
        value: None,
        unread: Some(spans.values().filter_map(|span| span.minutes).collect()),
    })
}

/// Returns whether the sentence reports time already spent, which estimates nothing.
fn is_of_the_past(statement: &Statement<'_>, rules: &Rules) -> bool {
    pattern::holds(&statement.sentence.tokens, rules.estimate_void)
}

fn is_possible(minutes: &u32) -> bool {
    usize::try_from(*minutes).is_ok_and(|minutes| (1..=limits::ESTIMATE.max).contains(&minutes))
}

/// Proposes the estimate.
pub fn propose(input: &Input<'_>, stated: Option<&Stated<u32>>) -> Option<Proposal> {
    let stated = stated?;
    let minutes = stated.value.filter(|minutes| input.state.estimate_minutes != Some(*minutes))?;
    value::propose(
        input,
        Field::Estimate,
        ledger::ESTIMATE,
        json!({ "minutes": minutes }),
        &stated.evidence,
    )
}
