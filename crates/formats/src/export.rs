//! Writes tasks as Markdown, todo.txt, iCalendar, CSV or JSON.
//!
//! What a format has no place for is known before anything is written: [`losses`] names it. Text
//! never leaves the cell, line or property that it is written into.

mod markdown;
mod page;
pub(crate) mod task;

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::closed_list;

use crate::{csv, dormouse_json, icalendar, todo_txt};

pub use page::page;
pub use task::{Link, Lost, Task};

closed_list! {
    /// A format that tasks can be written in.
    pub enum Target, "format to write" {
        /// Markdown: front matter for one task, a heading for each of several.
        Markdown = "markdown",
        TodoTxt = "todoTxt",
        /// iCalendar with `VTODO`.
        ICalendar = "iCalendar",
        /// A sheet, with commas and a header row.
        Csv = "csv",
        /// Dormouse's own JSON, which holds everything.
        Json = "json",
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
pub fn losses(tasks: &[Task], target: Target) -> Vec<Loss> {
    let mut found: BTreeMap<Lost, Loss> = BTreeMap::new();
    for task in tasks {
        let mut parts = match target {
            Target::Markdown => markdown::lost(task, tasks.len()),
            Target::TodoTxt => todo_txt::lost(task),
            Target::ICalendar => icalendar::lost(task),
            Target::Csv => csv::lost(task),
            Target::Json => Vec::new(),
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
pub fn write(tasks: &[Task], target: Target) -> Written {
    let number = if tasks.len() == 1 { Number::One } else { Number::Several };
    let mut writer = Writer::new(target, number);
    let mut text = writer.head();
    for task in tasks {
        text.push_str(&writer.task(task));
    }
    text.push_str(&writer.end());
    Written { text, losses: losses(tasks, target) }
}

/// How many tasks a file is for. Markdown writes a task that is alone in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// One.
    One,
    /// None, or more than one.
    Several,
}

/// A file that is written task by task: [`head`](Self::head), each task, [`end`](Self::end). No
/// more of the file than the piece that is being written is in memory; of a calendar also the ids of
/// what was written.
#[derive(Debug)]
pub struct Writer {
    target: Target,
    number: Number,
    n_written: usize,
    uids: BTreeSet<String>,
}

impl Writer {
    /// Begins a file.
    pub fn new(target: Target, number: Number) -> Self {
        Self { target, number, n_written: 0, uids: BTreeSet::new() }
    }

    /// What comes before the first task.
    pub fn head(&self) -> String {
        match self.target {
            Target::Markdown | Target::TodoTxt => String::new(),
            Target::ICalendar => icalendar::head(),
            Target::Csv => csv::head(),
            Target::Json => dormouse_json::head(),
        }
    }

    /// The next task.
    pub fn task(&mut self, task: &Task) -> String {
        let is_first = self.n_written == 0;
        self.n_written += 1;
        match (self.target, self.number) {
            (Target::Markdown, Number::One) => markdown::alone(task),
            (Target::Markdown, Number::Several) if is_first => markdown::section(task),
            (Target::Markdown, Number::Several) => format!("\n{}", markdown::section(task)),
            (Target::TodoTxt, _) => todo_txt::line(task),
            (Target::ICalendar, _) => icalendar::component(task, &mut self.uids),
            (Target::Csv, _) => csv::task_row(task),
            (Target::Json, _) if is_first => dormouse_json::member(task),
            (Target::Json, _) => format!(",{}", dormouse_json::member(task)),
        }
    }

    /// What comes after the last task.
    pub fn end(&self) -> String {
        match self.target {
            Target::Markdown | Target::TodoTxt | Target::Csv => String::new(),
            Target::ICalendar => icalendar::end(),
            Target::Json if self.n_written == 0 => dormouse_json::end(""),
            Target::Json => dormouse_json::end("\n  "),
        }
    }
}
