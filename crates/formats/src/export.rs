//! Writes tasks as Markdown, todo.txt, iCalendar, CSV or JSON.
//!
//! What a format has no place for is known before anything is written: [`losses`] names it. Text
//! never leaves the cell, line or property that it is written into.

mod markdown;
mod page;
pub(crate) mod task;

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::closed_list;
use dormouse_types::draft::Format;

use crate::{csv, dormouse_json, icalendar, todo_txt};

pub use page::page;
pub use task::{Link, Lost, Task};

closed_list! {
    /// A format that tasks can be written in.
    pub enum ExportFormat, "format to write" {
        /// Markdown: front matter for one task, a heading for each of several.
        Markdown = "markdown",
        /// todo.txt: one task a line.
        TodoTxt = "todoTxt",
        /// iCalendar with a `VTODO` for each task.
        ICalendar = "iCalendar",
        /// A sheet, with commas and a header row.
        Csv = "csv",
        /// Dormouse's own JSON, with all that the other formats could hold.
        Json = "json",
    }
}

impl ExportFormat {
    /// The format that reads what this one writes.
    pub fn read_as(self) -> Format {
        match self {
            Self::Markdown => Format::Markdown,
            Self::TodoTxt => Format::TodoTxt,
            Self::ICalendar => Format::ICalendar,
            Self::Csv => Format::Csv,
            Self::Json => Format::Dormouse,
        }
    }

    /// The media type of a file, in UTF-8.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown",
            Self::TodoTxt => "text/plain",
            Self::ICalendar => "text/calendar",
            Self::Csv => "text/csv",
            Self::Json => "application/json",
        }
    }

    /// How the name of a file ends.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::TodoTxt => "txt",
            Self::ICalendar => "ics",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }
}

/// What an export leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub part: Lost,
    /// How many tasks have it.
    pub n_tasks: usize,
    /// The title of the first of them.
    pub first: String,
}

/// Tasks in a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub text: String,
    /// What it does not hold, in the order of [`Lost`].
    pub losses: Vec<Loss>,
}

/// What writing tasks in a format would leave out.
pub fn losses(tasks: &[Task], format: ExportFormat) -> Vec<Loss> {
    let mut found: BTreeMap<Lost, Loss> = BTreeMap::new();
    for task in tasks {
        let mut parts = match format {
            ExportFormat::Markdown => markdown::lost(task, tasks.len()),
            ExportFormat::TodoTxt => todo_txt::lost(task),
            ExportFormat::ICalendar => icalendar::lost(task),
            ExportFormat::Csv => csv::lost(task),
            ExportFormat::Json => Vec::new(),
        };
        parts.sort_unstable();
        parts.dedup();
        for part in parts {
            let first = || Loss { part, n_tasks: 0, first: task.title_line() };
            found.entry(part).or_insert_with(first).n_tasks += 1;
        }
    }
    found.into_values().collect()
}

/// Writes tasks in a format.
pub fn write(tasks: &[Task], format: ExportFormat) -> Written {
    let number = if tasks.len() == 1 { Number::One } else { Number::Several };
    let mut writer = Writer::new(format, number);
    let mut text = writer.head();
    for task in tasks {
        text.push_str(&writer.task(task));
    }
    text.push_str(&writer.end());
    Written { text, losses: losses(tasks, format) }
}

/// How many tasks a file is for. Markdown writes a task that is alone in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    One,
    /// None, or more than one.
    Several,
}

/// A file that is written task by task: [`head`](Self::head), each task, [`end`](Self::end). No
/// more of the file than the piece that is being written is in memory; of a calendar also the ids of
/// what was written.
#[derive(Debug)]
pub struct Writer {
    format: ExportFormat,
    number: Number,
    n_written: usize,
    uids: BTreeSet<String>,
}

impl Writer {
    /// Begins a file.
    pub fn new(format: ExportFormat, number: Number) -> Self {
        Self { format, number, n_written: 0, uids: BTreeSet::new() }
    }

    /// What comes before the first task.
    pub fn head(&self) -> String {
        match self.format {
            ExportFormat::Markdown | ExportFormat::TodoTxt => String::new(),
            ExportFormat::ICalendar => icalendar::head(),
            ExportFormat::Csv => csv::head(),
            ExportFormat::Json => dormouse_json::head(),
        }
    }

    /// The next task.
    pub fn task(&mut self, task: &Task) -> String {
        let is_first = self.n_written == 0;
        self.n_written += 1;
        match (self.format, self.number) {
            (ExportFormat::Markdown, Number::One) => markdown::alone(task),
            (ExportFormat::Markdown, Number::Several) if is_first => markdown::section(task),
            (ExportFormat::Markdown, Number::Several) => format!("\n{}", markdown::section(task)),
            (ExportFormat::TodoTxt, _) => todo_txt::line(task),
            (ExportFormat::ICalendar, _) => icalendar::component(task, &mut self.uids),
            (ExportFormat::Csv, _) => csv::task_row(task),
            (ExportFormat::Json, _) if is_first => dormouse_json::member(task),
            (ExportFormat::Json, _) => format!(",{}", dormouse_json::member(task)),
        }
    }

    /// What comes after the last task.
    pub fn end(&self) -> String {
        match self.format {
            ExportFormat::Markdown | ExportFormat::TodoTxt | ExportFormat::Csv => String::new(),
            ExportFormat::ICalendar => icalendar::end(),
            ExportFormat::Json if self.n_written == 0 => dormouse_json::end(""),
            ExportFormat::Json => dormouse_json::end("\n  "),
        }
    }
}
