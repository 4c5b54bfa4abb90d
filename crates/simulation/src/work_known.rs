//! What a play knows of its agent work.

use std::collections::BTreeMap;

use dormouse_types::WorkspaceId;

/// The workspace of agent work.
pub(crate) const WS: WorkspaceId = WorkspaceId(3);
/// Units: minutes. How often each definition is due; only the second one is ever paused.
pub(crate) const EVERY: [i64; 2] = [30, 45];
/// What is known of agent work in a play.
#[derive(Default)]
pub(crate) struct Known {
    /// Corrections that were acknowledged to the person, with their definition.
    pub(crate) corrections: Vec<(String, String)>,
    /// Answers that were acknowledged to the person, with their question.
    pub(crate) answers: Vec<(String, String)>,
    /// Corrections that a run has to be shown, by process and run: it was claimed after them.
    pub(crate) owed: BTreeMap<(String, String), Vec<String>>,
    /// Corrections that were acknowledged to the person when a turn of a run was recorded last: they reach
    /// it before it ends.
    pub(crate) due: BTreeMap<String, Vec<String>>,
    /// What models were sent for each run.
    pub(crate) sent: BTreeMap<String, Vec<String>>,
}
