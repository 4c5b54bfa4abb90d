//! What a reader understood of a text: its tasks, and the place of each of its lines.
//!
//! Every reader makes a [`Reading`], and a plan is made of one, so this module knows neither.
//!
//! Reading order: `options`, `cancel`, `columns`.

mod cancel;
mod columns;
mod options;

use dormouse_types::closed_list;
pub use dormouse_types::draft::Format;
use dormouse_types::draft::{Remark, Task};
use jiff::civil::Date;

pub use cancel::Cancel;
pub use columns::{Because, Column, ColumnGuess, Columns, SampleRow};
pub use options::{DayOrder, ReadOptions};

/// The most lines of one text: each costs memory in the plan.
pub(crate) const MAX_LINES: usize = 1_000_000;

/// The most tasks of one text.
pub(crate) const MAX_TASKS: usize = 200_000;

closed_list! {
    /// The place of a line in what a text becomes.
    pub enum Role, "role of a line" {
        /// Its text is the category of the tasks that follow.
        Category = "category",
        /// A heading without content of its own; its text comes before the titles of its children.
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
        /// It is about no task, such as an event next to a `VTODO`. A remark says so.
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
/// 24.11." or "Friday". A plan keeps the day that they meant first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovingDay {
    /// The task, as an index into [`Reading::tasks`].
    pub task: usize,
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

/// The width of a text at the beginning of a line. Units: columns; a tab ends at a multiple of 4.
pub(crate) fn columns_of(text: &str) -> usize {
    text.chars().fold(0, |at, c| if c == '\t' { at + 4 - at % 4 } else { at + 1 })
}

/// The column of the first character of a line that is not a space.
pub(crate) fn indent(line: &str) -> usize {
    columns_of(&line[..line.len() - line.trim_start().len()])
}
