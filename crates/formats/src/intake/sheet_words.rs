//! What people call the columns of their sheets, and how they say done, status and priority there, by language.
//!
//! A language is a value of [`SheetWords`].

mod english;
mod french;
mod german;
mod more;
mod romanian;
mod spanish;
mod table;

use dormouse_types::task::{Priority, Status};

use crate::reading::Column;

use table::SheetWords;

/// Where a word means different things in two languages, the first decides.
const FIRST: &[SheetWords] =
    &[english::WORDS, german::WORDS, french::WORDS, spanish::WORDS, romanian::WORDS];

fn languages() -> impl Iterator<Item = &'static SheetWords> {
    FIRST.iter().chain(more::LANGUAGES)
}

/// What a list of words gives to a word.
fn meaning<M: Copy>(rows: &[(M, &[&str])], word: &str) -> Option<M> {
    rows.iter().find(|(_, words)| words.contains(&word)).map(|&(meaning, _)| meaning)
}

/// Whether a list of some language has a word.
fn lists(word: &str, list: impl Fn(&SheetWords) -> &'static [&'static str]) -> bool {
    languages().any(|language| list(language).contains(&word))
}

pub(super) fn column(name: &str) -> Option<Column> {
    languages().find_map(|language| {
        let day = language.days.contains(&name).then_some(Column::Due);
        meaning(language.columns, name).or(day)
    })
}

/// Whether a name says no more than that a column holds days.
pub(super) fn is_any_day(name: &str) -> bool {
    lists(name, |language| language.days)
}

/// Whether a word in the name of a column of days says that something happened then.
pub(super) fn is_past(word: &str) -> bool {
    lists(word, |language| language.past)
}

pub(super) fn status(word: &str) -> Option<Status> {
    languages().find_map(|language| meaning(language.statuses, word))
}

pub(super) fn priority(word: &str) -> Option<Priority> {
    languages().find_map(|language| meaning(language.priorities, word))
}

/// Whether a heading says that the list below it is what is to be done.
pub(super) fn names_actions(words: &str) -> bool {
    lists(words, |language| language.actions)
}

/// Yes or no.
pub(super) fn answer(word: &str) -> Option<bool> {
    languages().find_map(|language| {
        let yes = language.yes.contains(&word).then_some(true);
        yes.or(language.no.contains(&word).then_some(false))
    })
}
