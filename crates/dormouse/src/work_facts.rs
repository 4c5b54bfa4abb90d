//! What agent work without a language model reads, from the read side.

use dormouse_queries::{Queries, QueryError};
use dormouse_runs::RunError;
use dormouse_types::built_in_work::Known;
use dormouse_types::port::BoxFuture;
use dormouse_types::work_facts::{LastRun, WorkspaceFacts};
use dormouse_types::work_kind::WorkParameters;
use dormouse_types::{WorkId, WorkspaceId};
use dormouse_work::Facts;

/// The facts of a workspace as the queries read them.
pub(crate) struct FactsOfQueries(pub(crate) Queries);

impl Facts for FactsOfQueries {
    fn names(&self, ws: WorkspaceId) -> BoxFuture<'_, Result<Known, RunError>> {
        Box::pin(async move { self.0.work_names(ws).await.map_err(unread) })
    }

    fn gather<'a>(
        &'a self,
        ws: WorkspaceId,
        work: &'a WorkId,
        parameters: &'a WorkParameters,
        last_run: Option<LastRun>,
    ) -> BoxFuture<'a, Result<WorkspaceFacts, RunError>> {
        Box::pin(async move {
            let facts = self.0.work_facts(ws, Some(work), parameters, last_run).await;
            facts.map_err(unread)
        })
    }
}

fn unread(error: QueryError) -> RunError {
    match error {
        QueryError::Read(error) => RunError::Read(error),
        other => RunError::Broken(other.to_string()),
    }
}
