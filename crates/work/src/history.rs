//! What runs did, as text: for the prompts of later runs, and for readers of the log.
//!
//! Rows are the truth: the turns of a run are messages, and this is rendered from them.

use std::fmt::Write as _;

use dormouse_runs::run_log;
use dormouse_runs::{LoggedTurn, request};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::wake_run;
use dormouse_store::agent::work::run::{self, Run};
use dormouse_types::memory::tokens;
use dormouse_types::work::RunState;
use dormouse_types::{RunKey, WorkspaceId, limits};
use jiff::tz::TimeZone;

use crate::attempt::begun;
use crate::{Work, WorkError};

/// The most of one argument or answer that a log in a prompt shows. Units: bytes.
const EXCERPT: usize = 2_000;
/// The newest runs that stay in full.
pub const NEWEST_IN_FULL: usize = 4;
/// What those may take. Units: tokens.
const NEWEST_TOKENS: u64 = 25_000;
/// The most of a summary in a line that stands for a whole run. Units: characters.
const SUMMARY: usize = 300;

/// The attempts of a run, oldest first, with their turns.
#[derive(Debug, Clone)]
pub struct RunWithTurns {
    pub run: Run,
    pub attempts: Vec<(RunKey, Vec<LoggedTurn>)>,
}

impl RunWithTurns {
    /// A run that is shown in a line.
    pub fn without_turns(run: Run) -> Self {
        let attempts = begun(&run).into_iter().map(|key| (key, Vec::new())).collect();
        Self { run, attempts }
    }

    /// What it was made of: whatever its attempts were shown.
    pub fn sources(&self) -> Vec<Source> {
        self.attempts.iter().map(|(key, _)| Source::Run(key.clone())).collect()
    }
}

/// A piece of the history of a definition.
#[derive(Debug, Clone)]
pub struct HistoryPart {
    pub text: String,
    /// What it was made of.
    pub sources: Vec<Source>,
}

impl Work {
    /// Reads the attempts of a run with their turns.
    pub async fn with_turns(&self, ws: WorkspaceId, run: Run) -> Result<RunWithTurns, WorkError> {
        let mut rows = Vec::new();
        for key in self.store.all(run::attempts(ws, &run.id)).await? {
            rows.extend(self.store.first(wake_run::by_key(ws, &key)).await?);
        }
        rows.sort_by_key(|row| row.created_at);
        let mut attempts = Vec::new();
        for row in rows {
            let (turns, _) = run_log::read(&self.store, ws, &row).await?;
            attempts.push((row.key, turns));
        }
        Ok(RunWithTurns { run, attempts })
    }
}

/// Returns how many of the newest runs stay in full beside a summary of the older ones.
pub fn n_in_full(sizes: &[u64]) -> usize {
    let mut room = NEWEST_TOKENS;
    let newest = sizes.iter().rev().take(NEWEST_IN_FULL);
    newest
        .take_while(|size| {
            let fits = **size <= room;
            room = room.saturating_sub(**size);
            fits
        })
        .count()
}

/// How many of the oldest runs are shown in a line, whatever they did: their turns need not be read.
pub fn n_in_a_line(n_runs: usize) -> usize {
    if n_runs > limits::WORK_RUNS_IN_FULL { n_runs - NEWEST_IN_FULL } else { 0 }
}

/// Renders what the earlier runs of a definition did, oldest first.
///
/// Up to nine runs within 50,000 tokens are shown in full. Beyond that, as long as they are not folded
/// into a summary, the older ones are a line each, made from their rows, and the newest few stay in full;
/// the rows of all of them stay as they are.
pub fn earlier_runs(runs: &[RunWithTurns], zone: &TimeZone) -> Vec<HistoryPart> {
    let full: Vec<HistoryPart> = runs
        .iter()
        .map(|one| HistoryPart { text: in_full(one, zone), sources: one.sources() })
        .collect();
    let sizes: Vec<u64> = full.iter().map(|part| tokens(&part.text)).collect();
    let most = u64::try_from(limits::WORK_TOKENS_IN_FULL).unwrap_or(u64::MAX);
    if runs.len() <= limits::WORK_RUNS_IN_FULL && sizes.iter().sum::<u64>() <= most {
        return full;
    }
    let n_folded = runs.len() - n_in_full(&sizes);
    let folded = runs[..n_folded]
        .iter()
        .map(|one| HistoryPart { text: in_a_line(&one.run, zone), sources: one.sources() });
    folded.chain(full.into_iter().skip(n_folded)).collect()
}

/// The time of a run, as its log shows it.
pub fn time_of(run: &Run, zone: &TimeZone) -> String {
    let at = run.scheduled_for.unwrap_or(run.created_at);
    at.to_jiff().to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// A run in one line: when, how it ended, and what it says that it did.
pub fn in_a_line(run: &Run, zone: &TimeZone) -> String {
    let mut line = format!("- {}, {}", time_of(run, zone), run.state);
    if let Some(why) = run.skip_reason {
        write!(line, " ({why})").expect("a string grows");
    }
    if let Some(excerpt_text) = run.summary.as_ref().or(run.error.as_ref()) {
        write!(line, ": {}", excerpt(&one_line(excerpt_text), SUMMARY)).expect("a string grows");
    }
    line
}

/// Everything that a run did, with its calls and their results.
pub fn in_full(one: &RunWithTurns, zone: &TimeZone) -> String {
    let mut text = format!("### Run of {}, {}\n", time_of(&one.run, zone), one.run.state);
    for (n, (_, turns)) in one.attempts.iter().enumerate() {
        if n > 0 {
            writeln!(text, "It went on:").expect("a string grows");
        }
        turns.iter().for_each(|turn| push_turn(&mut text, turn));
    }
    if let Some(title) = &one.run.result_title {
        writeln!(text, "It published: {title}").expect("a string grows");
    }
    match (one.run.state, &one.run.summary, &one.run.error) {
        (RunState::Running, ..) => {}
        (_, _, Some(error)) => writeln!(text, "It ended: {}", one_line(error)).expect("grows"),
        (_, Some(excerpt_text), None) => {
            writeln!(text, "It ended: {excerpt_text}").expect("a string grows")
        }
        (_, None, None) => {}
    }
    text.trim_end().to_owned()
}

fn push_turn(text: &mut String, turn: &LoggedTurn) {
    let excerpt_text = turn.text.trim();
    if !excerpt_text.is_empty() {
        writeln!(text, "{}", excerpt(excerpt_text, EXCERPT)).expect("a string grows");
    }
    for (call, result) in turn.calls.iter().zip(&turn.results) {
        let args = excerpt(&call.args.to_string(), EXCERPT);
        writeln!(text, "- called {} {args}", call.name).expect("a string grows");
        if let Some(result) = result {
            let answered = if result.refused { "was refused" } else { "answered" };
            let excerpt_text = excerpt(&one_line(&result.text), EXCERPT);
            writeln!(text, "  {answered}: {excerpt_text}").expect("a string grows");
        }
    }
}

fn one_line(text: &str) -> String {
    request::unfenced(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn excerpt(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}
