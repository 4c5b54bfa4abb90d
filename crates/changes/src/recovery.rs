//! Recovery: finishes every operation that was interrupted between the two databases.

use std::time::Duration;

use dormouse_store::agent::saga;
use dormouse_types::WorkspaceId;

use crate::set::conclude::Errand;
use crate::set::error::DecideError;
use crate::set::service::Changes;

/// What recovery did with one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The operation.
    pub operation: String,
    /// Its tool.
    pub tool: String,
    /// What was wrong, if it could not be finished; it stays open.
    pub error: Option<String>,
}

impl Changes {
    /// Finishes open operations, oldest first. One that fails does not stop the others.
    pub async fn recover(&self, ws: WorkspaceId) -> Result<Vec<Recovered>, DecideError> {
        self.recover_older(ws, Duration::ZERO).await
    }

    /// Finishes operations that have been open for so long that whoever opened them is gone.
    pub async fn recover_older(
        &self,
        ws: WorkspaceId,
        age: Duration,
    ) -> Result<Vec<Recovered>, DecideError> {
        let mut recovered = Vec::new();
        let before = self.clock.now() - age;
        for saga in self.store.all(saga::by_status(ws, "pending")).await? {
            // By how it moved last: one that seems to lie in the future is not left for ever.
            if saga.updated_at > before && saga.updated_at <= self.clock.now() && !age.is_zero() {
                continue;
            }
            let result = match serde_json::from_str::<Errand>(&saga.payload) {
                Ok(errand) => self.conclude(ws, &errand, &saga.operation).await,
                Err(e) => Err(DecideError::Broken(format!("saga {}: {e}", saga.operation))),
            };
            let error = match result {
                // An undo that is refused, or an item that waits again, is a proper end.
                Ok(()) | Err(DecideError::Changed { .. } | DecideError::Busy { .. }) => None,
                Err(error) => Some(error.to_string()),
            };
            recovered.push(Recovered {
                operation: saga.operation.to_string(),
                tool: saga.tool,
                error,
            });
        }
        Ok(recovered)
    }
}
