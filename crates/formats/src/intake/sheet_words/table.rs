//! The words of one language.

use dormouse_types::task::{Priority, Status};

use crate::reading::Column;

/// The words of a language, in lower case and without hyphens.
pub(super) struct SheetWords {
    pub columns: &'static [(Column, &'static [&'static str])],
    /// Names of a column of due dates that say no more than that it holds days: next to a deadline, it is when
    /// something was written down or begins.
    pub days: &'static [&'static str],
    /// Words in the name of a column of days that say that something happened then, or begins: it is not due.
    pub past: &'static [&'static str],
    pub statuses: &'static [(Status, &'static [&'static str])],
    pub priorities: &'static [(Priority, &'static [&'static str])],
    /// Headings of a list of what is to be done.
    pub actions: &'static [&'static str],
    pub yes: &'static [&'static str],
    pub no: &'static [&'static str],
}

/// No words, for what a language does not name.
pub(super) const NONE: SheetWords = SheetWords {
    columns: &[],
    days: &[],
    past: &[],
    statuses: &[],
    priorities: &[],
    actions: &[],
    yes: &[],
    no: &[],
};
