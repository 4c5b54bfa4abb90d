//! Log lines: what a completed run saw and noted, rendered once and never changed.

use dormouse_runs::request;
use dormouse_store::Op;
use dormouse_store::agent::log_line;
use dormouse_store::agent::source::Source;
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
    /// Its text.
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
        let sources = delta::sources(&change.what, &task.id);
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
