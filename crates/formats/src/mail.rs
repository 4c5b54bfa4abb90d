//! Mail with its head: one task, named by the subject.
//!
//! What the body lists is its checklist. Everything else is text of the task, in the order of the mail: the
//! other fields of the head, greeting and signature, and what is quoted. A quoted list is a checklist only if
//! the body has none of its own.

use dormouse_types::draft::Task;
use dormouse_types::limits;

use crate::checklist::Checklist;
use crate::intake::{self, is_mail_field};
use crate::markdown::key;
use crate::markdown::{Remark, entries_of, listed, stem};
use crate::reading::{self, Format, Place, Reading, Role};

/// A head of so many fields needs no quotation below it to be that of a mail.
const SURE: usize = 3;

/// Names of the field of the subject, in lower case.
const SUBJECTS: &[&str] = &["subject", "betreff", "objet", "asunto", "subiect"];

/// What mail programs write before the subject of an answer or of what is passed on, in lower case.
const ANSWERS: &[&str] = &["re", "fwd", "fw", "aw", "wg", "antw", "tr", "rv", "rif"];

/// Lines that begin with these words, after dashes, stand above a mail that is quoted as it is.
#[rustfmt::skip]
const ORIGINALS: &[&str] = &[
    "original message", "forwarded message", "ursprüngliche nachricht", "weitergeleitete nachricht",
    "message d'origine", "message transféré", "mensaje original", "mensaje reenviado", "mesaj original",
];

/// Whether a text is a mail: a head with a subject, and several other fields or a quotation below it.
pub(crate) fn looks_like(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').split(':').next().unwrap_or_default();
    if start.len() > 20 || start.contains('\n') {
        return false;
    }
    let lines = reading::lines(text);
    let end = head_end(&lines);
    let is_blank = lines.get(end).is_some_and(|line| line.trim().is_empty());
    is_blank
        && subject(&lines[..end]).is_some()
        && (end >= SURE || lines[end..].iter().any(|line| line.starts_with('>')))
}

/// Where the head ends: the fields that programs add, and lines that go on, are part of it.
fn head_end(lines: &[&str]) -> usize {
    let is_field = |line: &str| {
        let name = line.split_once(':').map_or("", |(name, _)| name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        is_mail_field(line) || !name.is_empty() && name.contains('-') && name.chars().all(is_name)
    };
    let begins = lines.first().is_some_and(|line| is_field(line));
    let goes_on =
        |line: &&&str| is_field(line) || line.starts_with([' ', '\t']) && !line.trim().is_empty();
    if begins { lines.iter().take_while(goes_on).count() } else { 0 }
}

/// The line of the subject, and its words.
fn subject<'l>(head: &[&'l str]) -> Option<(usize, &'l str)> {
    head.iter().enumerate().find_map(|(at, line)| {
        let (name, value) = line.split_once(':')?;
        let is_subject = SUBJECTS.contains(&name.trim().to_lowercase().as_str());
        (is_subject && !value.trim().is_empty()).then_some((at, value.trim()))
    })
}

/// A subject without "Re:" and "Fwd:".
fn bare(subject: &str) -> &str {
    let mut words = subject;
    while let Some((before, after)) = words.split_once(':')
        && ANSWERS.contains(&before.trim().to_lowercase().as_str())
        && !after.trim().is_empty()
    {
        words = after.trim();
    }
    words
}

/// Reads a mail.
pub(crate) fn read(name: &str, text: &str) -> Reading {
    let mut reading = Reading::of(Format::Mail);
    let lines = reading::lines(text);
    let end = head_end(&lines);
    let (subject_at, words) = subject(&lines[..end]).unwrap_or((0, stem(name)));
    let title = bare(words);
    let mut task = Task {
        key: format!("{}/{}", key::fold(name), key::fold(title)),
        line: subject_at + 1,
        title: title.to_owned(),
        ..Task::default()
    };
    let is_cut = limits::TITLE.check(title.chars().count()).is_err();
    if is_cut {
        task.title = title.chars().take(limits::TITLE.max - 1).chain(['…']).collect();
    }
    let original = lines.iter().position(|line| is_above_original(line)).unwrap_or(lines.len());
    let is_quoted = |at: usize| at >= original || lines[at].starts_with('>');
    let is_point = |at: usize| point(unquoted(lines[at])).is_some();
    let has_own = (end..lines.len()).any(|at| !is_quoted(at) && is_point(at));
    let mut checklist = Checklist::default();
    let mut text = Vec::new();
    for (at, &line) in lines.iter().enumerate() {
        let is_in_list = at >= end && (!is_quoted(at) || !has_own);
        let role = if line.trim().is_empty() {
            text.push(line);
            Role::Blank
        } else if at == subject_at {
            if is_cut || words != title {
                text.push(line);
            }
            Role::Task
        } else if is_in_list
            && let Some((is_ticked, title)) = point(unquoted(line))
            && checklist.add(&mut task, (at + 1, unquoted(line)), title, is_ticked)
        {
            Role::Item
        } else {
            text.push(line);
            Role::Note
        };
        let of_task = (role != Role::Blank).then_some(0);
        reading.places.push(Place { line: at + 1, role, task: of_task });
    }
    let text = text.join("\n");
    task.entries = entries_of("mail#1", text.trim_matches('\n'));
    let message =
        "a mail: the subject is the title, and the header and quotations are kept in the note";
    reading.remarks.push(Remark { line: 1, message: message.to_owned() });
    reading.tasks.push(task);
    reading
}

fn is_above_original(line: &str) -> bool {
    let words = line.trim().trim_matches('-');
    words.len() < line.trim().len() && ORIGINALS.contains(&words.trim().to_lowercase().as_str())
}

fn unquoted(line: &str) -> &str {
    let text = line.trim_start_matches(['>', ' ']);
    if line.starts_with('>') { text } else { line }
}

/// Whether a point of a list is ticked, and its words; none of another line.
fn point(line: &str) -> Option<(bool, &str)> {
    let text = line.trim();
    let words = match listed(text) {
        Some(marker) => &text[marker.len()..],
        None => text.strip_prefix('•')?.trim_start(),
    };
    let (is_ticked, words) = match intake::boxed(words) {
        Some((mark, title)) => (intake::is_tick(mark) == Some(true), title),
        None => (false, words),
    };
    words.contains(char::is_alphanumeric).then_some((is_ticked, words))
}
