//! The log of an agent in its prompts: the newest lines, and what older ones were folded into.

use dormouse_runs::gate::{Part, Piece};
use dormouse_runs::request;
use dormouse_store::agent::checkpoint::Checkpoint;
use dormouse_store::agent::log_line::Line;
use dormouse_store::agent::source::Source;
use dormouse_types::memory::{FoldLimits, lines_beyond, tokens};

use super::wake_input::WakeInput;

/// How far a run is with folding.
#[derive(Debug, Clone, Default)]
pub(super) struct FoldState {
    /// Whether a piece was folded, or is being folded.
    pub(super) has_begun: bool,
    /// How many answers about the piece could not be used.
    pub(super) n_refused: u8,
    /// How many lines the piece has.
    pub(super) n_lines: usize,
    /// Checkpoints up to this one count as not there.
    pub(super) passed_over: i64,
}

/// A checkpoint as a part of a prompt.
pub(super) fn summary_part(input: &WakeInput) -> Option<Part> {
    let found = input.checkpoint.as_ref()?;
    let text = found.text.as_deref().unwrap_or("[purged]");
    let Checkpoint { from, upto, sources, .. } = &found.checkpoint;
    let text = format!("Summary of lines {from} to {upto} of the task log:\n{text}");
    Some(Part::new(Piece::Note, text, sources.clone()))
}

/// Returns whether a line is still in the memory of its agent.
pub(super) fn is_held(line: &Line) -> bool {
    line.removed_at.is_none() && line.text.is_some()
}

fn size(line: &Line) -> u64 {
    // A line break follows each line.
    if is_held(line) { tokens(line.text.as_deref().unwrap_or_default()) + 1 } else { 0 }
}

/// Estimates the tokens of lines.
pub(super) fn sizes(lines: &[Line]) -> Vec<u64> {
    lines.iter().map(size).collect()
}

/// The newest lines of the log that fit, and how many older ones do not, that no checkpoint folds yet.
/// Without limits all of them fit.
pub(super) fn log_parts(input: &WakeInput, limits: Option<FoldLimits>) -> (Vec<Part>, usize) {
    let n_beyond = limits.map_or(0, |limits| lines_beyond(&sizes(&input.log), limits.fold_at));
    let held = input.log[n_beyond..].iter().filter(|line| is_held(line));
    (held.map(log_part).collect(), n_beyond)
}

/// Says in an instruction how many lines of the log are left out. The log itself holds nothing but
/// stored lines, so that it can be rebuilt and its beginning stays the same.
pub(super) fn beyond_part(n_beyond: usize) -> Option<Part> {
    let words = match n_beyond {
        0 => return None,
        1 => "\n1 older line of the log is left out until it is folded.".to_owned(),
        n => format!("\n{n} older lines of the log are left out until they are folded."),
    };
    Some(Part::fixed(words))
}

/// A line of the log, as it was stored.
pub(super) fn log_part(line: &Line) -> Part {
    let is_of = |wanted: fn(&Source) -> bool| line.sources.iter().any(wanted);
    let piece = if is_of(|source| matches!(source, Source::Entry(_))) {
        Piece::Entry
    } else if is_of(|source| matches!(source, Source::Run(_))) {
        Piece::Note
    } else if line.sources.len() > 1 {
        Piece::Link
    } else {
        Piece::Other
    };
    let text = line.text.as_deref().unwrap_or("[purged]");
    let part = Part::new(piece, text, line.sources.clone()).below(request::LOG_HEADING);
    Part { line: Some(line.n), run: Some(line.run.clone()), ..part }
}
