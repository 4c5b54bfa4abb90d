//! What a text becomes, line by line, before anything is written.
//!
//! A reader of a format turns a text into a [`Reading`]: the tasks it found, and for each line the
//! place it has in them. No line is without a place, so a person can see that nothing was lost and
//! say where the reader was wrong.

use dormouse_types::closed_list;
use dormouse_types::draft::{Remark, Task};

closed_list! {
    /// What a text is read as.
    pub enum Format, "format" {
        /// Markdown with headings, lists and check boxes; also a note of Obsidian.
        Markdown = "markdown",
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
        /// Each line that is not blank is a task.
        PlainLines = "plainLines",
    }
}

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
    /// The tasks, in the order of the text.
    pub tasks: Vec<Task>,
    /// The place of every line, in order: as many as the text has lines.
    pub places: Vec<Place>,
    /// What was not understood, or is kept elsewhere than the text had it.
    pub remarks: Vec<Remark>,
}
