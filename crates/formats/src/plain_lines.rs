//! Lists without any markup: each line that is not blank is a task.
//!
//! A bullet or number at the beginning of a line is no part of the title; an indented line is text
//! of the task above it. Keys are the folded title, numbered where it repeats.

use dormouse_types::draft::{Entry, Task};
use dormouse_types::limits;

use crate::markdown::key::{self, Counter};
use crate::markdown::{Remark, stem};
use crate::plan::{self, Format, Place, Reading, Role};

/// Units: characters. A longer line is a paragraph, not a title.
const LONG: usize = 200;

/// Units: characters. From here on, a line that the next one continues is running text.
const WRAPPED: usize = 50;

/// Whether a text is a plain list: several short lines without headings, boxes or other markup that
/// are no running text.
pub fn looks_like(text: &str) -> bool {
    let mut n_lines = 0;
    let mut n_continued = 0;
    let mut before: Option<&str> = None;
    for line in plan::lines(text) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            before = None;
            continue;
        }
        if is_markup(line) || trimmed.chars().nth(LONG).is_some() {
            return false;
        }
        let continues = before.is_some_and(|before: &str| {
            before.chars().nth(WRAPPED).is_some()
                && !before.ends_with(['.', '!', '?', ':', ';'])
                && trimmed.starts_with(char::is_lowercase)
        });
        n_lines += 1;
        n_continued += usize::from(continues);
        before = Some(trimmed);
    }
    n_lines > 1 && 4 * n_continued < n_lines
}

/// Whether a line has a meaning in Markdown that a plain list does not have.
fn is_markup(line: &str) -> bool {
    let text = line.trim_start();
    let hashes = text.bytes().take_while(|&byte| byte == b'#').count();
    let is_heading = (1..=6).contains(&hashes) && text[hashes..].starts_with([' ', '\t']);
    let item = bare(text);
    let is_box = ["[ ]", "[x]", "[X]"].iter().any(|mark| item.starts_with(mark));
    let is_block = ["```", "~~~", ">", "|", "<", "---", "===", "***"];
    is_heading || is_box || is_block.iter().any(|start| text.starts_with(start))
}

/// A line without its bullet or number.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = if (1..=3).contains(&digits) {
        line[digits..].strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+', '•', '–', '·'])
    };
    after.filter(|after| after.starts_with([' ', '\t'])).map_or(line, str::trim_start)
}

/// Reads a list.
pub fn read(name: &str, text: &str) -> Reading {
    let mut reading = Reading::of(Format::PlainLines);
    let mut keys = Counter::default();
    let mut notes: Vec<&str> = Vec::new();
    let file = key::fold(name);
    for (number, line) in (1..).zip(plan::lines(text)) {
        let role = if line.trim().is_empty() {
            Role::Blank
        } else if line.starts_with([' ', '\t']) && !reading.tasks.is_empty() {
            notes.push(line.trim());
            Role::Note
        } else {
            note(&mut reading.tasks, &mut notes);
            let title = bare(line);
            let key = keys.next(format!("{file}/{}", key::fold(title)));
            reading.tasks.push(task(key, title, number, &mut reading.remarks));
            Role::Task
        };
        let task = reading.tasks.len().checked_sub(1).filter(|_| role != Role::Blank);
        reading.places.push(Place { line: number, role, task });
    }
    note(&mut reading.tasks, &mut notes);
    if reading.tasks.is_empty() {
        let message = format!("{} is empty: there is nothing to import", stem(name));
        reading.remarks.push(Remark { line: 1, message });
    }
    reading
}

fn task(key: String, title: &str, line: usize, remarks: &mut Vec<Remark>) -> Task {
    let mut task = Task { key, line, title: title.to_owned(), ..Task::default() };
    if let Err(beyond) = limits::TITLE.check(title.chars().count()) {
        task.title = title.chars().take(limits::TITLE.max - 1).collect();
        task.title.push('…');
        let message = format!("{beyond}: shortened, with the full text kept as an entry");
        remarks.push(Remark { line, message });
        task.entries = crate::markdown::entries_of("title#1", title);
    }
    task
}

/// Adds the notes of the last task.
fn note(tasks: &mut [Task], notes: &mut Vec<&str>) {
    if let Some(task) = tasks.last_mut().filter(|_| !notes.is_empty()) {
        let text = notes.join("\n");
        let entries: Vec<Entry> = crate::markdown::entries_of("text#1", &text);
        task.entries.extend(entries);
    }
    notes.clear();
}
