//! The accepted calls of a run, by what they left: its report and its notes.

use dormouse_changes::tool::Tool;
use dormouse_runs::RunLog;
use dormouse_types::limits;

use crate::tools;
use crate::tools::record_observations::{Note, RecordObservations};
use crate::tools::update_report::{Draft, UpdateReport};

/// Returns the arguments of the accepted calls of a tool, oldest first.
fn accepted<T: Tool>(log: &RunLog) -> impl Iterator<Item = T::Args> {
    log.turns.iter().flat_map(|turn| {
        turn.calls.iter().zip(&turn.results).filter_map(|(call, result)| {
            let is_it = tools::by_name(&call.name).is_some_and(|tool| tool.name == T::NAME);
            let ok = result.as_ref().is_some_and(|result| !result.refused);
            if is_it && ok { T::read(&call.args).ok() } else { None }
        })
    })
}

/// Returns the report of a run: the last accepted call wins.
pub(super) fn accepted_report(log: &RunLog) -> Option<Draft> {
    accepted::<UpdateReport>(log).filter_map(|args| args.draft().ok()).last()
}

pub(super) fn accepted_notes(log: &RunLog) -> Vec<Note> {
    accepted::<RecordObservations>(log)
        .filter_map(|args| args.notes().ok())
        .flatten()
        .take(limits::OBSERVATIONS_PER_WAKE.max)
        .collect()
}
