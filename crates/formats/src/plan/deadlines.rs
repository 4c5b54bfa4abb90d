//! Deadlines that a list says in words: "by 24.11." in a note, "until Friday" in a title.
//!
//! - The first deadline in the text of a task is its due date; its line is [`Role::Due`], and its
//!   words stay text. A later one stays text, with a remark.
//! - So is the day and time that the text of a task begins with ("Monday 30 Nov, 10:00 with the
//!   landlord"). Any other appointment stays text: a person can say that it is the due date.
//! - Below a day that heads a note the text is a diary: what was due then is not due now. Quotations
//!   and code say nothing about the task either, and a closed task is not due.

use dormouse_types::draft::Remark;
use dormouse_types::task::Status;

use super::sheet::words;
use super::{MovingDay, Reading, Role};
use crate::intake::{Dated, Dates};
use crate::markdown::days;

/// What is known of a task while its lines are read.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Whether a line of its text came before.
    has_text: bool,
    is_diary: bool,
    /// The line of its deadline, from 1.
    due_line: Option<usize>,
}

/// Finds the deadlines in the words of a reading that has no fields for them. Without a day of
/// reading it finds none.
pub(super) fn find(text: &str, reading: &mut Reading) {
    if reading.options.today.is_none() {
        return;
    }
    let options = reading.options.clone();
    let dates = Dates::new(&options);
    let mut seen = vec![Seen::default(); reading.tasks.len()];
    let mut is_code = false;
    let lines = super::lines(text);
    for (line, place) in lines.iter().zip(&mut reading.places) {
        if options.cancel.is_cancelled() {
            return;
        }
        let start = line.trim_start();
        let is_fence = start.starts_with("```") || start.starts_with("~~~");
        is_code ^= is_fence;
        let Some(at) = place.task.filter(|_| !is_code && !is_fence) else { continue };
        let (seen, task) = (&mut seen[at], &mut reading.tasks[at]);
        if task.status.is_some_and(Status::is_terminal) {
            continue;
        }
        let found = match place.role {
            Role::Task => dates.due_in(words(line)).map(|(_, dated)| dated),
            Role::Note if !start.starts_with('>') => {
                let is_first = !std::mem::replace(&mut seen.has_text, true);
                let is_heading = start.starts_with('#');
                seen.is_diary |= days::heads_note(start)
                    || is_heading && days::leading(words(line), None).day().is_some();
                match seen.is_diary {
                    true => None,
                    false => {
                        let due = dates.due_in(line).map(|(_, dated)| dated);
                        due.or_else(|| dates.appointment(words(line)).filter(|_| is_first))
                    }
                }
            }
            Role::Category
            | Role::Parent
            | Role::Item
            | Role::Note
            | Role::Due
            | Role::Field
            | Role::Markup
            | Role::Skipped
            | Role::LeftOut
            | Role::Blank => continue,
        };
        let Some(Dated { day, words, moves, .. }) = found else {
            if let Some(text) = dates.impossible_in(line) {
                let message = format!("`{text}` is not a day of the calendar: kept as text");
                let remark = Remark { line: place.line, message };
                if !reading.remarks.contains(&remark) {
                    reading.remarks.push(remark);
                }
            }
            continue;
        };
        match (task.due_on, seen.due_line) {
            (None, _) => {
                task.due_on = Some(day);
                seen.due_line = Some(place.line);
                if moves {
                    reading.moving.push(MovingDay { task: at, words, day });
                }
                if place.role == Role::Note {
                    place.role = Role::Due;
                }
            }
            (Some(other), Some(first)) if other != day => {
                let message =
                    format!("the task is due by line {first} already: `{words}` is kept as text");
                reading.remarks.push(Remark { line: place.line, message });
            }
            // Where a field says when it is due, the words say so too, or something else.
            (Some(_), _) => {}
        }
    }
    reading.remarks.sort_by_key(|remark| remark.line);
}
