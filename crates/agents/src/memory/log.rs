//! Log lines: what a completed run saw and noted, rendered once and never changed.

use dormouse_runs::request;
use dormouse_store::Op;
use dormouse_store::agent::log_line;
use dormouse_store::agent::source::Source;
use dormouse_types::closed_list::ClosedList as _;
use dormouse_types::model::{DeltaChange, ObservationCategory, ObservationPriority, TaskState};
use dormouse_types::task::Field;
use dormouse_types::{AgentId, RunKey, WorkspaceId};
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::StrDeserializer;

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
        NewLine { text: request::fence("input", &cut(&line)), sources }
    });
    let notes = notes.iter().map(|note| {
        let category = match note.category {
            // What most notes are about goes without saying.
            ObservationCategory::Operational => String::new(),
            other => format!(", {other}"),
        };
        let text = format!("{today} {}{category}: {}", note.priority, note.text);
        let sources = vec![Source::Run(run.clone())];
        NewLine { text: request::fence("observation", &text), sources }
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
        .flat_map(|(n, line)| log_line::append(ws, agent, n, &line.text, &line.sources, run))
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

/// Returns what a line without its fence says the state of: the id of an entry or of a checklist item,
/// or the name of a field of the task. A later line about the same replaces it.
///
/// `None` of notes, and of what happens once.
pub fn subject(inner: &str) -> Option<&str> {
    let (_, rest) = inner.split_once(' ')?;
    let head = rest.lines().next()?;
    if let Some((before, id)) = head.rsplit_once(" (id: ") {
        let (id, after) = id.split_once(')')?;
        // A flag of an entry says nothing about its text.
        let is_whole_entry = id.starts_with("en-")
            && (matches!(after, ":" | ", deleted since") || before == "entry deleted");
        let is_item = id.starts_with("ci-") && before.starts_with("item ") && after.is_empty();
        return (is_whole_entry || is_item).then_some(id);
    }
    let (name, values) = head.split_once(": ")?;
    let is_field = is_field(name) && values.contains(" -> ");
    is_field.then_some(name)
}

fn is_field(name: &str) -> bool {
    let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
    Field::deserialize(name).is_ok()
}

fn cut(line: &str) -> String {
    if line.len() <= LINE {
        return line.to_owned();
    }
    let mut end = LINE;
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n[cut: {end} of {} bytes]", &line[..end], line.len())
}

#[cfg(test)]
mod tests {
    use super::subject;

    #[test]
    fn a_line_has_a_subject_if_a_later_one_can_replace_it() {
        let entry = "en-01jd7m3k5vn2c8q4w6x0z9abcd";
        let item = "ci-01jd7m3k5vn2c8q4w6x0z9abcd";
        for (line, expected) in [
            (format!("2026-03-01 entry added (id: {entry}):\nBy phone."), Some(entry)),
            (format!("2026-03-02 recording edited (id: {entry}):\nIn writing."), Some(entry)),
            (format!("2026-03-02 entry edited (id: {entry}), deleted since"), Some(entry)),
            (format!("2026-03-03 entry deleted (id: {entry})"), Some(entry)),
            (format!("2026-03-03 entry starred (id: {entry})"), None),
            (format!("2026-03-03 entry no longer private (id: {entry})"), None),
            (format!("2026-03-03 item added [ ] Bank (id: {item})"), Some(item)),
            (format!("2026-03-04 item now [x] Bank (id: {entry}) (id: {item})"), Some(item)),
            (format!("2026-03-04 item renamed: Bank -> Offices (id: {item})"), Some(item)),
            ("2026-03-05 dueDate: none -> 2026-03-20".into(), Some("dueDate")),
            ("2026-03-05 title: status: a -> status: b".into(), Some("title")),
            ("2026-03-05 label added: dueDate: a -> b".into(), None),
            ("2026-03-05 task created: Bank".into(), None),
            ("2026-03-05 link added: blocks Move (id: jt-1)".into(), None),
            (String::new(), None),
        ] {
            assert_eq!(subject(&line), expected, "{line}");
        }
    }
}
