//! The accepted calls of a run, by what they left: its report and its notes.

use dormouse_changes::tool::Tool;
use dormouse_runs::RunLog;
use dormouse_runs::step::LoggedTurn;
use dormouse_types::limits;
use dormouse_types::model::ToolCall;

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

/// Returns the notes of a run, each once.
pub(super) fn accepted_notes(log: &RunLog) -> Vec<Note> {
    let all = accepted::<RecordObservations>(log).filter_map(|args| args.notes().ok()).flatten();
    let mut notes: Vec<Note> = Vec::new();
    for note in all {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes.truncate(limits::OBSERVATIONS_PER_WAKE.max);
    notes
}

/// Returns whether the last turn of a run only repeats calls that were accepted in earlier turns: such
/// a model has nothing more to say.
pub(super) fn only_repeats(log: &RunLog) -> bool {
    let Some((last, earlier)) = log.turns.split_last() else { return false };
    let is_known = |call: &ToolCall| earlier.iter().any(|turn| has_accepted(turn, call));
    !last.calls.is_empty() && last.calls.iter().all(is_known)
}

/// Returns whether a turn has an accepted call of the same tool with the same arguments.
fn has_accepted(turn: &LoggedTurn, call: &ToolCall) -> bool {
    let name = |call: &ToolCall| tools::of_any_room(&call.name).map(|tool| tool.name);
    turn.calls.iter().zip(&turn.results).any(|(before, result)| {
        name(before) == name(call)
            && before.args == call.args
            && result.as_ref().is_some_and(|result| !result.refused)
    })
}
