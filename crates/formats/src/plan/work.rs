//! A plan while corrections change it: its tasks in pieces, and what each line is.

use super::correction::AgentChoice;
use super::sheet::Pieces;
use super::{Reading, Role};

/// The outcome of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    LeftOut,
    /// It is part of another one.
    Joined(usize),
    /// Its title is a category.
    Category,
}

/// A task, in pieces.
pub(super) struct Work {
    pub pieces: Pieces,
    /// The line that begins it, counted from 0, if there is one.
    pub title_line: Option<usize>,
    pub fate: Fate,
    pub agent: Option<AgentChoice>,
}

/// A plan while corrections are applied to it.
pub(super) struct Plan<'a> {
    pub lines: &'a [&'a str],
    pub reading: &'a Reading,
    pub works: Vec<Work>,
    /// For each line, the task it belongs to.
    pub of_line: Vec<Option<usize>>,
    /// The roles of the lines that do not follow from the pieces.
    pub roles: Vec<Role>,
}
