//! The day the task is due.

use dormouse_types::task::Field;
use jiff::civil::Date;
use serde_json::json;

use super::day::Reading;
use super::pattern;
use super::statement::Statement;
use super::value::{self, Stated};
use super::{Proposal, ledger, patterns};
use crate::Input;

/// Returns the newest statement about the deadline; its value is `None` if the deadline was lifted.
pub fn stated(input: &Input<'_>, statements: &[Statement<'_>]) -> Option<Stated<Date>> {
    let about = || statements.iter().filter(|statement| statement.is_about_task(input));
    let mut all: Vec<Stated<Date>> = about()
        .filter_map(|statement| read(input, statement).or_else(|| unread(input, statement)))
        .collect();
    let moved: Vec<Stated<Date>> =
        about().filter_map(|statement| moved_along(input, statement, &all)).collect();
    all.extend(moved);
    value::newest(all)
}

/// Reads a sentence about something that moved to another day, after its due day was named.
fn moved_along(
    input: &Input<'_>,
    statement: &Statement<'_>,
    stated: &[Stated<Date>],
) -> Option<Stated<Date>> {
    let rules = input.lang.propose;
    let found = statement.find(&patterns::of(input.lang).due_along)?;
    if !statement.holds(&found, rules) || stated.iter().any(|stated| stated.rank == statement.rank)
    {
        return None;
    }
    let earlier =
        stated.iter().filter(|stated| stated.rank < statement.rank && stated.unread.is_none());
    let due = earlier.max_by_key(|stated| stated.rank)?.value?;
    // If it moved away from another day, the deadline does not depend on it.
    if found.other.is_some_and(|from| from != due) {
        return None;
    }
    let day = found.day.filter(|day| *day >= statement.on && *day >= input.instruction.today)?;
    Some(Stated {
        rank: statement.rank,
        section: statement.section,
        evidence: statement.evidence_of(&found),
        value: Some(day),
        unread: None,
    })
}

fn read(input: &Input<'_>, statement: &Statement<'_>) -> Option<Stated<Date>> {
    let rules = input.lang.propose;
    let patterns = patterns::of(input.lang);
    let stated = |value, evidence| Stated {
        rank: statement.rank,
        section: statement.section,
        evidence,
        value,
        unread: None,
    };
    if let Some(found) = statement.find(&patterns.due_off)
        && !statement.is_question()
    {
        return Some(stated(None, statement.evidence_of(&found)));
    }
    let found = statement.find(&patterns.due)?;
    let rest = &statement.sentence.tokens[statement.rest_of_clause(&found, rules)];
    if !statement.holds(&found, rules) || pattern::holds(rest, rules.due_void) {
        return None;
    }
    // A day already past when the sentence was written, or past today, is not proposed as a
    // deadline.
    let day = found.day.filter(|day| *day >= statement.on && *day >= input.instruction.today)?;
    Some(stated(Some(day), statement.evidence_of(&found)))
}

/// Returns whether a sentence names a due day, and the person has set another one since.
pub fn is_overruled(input: &Input<'_>, statement: &Statement<'_>) -> bool {
    let set_at = ledger::last_say(input, Field::DueDate);
    if set_at.is_none_or(|at| at <= statement.rank.at) || !statement.is_about_task(input) {
        return false;
    }
    let found = statement.find(&patterns::of(input.lang).due);
    let named = found
        .filter(|found| statement.holds(found, input.lang.propose))
        .and_then(|found| found.day);
    named.is_some_and(|day| input.state.due_on.is_some_and(|due| due != day))
}

/// Returns whether a sentence names a due day that a newer sentence has moved.
pub fn is_older(input: &Input<'_>, statement: &Statement<'_>, newest: &Stated<Date>) -> bool {
    if newest.rank <= statement.rank || !statement.is_about_task(input) {
        return false;
    }
    let Some(day) = newest.value else { return false };
    let found = statement.find(&patterns::of(input.lang).due);
    let named = found
        .filter(|found| statement.holds(found, input.lang.propose))
        .and_then(|found| found.day);
    named.is_some_and(|named| named != day)
}

/// Reads a sentence about the deadline that no pattern can interpret.
fn unread(input: &Input<'_>, statement: &Statement<'_>) -> Option<Stated<Date>> {
    let rules = input.lang.propose;
    let found = statement.find(&patterns::of(input.lang).due_topic)?;
    let sentence = &statement.sentence;
    let says_when = !sentence.days.is_empty() || pattern::holds(&sentence.tokens, rules.due_vague);
    // The deadline must be the topic of the sentence, not a remark in it.
    if !says_when || !statement.is_stated(rules) || !sentence.opens.contains(&found.tokens.start) {
        return None;
    }
    let named = sentence.days.values().filter_map(|day| match day.reading {
        Reading::Day(day) => Some(day),
        Reading::Unclear => None,
    });
    Some(Stated {
        rank: statement.rank,
        section: statement.section,
        evidence: statement.evidence(),
        value: None,
        unread: Some(named.collect()),
    })
}

/// Proposes the due date.
pub fn propose(input: &Input<'_>, stated: Option<&Stated<Date>>) -> Option<Proposal> {
    let stated = stated?;
    let day = stated.value.filter(|day| input.state.due_on != Some(*day))?;
    value::propose(
        input,
        Field::DueDate,
        ledger::DUE,
        json!({ "dueDate": day.to_string() }),
        &stated.evidence,
    )
}
