//! Log lines: what a completed run saw and noted, rendered once and never changed.

use dormouse_runs::request;
use dormouse_store::Op;
use dormouse_store::agent::log_line::{self, Line, LineSubject, Subject};
use dormouse_store::agent::source::Source;
use dormouse_types::change::What;
use dormouse_types::closed_list::ClosedList as _;
use dormouse_types::model::{DeltaChange, ObservationCategory, ObservationPriority, TaskState};
use dormouse_types::{AgentId, RunKey, WorkspaceId};

use crate::context::delta;
use crate::tools::record_observations::Note;

/// Units: bytes. Maximum size of a line; the rest is cut with a visible mark.
const LINE: usize = 16 * 1024;

/// A line before it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLine {
    pub text: String,
    /// What it was made of.
    pub sources: Vec<Source>,
    /// What it says the state of.
    pub subject: Option<Subject>,
}

/// Renders the lines that a run adds: one per change it saw, one per note.
///
/// A note is made of all that the run's model was shown, however little of it the note repeats.
pub fn lines(
    changes: &[DeltaChange],
    notes: &[Note],
    task: &TaskState,
    today: jiff::civil::Date,
    run: &RunKey,
) -> Vec<NewLine> {
    let inputs = changes.iter().map(|change| {
        let line = delta::line(change, task);
        let sources = Source::of_change(&change.what, &task.id);
        let subject = subject_of(&change.what);
        NewLine { text: request::fence("input", &cut(&line)), sources, subject }
    });
    let notes = notes.iter().map(|note| {
        let category = match note.category {
            // What most notes are about goes without saying.
            ObservationCategory::Operational => String::new(),
            other => format!(", {other}"),
        };
        let text = format!("{today} {}{category}: {}", note.priority, note.text);
        let sources = vec![Source::Run(run.clone())];
        NewLine { text: request::fence("observation", &text), sources, subject: None }
    });
    inputs.chain(notes).collect()
}

/// Returns the ops that append lines after the last one.
pub fn append(
    ws: WorkspaceId,
    agent: &AgentId,
    last: i64,
    lines: &[NewLine],
    run: &RunKey,
) -> Vec<Op> {
    (last + 1..)
        .zip(lines)
        .flat_map(|(n, line)| {
            let of = (line.sources.as_slice(), line.subject.as_ref());
            log_line::append(ws, agent, n, &line.text, of, run)
        })
        .collect()
}

/// Returns whether a stored line is a note of the agent.
pub fn is_observation(line: &str) -> bool {
    line.starts_with("<data of=\"observation\">")
}

/// Returns the words of a line without its fence: the text of an entry, what a note says, or the whole
/// line without its day.
pub fn words(inner: &str) -> &str {
    if let Some((first, text)) = inner.split_once("):\n")
        && first.contains(" (id: en-")
        && !first.contains('\n')
    {
        return text.split("\n[cut: ").next().unwrap_or(text);
    }
    let rest = inner.split_once(' ').map_or(inner, |(_, rest)| rest);
    let is_of_note = |head: &str| {
        let (priority, category) = match head.split_once(", ") {
            Some((priority, category)) => (priority, Some(category)),
            None => (head, None),
        };
        ObservationPriority::of_name(priority).is_some()
            && category.is_none_or(|name| ObservationCategory::of_name(name).is_some())
    };
    match rest.split_once(": ") {
        Some((head, note)) if is_of_note(head) => note,
        _ => rest,
    }
}

/// Returns what a line says the state of. A later line about the same replaces it.
///
/// `None` of notes, and of what happens once.
pub fn subject(line: &Line) -> Option<Subject> {
    match &line.subject {
        LineSubject::Of(subject) => Some(subject.clone()),
        LineSubject::None => None,
        LineSubject::InWords => {
            let text = line.text.as_deref().unwrap_or_default();
            let inner = request::unfenced(text);
            subject_in_words(inner).filter(|_| !is_observation(text))
        }
    }
}

/// Returns what a line says to a person: the text of an entry, or what changed, without the day and the ids
/// that a model reads. A note is returned as it is.
pub fn plain(line: &Line) -> String {
    let text = line.text.as_deref().unwrap_or_default();
    let inner = request::unfenced(text);
    if is_observation(text) {
        return inner.to_owned();
    }
    let subject = subject(line);
    if let Some(Subject::Entry(entry)) = &subject
        && let Some((_, words)) = inner.split_once(&format!(" (id: {entry}):\n"))
    {
        return words.to_owned();
    }
    let entries = line.sources.iter().filter_map(Source::entry).map(ToString::to_string);
    let tasks = line.sources.iter().filter_map(Source::task).map(ToString::to_string);
    let ids = subject.iter().map(|subject| subject.as_str().to_owned());
    let (_, words) = inner.split_once(' ').unwrap_or(("", inner));
    ids.chain(entries)
        .chain(tasks)
        .fold(words.to_owned(), |words, id| words.replace(&format!(" (id: {id})"), ""))
}

/// Returns the subject of a change, of which [`lines`] makes a line.
fn subject_of(what: &What) -> Option<Subject> {
    match what {
        What::EntryAdded { entry }
        | What::EntryEdited { entry }
        | What::EntryDeleted { entry }
        | What::EntryRestored { entry } => Some(Subject::Entry(entry.clone())),
        What::ItemAdded { item, .. }
        | What::ItemChecked { item, .. }
        | What::ItemRenamed { item, .. }
        | What::ItemArchived { item, .. }
        | What::ItemMoved { item, .. } => Some(Subject::Item(item.clone())),
        What::FieldSet(change) => change.field.field().map(Subject::Field),
        // A flag of an entry says nothing about its text.
        What::EntryFlagged { .. }
        | What::TaskCreated { .. }
        | What::TaskDeleted
        | What::TaskRestored
        | What::LabelAdded { .. }
        | What::LabelRemoved { .. }
        | What::LinkAdded { .. }
        | What::LinkRemoved { .. }
        | What::Unknown => None,
    }
}

/// Finds the subject in a line without its fence, whose row does not have it.
fn subject_in_words(inner: &str) -> Option<Subject> {
    let (_, rest) = inner.split_once(' ')?;
    let head = rest.lines().next()?;
    if let Some((before, id)) = head.rsplit_once(" (id: ") {
        let (id, after) = id.split_once(')')?;
        let is_whole_entry = matches!(after, ":" | ", deleted since") || before == "entry deleted";
        let is_item = before.starts_with("item ") && after.is_empty();
        return match Subject::named(id) {
            subject @ Subject::Entry(_) if is_whole_entry => Some(subject),
            subject @ Subject::Item(_) if is_item => Some(subject),
            Subject::Entry(_) | Subject::Item(_) | Subject::Field(_) | Subject::Other(_) => None,
        };
    }
    let (name, values) = head.split_once(": ")?;
    match Subject::named(name) {
        subject @ Subject::Field(_) if values.contains(" -> ") => Some(subject),
        Subject::Entry(_) | Subject::Item(_) | Subject::Field(_) | Subject::Other(_) => None,
    }
}

fn cut(line: &str) -> String {
    cut_to(line, LINE)
}

/// Cuts a text that is longer than `most` bytes, with a visible mark.
pub(crate) fn cut_to(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{}\n[cut: {end} of {} bytes]", &text[..end], text.len())
}

#[cfg(test)]
mod tests {
    use dormouse_types::{Digest, RunKey};

    use super::*;

    const ENTRY: &str = "en-01jd7m3k5vn2c8q4w6x0z9abcd";
    const ITEM: &str = "ci-01jd7m3k5vn2c8q4w6x0z9abcd";

    fn line(of: &str, inner: &str, subject: LineSubject) -> Line {
        Line {
            n: 1,
            sha256: Digest(String::new()),
            text: Some(request::fence(of, inner)),
            sources: vec![Source::Entry(ENTRY.parse().expect("an id"))],
            subject,
            removed_at: None,
            run: RunKey(String::new()),
        }
    }

    #[test]
    fn a_line_whose_row_has_no_subject_says_it_in_its_words() {
        for (inner, expected) in [
            (format!("2026-03-01 entry added (id: {ENTRY}):\nBy phone."), Some(ENTRY)),
            (format!("2026-03-02 recording edited (id: {ENTRY}):\nIn writing."), Some(ENTRY)),
            (format!("2026-03-02 entry edited (id: {ENTRY}), deleted since"), Some(ENTRY)),
            (format!("2026-03-03 entry deleted (id: {ENTRY})"), Some(ENTRY)),
            (format!("2026-03-03 entry starred (id: {ENTRY})"), None),
            (format!("2026-03-03 entry no longer private (id: {ENTRY})"), None),
            (format!("2026-03-03 item added [ ] Bank (id: {ITEM})"), Some(ITEM)),
            (format!("2026-03-04 item now [x] Bank (id: {ENTRY}) (id: {ITEM})"), Some(ITEM)),
            (format!("2026-03-04 item renamed: Bank -> Offices (id: {ITEM})"), Some(ITEM)),
            ("2026-03-05 dueDate: none -> 2026-03-20".into(), Some("dueDate")),
            ("2026-03-05 title: status: a -> status: b".into(), Some("title")),
            ("2026-03-05 label added: dueDate: a -> b".into(), None),
            ("2026-03-05 task created: Bank".into(), None),
            ("2026-03-05 link added: blocks Move (id: jt-1)".into(), None),
            (String::new(), None),
        ] {
            let found = subject(&line("input", &inner, LineSubject::InWords));
            assert_eq!(found.as_ref().map(Subject::as_str), expected, "{inner}");
        }
        let note = line("observation", "2026-03-05 dueDate: a -> b", LineSubject::InWords);
        assert_eq!(subject(&note), None);
    }

    #[test]
    fn the_subject_of_a_row_counts_more_than_its_words() {
        let title = Subject::Field(dormouse_types::task::Field::Title);
        let about_title = line("input", "2026-03-05 renamed", LineSubject::Of(title.clone()));
        assert_eq!(subject(&about_title), Some(title));
        let nothing = line("input", "2026-03-05 dueDate: a -> b", LineSubject::None);
        assert_eq!(subject(&nothing), None);
    }

    #[test]
    fn a_person_reads_a_line_without_its_day_and_its_ids() {
        let entry = LineSubject::Of(Subject::named(ENTRY));
        let item = LineSubject::Of(Subject::named(ITEM));
        for (inner, subject, expected) in [
            (
                format!("2026-03-01 entry added (id: {ENTRY}):\nBy phone\n(id: en-2):\nor so"),
                entry,
                "By phone\n(id: en-2):\nor so",
            ),
            (format!("2026-03-02 item now [x] Bank (id: {ITEM})"), item, "item now [x] Bank"),
            (format!("2026-03-03 entry starred (id: {ENTRY})"), LineSubject::None, "entry starred"),
            (
                "2026-03-05 dueDate: none -> 2026-03-20".to_owned(),
                LineSubject::InWords,
                "dueDate: none -> 2026-03-20",
            ),
        ] {
            assert_eq!(plain(&line("input", &inner, subject)), expected, "{inner}");
        }
        let note = "2026-03-05 normal: it is late";
        assert_eq!(plain(&line("observation", note, LineSubject::None)), note);
    }
}
