//! What started a run: its schedule, a change of a task, a call of a hook, or a request.
//!
//! It follows from the clock of the occurrence that the run is of. Only the occurrences of a schedule have a clock that
//! shows times; the others have one of the words below, and are named by what they stand for.

use dormouse_store::agent::work::run::Run;
use dormouse_types::work::RunStart;

/// The clock of an occurrence that is a change; its start is the position of the change.
pub(crate) const CHANGE: &str = "change";

/// The clock of an occurrence that stands for changes of an hour beyond what may start.
pub(crate) const BEYOND: &str = "changes beyond";

/// The clock of an occurrence that is a call of a hook; its start is the id of the call.
pub(crate) const CALL: &str = "hook";

/// The clock of an occurrence that somebody requested; its start is the request.
pub(crate) const REQUEST: &str = "request";

/// Returns what started a run, or would have started one that was left out.
pub fn started_by(run: &Run) -> RunStart {
    match run.occurrence.zone.as_str() {
        CHANGE | BEYOND => RunStart::Change,
        CALL => RunStart::Call,
        REQUEST => RunStart::Request,
        // `date`, `floating`, or the name of a zone.
        _ => RunStart::Schedule,
    }
}
