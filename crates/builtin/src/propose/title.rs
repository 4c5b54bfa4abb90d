//! Proposes a title for an untitled task: its first heading.

use dormouse_types::limits;
use dormouse_types::task::Field;
use serde_json::json;

use super::statement::Statement;
use super::words::Class;
use super::{Proposal, ledger, value};
use crate::Input;
use crate::read::Kind;
use crate::read::fold::content_words;

/// Proposes a title if the task has none.
pub fn propose(input: &Input<'_>, statements: &[Statement<'_>]) -> Option<Proposal> {
    if !input.state.title.trim().is_empty() {
        return None;
    }
    let heading = statements.iter().find(|statement| is_title(statement, input))?;
    let title: String = heading.segment.text.chars().take(limits::TITLE.max).collect();
    let args = json!({ "title": title.trim() });
    value::propose(input, Field::Title, ledger::TITLE, args, &heading.evidence())
}

/// Returns whether a heading names something: not a day, "Notes" or "To do".
fn is_title(statement: &Statement<'_>, input: &Input<'_>) -> bool {
    let rules = &input.lang.propose.item;
    // Level 6 holds bold lines and level 7 labels; those can be any line.
    if !matches!(statement.segment.kind, Kind::Heading { level: 1..=5 }) || statement.is_quoted {
        return false;
    }
    let text = &statement.segment.text;
    let words = super::item::bare(text);
    let names_something =
        content_words(text, input.lang).iter().any(|w| w.chars().any(char::is_alphabetic));
    let in_day =
        |n: usize| statement.sentence.days.values().any(|day| (day.start..day.end).contains(&n));
    let tokens = &statement.sentence.tokens;
    let is_day =
        !tokens.iter().enumerate().any(|(n, token)| token.class == Class::Word && !in_day(n));
    names_something && !is_day && !rules.untitled.contains(&words.as_str())
}
