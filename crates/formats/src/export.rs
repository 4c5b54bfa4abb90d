//! Writes tasks as Markdown, todo.txt, iCalendar, CSV or JSON.
//!
//! What a format has no place for is known before anything is written: [`losses`] names it. Text
//! never leaves the cell, line or property that it is written into.

mod markdown;
mod page;
pub(crate) mod task;

use std::collections::BTreeMap;

use dormouse_types::closed_list;

use crate::{csv, dormouse_json, icalendar, todo_txt};

pub use page::page;
pub use task::{Link, Lost, Task};

closed_list! {
    /// A format that tasks can be written in.
    pub enum Target, "format to write" {
        /// Markdown: front matter for one task, a heading for each of several.
        Markdown = "markdown",
        /// todo.txt.
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
    /// The part.
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
    let text = match target {
        Target::Markdown => markdown::write(tasks),
        Target::TodoTxt => todo_txt::write(tasks),
        Target::ICalendar => icalendar::write(tasks),
        Target::Csv => csv::write(tasks),
        Target::Json => dormouse_json::write(tasks),
    };
    Written { text, losses: losses(tasks, target) }
}
