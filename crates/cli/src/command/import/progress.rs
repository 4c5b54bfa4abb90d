//! The outcome of an imported file, as it is reported.

use std::io::IsTerminal as _;

use dormouse::view::ImportEvent;
use dormouse_types::Id as _;
use dormouse_types::draft::Format;
use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::{counted, line, note, titled};

/// How many tasks pass between progress lines if no bar can be drawn.
const TELL_EVERY: usize = 100;
/// The number of tasks to list; further ones are only counted.
const LISTED: usize = 25;

/// What a file was read as, if that is worth a word.
pub(super) fn as_format(format: Format) -> &'static str {
    match format {
        Format::Markdown => "",
        Format::Mail => "a mail, ",
        Format::OrgMode => "Org mode, ",
        Format::TodoTxt => "todo.txt, ",
        Format::ICalendar => "iCalendar, ",
        Format::Csv => "a sheet, ",
        Format::Trello => "a Trello board, ",
        Format::Vikunja => "Vikunja, ",
        Format::GithubIssues => "GitHub issues, ",
        Format::Dormouse => "an export of Dormouse, ",
        Format::OtherJson => "JSON, ",
        Format::Opml => "an outline, ",
        Format::PlainLines => "one task per line, ",
    }
}

/// The result of importing one file.
pub(super) struct Progress {
    file: String,
    bar: ProgressBar,
    is_terminal: bool,
    read: String,
    tasks: Vec<String>,
    kept: Vec<String>,
    remarks: Vec<String>,
    done: String,
    /// How many tasks were not written.
    pub(super) n_refused: usize,
}

/// Parts of a task, in words.
pub(super) fn named(parts: &[String]) -> String {
    let words = parts.iter().map(|part| match part.as_str() {
        "dueDate" => "due date".to_owned(),
        "starred" => "star".to_owned(),
        other => line(other),
    });
    words.collect::<Vec<_>>().join(", ")
}

impl Progress {
    pub(super) fn new(file: &str) -> Self {
        Self {
            file: line(file),
            bar: ProgressBar::hidden(),
            is_terminal: std::io::stderr().is_terminal(),
            read: String::new(),
            tasks: Vec::new(),
            kept: Vec::new(),
            remarks: Vec::new(),
            done: String::new(),
            n_refused: 0,
        }
    }

    /// Takes in the next event.
    pub(super) fn take(&mut self, event: ImportEvent) {
        match event {
            ImportEvent::Read { format, tasks, items, entries, .. } => {
                self.read = format!(
                    "{}{}, {}, {}",
                    as_format(format),
                    counted(tasks, "task"),
                    counted(items, "item"),
                    if entries == 1 { "1 note".into() } else { format!("{entries} notes") }
                );
                if self.is_terminal && tasks > LISTED {
                    self.bar = ProgressBar::new(tasks as u64);
                    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} tasks") {
                        self.bar.set_style(style);
                    }
                }
            }
            ImportEvent::Task { task_id, title, outcome, kept, done, total, .. } => {
                self.bar.set_position(done as u64);
                if !self.is_terminal && done % TELL_EVERY == 0 {
                    note(&format!("{}: {done} of {total} tasks", self.file));
                }
                let id = task_id.short();
                let title = line(titled(&title));
                self.tasks.push(format!("  {id}  {title} ({outcome})"));
                if !kept.is_empty() {
                    self.kept.push(format!("  {id}  {title}: {}", named(&kept)));
                }
            }
            ImportEvent::Remark { line: at, message } => {
                self.remarks.push(format!("  line {at}: {}", line(&message)));
            }
            ImportEvent::Done { created, updated, unchanged, refused } => {
                self.bar.finish_and_clear();
                self.done = format!("{created} created, {updated} updated, {unchanged} unchanged");
                if refused > 0 {
                    self.done.push_str(&format!(", {refused} not written"));
                }
                self.n_refused = refused;
            }
        }
    }

    /// Takes the bar off the screen, as before an error.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// The lines to print at the end.
    pub(super) fn summary(mut self) -> Vec<String> {
        let mut lines = vec![format!("{}: {}; {}", self.file, self.read, self.done)];
        let n_tasks = self.tasks.len();
        self.tasks.truncate(LISTED);
        lines.append(&mut self.tasks);
        if n_tasks > LISTED {
            lines.push(format!("  … and {} more", n_tasks - LISTED));
        }
        if !self.kept.is_empty() {
            lines.push("Kept as they are in Dormouse:".to_owned());
            lines.append(&mut self.kept);
        }
        if !self.remarks.is_empty() {
            lines.push("Please check:".to_owned());
            lines.append(&mut self.remarks);
        }
        lines
    }
}
