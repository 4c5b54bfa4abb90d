//! Log lines: what a completed run saw and noted, rendered once and never changed.

use dormouse_runs::request;
use dormouse_store::Op;
use dormouse_store::agent::log_line;
use dormouse_store::agent::source::Source;
use dormouse_types::model::{DeltaChange, TaskState};
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
        let priority = serde_json::to_string(&note.priority).unwrap_or_default();
        let text = format!("{today} {}: {}", priority.trim_matches('"'), note.text);
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
