//! Recovery: finishes every operation that was interrupted between the two databases.

use std::time::Duration;

use dormouse_store::agent::saga::{self, OperationStatus, Saga};
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::{Commit, Db, receipt};
use dormouse_types::{RunKey, WorkspaceId};

use crate::run_call::{ended, is_call};
use crate::set::error::DecideError;
use crate::set::saga_payload::SagaPayload;
use crate::set::service::Changes;

/// The result of recovering one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Id of the operation.
    pub operation: String,
    /// Tool that the operation belongs to.
    pub tool: String,
    /// Why it could not be finished, if it failed; the operation then stays open.
    pub error: Option<String>,
}

impl Changes {
    /// Closes the saga of a call whose run has ended without recording a result. Returns whether it
    /// did.
    ///
    /// A run that is still queued or started finishes its own calls. For an ended run the journal's
    /// receipt is the only record of whether the write happened, so it decides the status.
    async fn end_call(&self, ws: WorkspaceId, saga: &Saga) -> Result<bool, DecideError> {
        let key = RunKey(saga.run_key.clone());
        let run = self.store.first(wake_run::by_key(ws, &key)).await?;
        if run.is_some_and(|run| matches!(run.status, Status::Started | Status::Queued)) {
            return Ok(false);
        }
        let receipt = receipt::by_id(Db::Journal, ws, saga.operation.as_str());
        let is_applied = self.store.first(receipt).await?.is_some();
        let why = (!is_applied).then_some("its run ended before it was applied");
        let op = ended(ws, &saga.operation, why, self.clock.now());
        self.store.commit(Commit::new("saga.end", Db::Agent, ws).op(op)).await?;
        Ok(true)
    }

    /// Finishes open operations, oldest first. A failure of one does not stop the others.
    pub async fn recover(&self, ws: WorkspaceId) -> Result<Vec<Recovered>, DecideError> {
        self.recover_older(ws, Duration::ZERO).await
    }

    /// Finishes operations that have been open longer than `age`, whose owner must be gone.
    pub async fn recover_older(
        &self,
        ws: WorkspaceId,
        age: Duration,
    ) -> Result<Vec<Recovered>, DecideError> {
        let mut recovered = Vec::new();
        let before = self.clock.now() - age;
        for saga in self.store.all(saga::by_status(ws, OperationStatus::Pending)).await? {
            // `updated_at` counts. A time in the future does not postpone recovery for ever.
            if saga.updated_at > before && saga.updated_at <= self.clock.now() && !age.is_zero() {
                continue;
            }
            let result = match serde_json::from_str::<SagaPayload>(&saga.payload) {
                Ok(payload) => {
                    self.finish(ws, &payload, &saga.operation, None, None).await.map(drop)
                }
                Err(_) if is_call(&saga.payload) => match self.end_call(ws, &saga).await {
                    // The run is still alive and finishes it.
                    Ok(false) => continue,
                    ended => ended.map(drop),
                },
                Err(e) => Err(DecideError::Broken(format!("saga {}: {e}", saga.operation))),
            };
            let error = match result {
                // A refused undo and an item that is open again are both regular outcomes.
                Ok(())
                | Err(
                    DecideError::Changed { .. }
                    | DecideError::Begun { .. }
                    | DecideError::Busy { .. }
                    | DecideError::ValueChanged { .. }
                    | DecideError::ParentFirst { .. }
                    | DecideError::NotApplied { .. }
                    | DecideError::TaskDeleted { .. },
                ) => None,
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
