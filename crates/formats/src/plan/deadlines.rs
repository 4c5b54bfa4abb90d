//! Deadlines that a list says in words: "by 24.11." in a note, "until Friday" in a title.
//!
//! - The first deadline in the text of a task is its due date; its line is [`Role::Due`], and its
//!   words stay text. A later one stays text, with a remark.
//! - A line of a plain list is read as one in which somebody adds a task: the day at its end is its due date.
//! - So is the day and time that the text of a task begins with ("Monday 30 Nov, 10:00 with the
//!   landlord"). Any other appointment stays text: a person can say that it is the due date.
//! - A point of several, or a row of a table, says when that point is due, and not when all of them are. One
//!   that is nothing but a deadline ("- Due: 24.11.") is about the task.
//! - Below a day that heads a note the text is a diary: what was due then is not due now. Quotations
//!   and code say nothing about the task either, and a closed task is not due. An export of this program has a
//!   field for each due date that there is.

use dormouse_types::draft::Remark;
use dormouse_types::task::Status;

use super::sheet::words;
use super::{Format, MovingDay, Reading, Role};
use crate::intake::{Dated, Dates};
use crate::markdown::{days, listed};
use crate::quick_add::quick_add;
use crate::reading::indent;

/// What is known of a task while its lines are read.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Whether a line of its text came before.
    has_text: bool,
    is_diary: bool,
    /// The line of its deadline, from 1.
    due_line: Option<usize>,
    /// How far the last item is indented: text below it is of the item. Units: columns.
    item: Option<usize>,
}

/// Why a deadline that nobody has looked at is not taken.
const UNSEEN: &str =
    "a date in a sentence becomes the due date only if you confirm a plan: it stays in the text";

/// Finds the deadlines in the words of a reading that has no fields for them. Without a day of
/// reading those are taken that are a whole date with nothing around it ("Due: 2026-12-01"), and others are named.
pub(super) fn find(text: &str, reading: &mut Reading) {
    let options = reading.options.clone();
    let is_seen = options.today.is_some();
    let dates = if is_seen { Dates::new(&options) } else { Dates::named(&options) };
    let mut seen = vec![Seen::default(); reading.tasks.len()];
    let mut is_code = false;
    let lines = super::lines(text);
    let has_points = with_points(&lines, reading);
    for (line, place) in lines.iter().zip(&mut reading.places) {
        if options.cancel.is_cancelled() {
            return;
        }
        let start = line.trim_start();
        let is_fence = start.starts_with("```") || start.starts_with("~~~");
        is_code ^= is_fence;
        let Some(at) = place.task.filter(|_| !is_code && !is_fence) else { continue };
        let (seen, task) = (&mut seen[at], &mut reading.tasks[at]);
        // What this program wrote has a field for the due date, if there is one.
        if task.status.is_some_and(Status::is_terminal) || task.own_id().is_some() {
            continue;
        }
        let found = match place.role {
            Role::Task => {
                seen.item = None;
                // A date by itself at the end of a title takes precedence over one in its words.
                let apart = in_brackets(words(line)).and_then(|inside| {
                    let (_, dated) = dates.due_in(inside)?;
                    (!says_more(inside, &dated.words)).then_some(dated)
                });
                let at_end = || {
                    let is_list = reading.format == Format::PlainLines && is_seen;
                    is_list
                        .then(|| {
                            dates.at_end(words(line), |line, reader| quick_add(line, reader).due)
                        })
                        .flatten()
                };
                apart.or_else(|| dates.due_in(words(line)).map(|(_, dated)| dated)).or_else(at_end)
            }
            Role::Item => {
                seen.item = Some(indent(line));
                continue;
            }
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
            | Role::Note
            | Role::Due
            | Role::Field
            | Role::Markup
            | Role::Skipped
            | Role::LeftOut
            | Role::Blank => continue,
        };
        let doubt = found.as_ref().and_then(Dated::doubt);
        let Some(Dated { day, words, moves, .. }) = found else {
            if let Some(text) = dates.impossible_in(line) {
                let message = format!("`{text}` is not a valid date: it stays in the text");
                let remark = Remark { line: place.line, message };
                if !reading.remarks.contains(&remark) {
                    reading.remarks.push(remark);
                }
            }
            continue;
        };
        let is_of_item = seen.item.is_some_and(|item| indent(line) > item);
        if place.role == Role::Note && has_points[at] && (is_of_item || is_of_point(line, &words)) {
            let message = format!("`{words}` is the deadline of one point: it stays in the text");
            reading.remarks.push(Remark { line: place.line, message });
            continue;
        }
        match (task.due_on, seen.due_line) {
            (None, _) if !is_seen && (moves || !is_apart(line, &words, place.role)) => {
                reading.remarks.push(Remark { line: place.line, message: UNSEEN.to_owned() });
            }
            (None, _) => {
                task.due_on = Some(day);
                seen.due_line = Some(place.line);
                let doubt =
                    doubt.map(|doubt| Remark { line: place.line, message: doubt.to_owned() });
                reading.remarks.extend(doubt);
                if moves {
                    reading.moving.push(MovingDay { task: at, words, day });
                }
                if place.role == Role::Note {
                    place.role = Role::Due;
                }
            }
            (Some(other), Some(first)) if other != day => {
                let message =
                    format!("line {first} already sets the due date: `{words}` stays in the text");
                reading.remarks.push(Remark { line: place.line, message });
            }
            // Where a field says when it is due, the words say so too, or something else.
            (Some(_), _) => {}
        }
    }
    reading.remarks.sort_by_key(|remark| remark.line);
}

/// The tasks with several points, of which one may be due when the others are not.
fn with_points(lines: &[&str], reading: &Reading) -> Vec<bool> {
    let mut n_points: Vec<usize> = reading.tasks.iter().map(|task| task.items.len()).collect();
    for (line, place) in lines.iter().zip(&reading.places) {
        if let Some(at) = place.task.filter(|_| place.role == Role::Note && point(line).is_some()) {
            n_points[at] += 1;
        }
    }
    n_points.into_iter().map(|n| n > 1).collect()
}

/// The words of a point of a list or of a row of a table.
fn point(line: &str) -> Option<&str> {
    let text = line.trim_start();
    match text.strip_prefix('|') {
        Some(row) => Some(row),
        None => listed(text).map(|marker| &text[marker.len()..]),
    }
}

/// Whether a line is a point that says more than a deadline.
fn is_of_point(line: &str, deadline: &str) -> bool {
    point(line).is_some_and(|words| says_more(words, deadline))
}

fn says_more(words: &str, deadline: &str) -> bool {
    let words = words.to_lowercase();
    let rest = words.replacen(&deadline.to_lowercase(), "", 1);
    rest.contains(char::is_alphanumeric)
}

/// Whether a deadline is by itself, as a field is: as a line, or in brackets at the end of a title.
fn is_apart(line: &str, deadline: &str, role: Role) -> bool {
    let line = line.trim();
    match role {
        Role::Task => in_brackets(line).is_some_and(|inside| !says_more(inside, deadline)),
        _ => !says_more(line, deadline),
    }
}

/// What is in brackets at the end of a title.
fn in_brackets(title: &str) -> Option<&str> {
    let title = title.trim();
    [('(', ')'), ('[', ']')].into_iter().find_map(|(open, close)| {
        title.strip_suffix(close)?.rsplit_once(open).map(|(_, inside)| inside)
    })
}
