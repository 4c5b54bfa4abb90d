//! The attempts of a run: how each is called, and where its turns stand.

use std::fmt;

use dormouse_store::agent::source::Source;
use dormouse_store::agent::work::run::Run;
use dormouse_types::{Id as _, RunKey, WorkRunId, hash};

/// The key of the attempt that a run is in: made of stored facts only.
pub fn attempt_key(run: &Run) -> RunKey {
    key_of_attempt(&run.id, run.attempt)
}

/// The place of a turn: the subject of the event that it was added.
///
/// Shape: the run, the number of the attempt and that of the turn, with dots between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TurnPlace {
    pub run: WorkRunId,
    pub attempt: i64,
    /// The turn within the attempt, from 1.
    pub turn: u32,
}

impl TurnPlace {
    /// Reads a place; `None` for another subject.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let run = parts.next()?.parse().ok()?;
        let (attempt, turn) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        parts.next().is_none().then_some(Self { run, attempt, turn })
    }

    pub fn attempt_key(&self) -> RunKey {
        key_of_attempt(&self.run, self.attempt)
    }
}

impl fmt::Display for TurnPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.run, self.attempt, self.turn)
    }
}

/// Whether a run needed no language model. What it says is made of private tasks too, and no provider is
/// sent it.
pub(crate) fn is_built_in(run: &Run) -> bool {
    run.figures.is_some()
}

/// The key of an attempt of a run by its number.
pub(crate) fn key_of_attempt(run: &WorkRunId, attempt: i64) -> RunKey {
    RunKey(hash::joined(&[run.as_str(), "attempt", &attempt.to_string()]).0)
}

/// The keys of the attempts of a run that began, oldest first. What an earlier one published or said stays,
/// and a later one may have been shown less.
pub(crate) fn begun(run: &Run) -> Vec<RunKey> {
    let Some(newest) = &run.run_key else { return Vec::new() };
    let mut keys: Vec<RunKey> = (0..=run.attempt).map(|n| key_of_attempt(&run.id, n)).collect();
    match keys.iter().position(|key| key == newest) {
        Some(last) => keys.truncate(last + 1),
        None => keys.push(newest.clone()),
    }
    keys
}

/// What the words of a run were made of: whatever its attempts were shown.
pub(crate) fn sources_of(run: &Run) -> Vec<Source> {
    begun(run).into_iter().map(Source::Run).collect()
}
