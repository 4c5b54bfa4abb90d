//! What an import reads from a file before anything is written.

use jiff::civil::Date;

use crate::task::{Priority, Status};

/// A file read into drafts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drafts {
    /// The tasks, in the order of the file.
    pub tasks: Vec<Task>,
    /// Lines that were read but not understood: they are kept as text.
    pub not_understood: Vec<Remark>,
}

/// Something to tell the person about one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// From 1.
    pub line: usize,
    /// What it is, and what became of it.
    pub message: String,
}

/// A task to be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Task {
    /// Stable across re-imports: front-matter id or file name, heading path and number.
    pub key: String,
    /// The line it begins on, from 1.
    pub line: usize,
    /// Empty for an untitled task.
    pub title: String,
    /// A status the file states.
    pub status: Option<Status>,
    /// Reason of a blocked or held task.
    pub status_reason: Option<String>,
    /// A priority the file states.
    pub priority: Option<Priority>,
    /// A due day the file states.
    pub due_on: Option<Date>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// ISO 639 code.
    pub language: Option<String>,
    /// Category by name.
    pub category: Option<String>,
    /// Labels by name.
    pub labels: Vec<String>,
    /// Checklist items in order.
    pub items: Vec<Item>,
    /// Entries in order.
    pub entries: Vec<Entry>,
}

/// A checklist item to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Stable within its task across re-imports.
    pub key: String,
    /// Its title, one line.
    pub title: String,
    /// Whether the file ticks it.
    pub is_checked: bool,
    /// How deep it is nested, from 0.
    pub depth: u32,
}

/// An entry to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Stable within its task across re-imports.
    pub key: String,
    /// Markdown, verbatim from the file.
    pub text: String,
    /// The day the text stands under, where the file says one.
    pub on: Option<Date>,
}
