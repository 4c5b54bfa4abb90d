//! A language that dates are read in.

use std::sync::LazyLock;

use super::table::{Sense, Table};
use super::words::{Lead, ScheduleWords};

/// A language that dates are read in.
#[derive(Clone, Copy)]
pub struct Language(pub(super) &'static LazyLock<Table>);

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Language").field(&self.code()).finish()
    }
}

impl Language {
    /// ISO 639 code.
    pub fn code(&self) -> &'static str {
        self.0.words.code
    }

    /// Words that make the day after it one that was: "since". None if the language has none.
    pub fn since(&self) -> Option<&'static str> {
        let leads = self.0.words.leads.iter();
        let since = leads.filter(|(_, lead)| *lead == Lead::Since).map(|(form, _)| *form);
        let plain = since.filter(|form| form.chars().all(|c| c.is_alphabetic() || c == ' '));
        plain.min_by_key(|form| form.len())
    }

    /// How a schedule is said in this language.
    pub(crate) fn schedule(&self) -> &'static ScheduleWords {
        &self.0.words.schedule
    }

    /// Whether a word says that nothing is done on the day after it: "closed".
    pub(crate) fn says_closed(&self, word: &str) -> bool {
        let closed = self.0.words.closed.iter();
        let word = word.to_lowercase();
        closed.into_iter().any(|known| *known == word)
    }

    /// Whether a word is the name of a month, whole or short.
    pub fn names_a_month(&self, word: &str) -> bool {
        let table: &Table = self.0;
        let entry = table.entry(table.id(&word.to_lowercase()));
        entry.senses.iter().any(|sense| matches!(sense, Sense::Month(_)))
    }

    /// Whether a word is the name of a weekday or a month.
    pub(super) fn names_a_day(&self, word: &str) -> bool {
        let table: &Table = self.0;
        let entry = table.entry(table.id(&word.to_lowercase()));
        entry.senses.iter().any(|sense| matches!(sense, Sense::Weekday(_) | Sense::Month(_)))
    }

    /// Whether a word, in lower case, can be one of those that make a date a deadline. Without any
    /// such word a text has none.
    pub(crate) fn may_be_due(&self, word: &str) -> bool {
        self.0.due_words.contains(word)
    }
}
