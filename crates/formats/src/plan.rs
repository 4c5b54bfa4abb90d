//! What a text becomes, line by line, before anything is written.
//!
//! A reader of a format turns a text into a [`Reading`]: the tasks it found, and for each line the
//! place it has in them. No line is without a place, so a person can see that nothing was lost and
//! say where the reader was wrong: corrections are typed edits by line, and applying them is a
//! function of text, reading and corrections.
//!
//! Reading order: `read`, `deadlines`, `correction`, `apply`, `wanted`, `rework`, `due`, `join`,
//! `sheet`, `agents`.

mod agents;
mod apply;
mod correction;
mod deadlines;
mod due;
mod join;
mod read;
mod rework;
mod sheet;
mod wanted;

use dormouse_types::closed_list;
pub use dormouse_types::draft::Format;
use dormouse_types::draft::{Remark, Task};
use jiff::civil::Date;

use crate::csv::Columns;
use crate::intake::ReadOptions;

pub use agents::deserves_agent;
pub use apply::apply;
pub use correction::{
    AgentChoice, Anchor, Correction, CorrectionError, Edit, Kept, KeptDay, KeptEdit, Planned,
    PlannedTask,
};
pub use read::{Error, Options, decode, detect, digest, read};

closed_list! {
    /// The place of a line in what a text becomes.
    pub enum Role, "role of a line" {
        /// Its text is the category of the tasks that follow.
        Category = "category",
        /// A heading without content of its own; its text stands before the titles of its children.
        Parent = "parent",
        /// A task begins here, and this line gives it its title.
        Task = "task",
        /// An item of the checklist.
        Item = "item",
        /// Text of an entry, kept verbatim.
        Note = "note",
        /// It sets the due date.
        Due = "due",
        /// It sets another field, or several.
        Field = "field",
        /// Markup, such as a fence, a bracket or the head of a sheet.
        Markup = "markup",
        /// It is about no task, such as an event beside a `VTODO`. A remark says so.
        Skipped = "skipped",
        /// A person left it out.
        LeftOut = "leftOut",
        /// Only spaces.
        Blank = "blank",
    }
}

/// The place of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line number, from 1.
    pub line: usize,
    /// What the line is.
    pub role: Role,
    /// The task it belongs to, as an index into [`Reading::tasks`].
    pub task: Option<usize>,
}

/// What a reader understood of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The format it was read as.
    pub format: Format,
    /// How it was read.
    pub options: ReadOptions,
    /// The tasks, in the order of the text.
    pub tasks: Vec<Task>,
    /// The place of every line, in order: as many as the text has lines.
    pub places: Vec<Place>,
    /// What was not understood, or is kept elsewhere than the text had it.
    pub remarks: Vec<Remark>,
    /// The due dates that depend on the day of reading.
    pub moving: Vec<MovingDay>,
    /// The columns of a sheet; none for another format.
    pub sheet: Option<Columns>,
}

impl Reading {
    /// A reading of nothing.
    pub(crate) fn of(format: Format) -> Self {
        Self {
            format,
            options: ReadOptions::default(),
            tasks: Vec::new(),
            places: Vec::new(),
            remarks: Vec::new(),
            moving: Vec::new(),
            sheet: None,
        }
    }
}

/// A due date whose words mean another day when the text is read on another day, such as "by
/// 24.11." or "Friday". See [`KeptDay`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovingDay {
    /// The task, as an index into [`Reading::tasks`].
    pub task: usize,
    /// The words.
    pub words: String,
    /// The day that they mean, read on the day of the options.
    pub day: Date,
}

/// The lines of a text, ended by `\n`, `\r\n` or `\r`, without byte order marks at the beginning. All readers count
/// lines so.
pub fn lines(text: &str) -> Vec<&str> {
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut lines = Vec::new();
    while let Some(end) = rest.find(['\n', '\r']) {
        lines.push(&rest[..end]);
        let width = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[end + width..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// The column of the first character of a line that is not a space.
pub(crate) use crate::markdown::indent;
