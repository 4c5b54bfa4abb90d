//! What an import reads from a file before anything is written.

use std::ops::Range;

use jiff::civil::Date;

use crate::task::{EntryKind, Flags, Priority, Status};
use crate::{TaskId, Timestamp, closed_list};

/// How a file says that a task has no title.
pub const UNTITLED: &str = "(no title)";

/// How a file says the time of an entry, which it has no field for.
pub fn time_spent(minutes: impl std::fmt::Display) -> String {
    format!("Time spent: {minutes} min")
}

closed_list! {
    /// What a text is read as.
    pub enum Format, "format" {
        /// Markdown with headings, lists and check boxes; also a note of Obsidian.
        Markdown = "markdown",
        /// A mail with its head.
        Mail = "mail",
        /// Org mode, or a page of Logseq: an outline with states such as `TODO`.
        OrgMode = "orgMode",
        /// todo.txt: one task a line.
        TodoTxt = "todoTxt",
        /// iCalendar; its `VTODO` components are the tasks.
        ICalendar = "iCalendar",
        /// A sheet with a header row.
        Csv = "csv",
        /// The JSON export of a Trello board.
        Trello = "trello",
        /// JSON of Vikunja.
        Vikunja = "vikunja",
        /// The JSON that `gh issue list --json` prints.
        GithubIssues = "githubIssues",
        /// Dormouse's own JSON.
        Dormouse = "dormouse",
        /// JSON of a program that has no format of its own here; what its members mean is a guess.
        OtherJson = "otherJson",
        /// An outline in OPML.
        Opml = "opml",
        /// Each line that is not blank is a task.
        PlainLines = "plainLines",
    }
}

impl Format {
    /// The format of this name, in any spelling of it, or whose files usually end so; `json` is Dormouse's own.
    pub fn known_as(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase().replace(['.', '-', '_', ' '], "");
        let named = Self::ALL.iter().find(|format| format.name().to_lowercase() == text);
        let ending = match text.as_str() {
            "md" => Self::Markdown,
            "eml" => Self::Mail,
            "org" | "logseq" => Self::OrgMode,
            "todo" | "txt" => Self::TodoTxt,
            "ical" | "ics" | "vtodo" => Self::ICalendar,
            "json" => Self::Dormouse,
            _ => return named.copied(),
        };
        Some(ending)
    }
}

/// A file as drafts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drafts {
    /// The tasks, in the order of the file.
    pub tasks: Vec<Task>,
    /// Lines that were read but not understood; they are kept as text.
    pub not_understood: Vec<Remark>,
}

/// A remark to the person about one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The line number, from 1.
    pub line: usize,
    /// What was found, and how it was treated.
    pub message: String,
}

/// A task to create.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Task {
    /// Stable across re-imports: front-matter id or file name, heading path and number.
    pub key: String,
    /// The line it begins on, from 1.
    pub line: usize,
    /// Empty for an untitled task.
    pub title: String,
    /// The status, if the file states one.
    pub status: Option<Status>,
    /// The reason of a blocked or on-hold task.
    pub status_reason: Option<String>,
    /// The priority, if the file states one.
    pub priority: Option<Priority>,
    /// The due date, if the file states one.
    pub due_on: Option<Date>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// ISO 639 code.
    pub language: Option<String>,
    /// The category's name.
    pub category: Option<String>,
    /// The labels' names.
    pub labels: Vec<String>,
    /// The flags that the file sets; one that it does not mention is not set.
    pub flags: Flags,
    /// The id of the task that the file is an export of, where the key is not that id.
    pub exported_as: Option<TaskId>,
    /// When the task was last changed before it was exported, if the file says so. Only an export of
    /// Dormouse does: it tells what was changed here since from what was changed in the file.
    pub as_of: Option<Timestamp>,
    /// Checklist items in order.
    pub items: Vec<Item>,
    /// Entries in order.
    pub entries: Vec<Entry>,
}

impl Task {
    /// The id of the task that it was exported from, as far as the text says. It may be a task of
    /// another workspace.
    pub fn own_id(&self) -> Option<TaskId> {
        self.exported_as.clone().or_else(|| self.key.parse().ok())
    }
}

/// A checklist item to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Stable within its task across re-imports.
    pub key: String,
    /// Its title, one line.
    pub title: String,
    /// Whether it is ticked in the file.
    pub is_checked: bool,
    /// Nesting depth, from 0.
    pub depth: u32,
    /// The lines it is on, from 1; empty if it has none of its own, as in a cell.
    pub lines: Range<usize>,
}

/// An entry to create.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Stable within its task across re-imports.
    pub key: String,
    /// Markdown, verbatim from the file.
    pub text: String,
    /// The date of the heading or line it belongs to, if there is one.
    pub on: Option<Date>,
    /// What it holds. Time is text of an entry: a draft has no minutes.
    pub kind: EntryKind,
    /// Its own flags.
    pub flags: Flags,
}
