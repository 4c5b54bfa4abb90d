//! The port to what work without a language model reads.

use dormouse_runs::RunError;
use dormouse_types::built_in_work::Known;
use dormouse_types::port::BoxFuture;
use dormouse_types::work_facts::{LastRun, WorkspaceFacts};
use dormouse_types::work_kind::WorkParameters;
use dormouse_types::{WorkId, WorkspaceId};

/// What such work reads, as the rooms that hold it give it.
pub trait Facts: Send + Sync {
    /// The names that instructions in words may use.
    fn names(&self, ws: WorkspaceId) -> BoxFuture<'_, Result<Known, RunError>>;

    /// The workspace as a definition with these parameters reads it today. `last_run` is its last
    /// one that ended well.
    fn gather<'a>(
        &'a self,
        ws: WorkspaceId,
        work: &'a WorkId,
        parameters: &'a WorkParameters,
        last_run: Option<LastRun>,
    ) -> BoxFuture<'a, Result<WorkspaceFacts, RunError>>;
}
