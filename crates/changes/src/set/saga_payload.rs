//! What the saga of a decision keeps, so that recovery can finish it.

use dormouse_store::Op;
use dormouse_store::agent::saga;
use dormouse_types::{
    Actor, ChangeSetId, DecisionId, HolderId, OperationId, TaskId, Timestamp, WorkspaceId, hash,
};
use serde::{Deserialize, Serialize};

use crate::set::effective_state::KnownValue;
use crate::set::rows::LoadedItem;

/// What an operation does in the journal on behalf of the agent store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SagaKind {
    /// Apply an item.
    Confirm,
    /// Make the edit of a rejection: suppress the rejected label.
    Suppress,
    /// Undo an applied item or a suppression.
    Undo,
}

/// Saga payload: everything recovery needs to finish an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SagaPayload {
    // Under this name in the rows of open sagas.
    #[serde(rename = "crossing")]
    pub(crate) kind: SagaKind,
    pub(crate) set: ChangeSetId,
    pub(crate) index: i64,
    pub(crate) round: i64,
    pub(crate) decision: DecisionId,
    pub(crate) task: TaskId,
    /// Who proposed it.
    #[serde(rename = "agent")]
    pub(crate) proposer: HolderId,
    /// Who decided; `None` in rows of older versions.
    #[serde(default)]
    pub(crate) actor: Option<Actor>,
    /// How many results of agent work led to what is proposed.
    #[serde(default)]
    pub(crate) depth: i64,
    /// The value that the person confirmed over, if they named one.
    #[serde(default)]
    pub(crate) over: Option<KnownValue>,
}

impl SagaPayload {
    /// Derives this payload's operation id from the operation id of its item.
    pub(crate) fn operation(&self, of_item: &OperationId) -> OperationId {
        let suffix = match self.kind {
            SagaKind::Confirm => return of_item.clone(),
            SagaKind::Suppress => "reject",
            SagaKind::Undo => "undo",
        };
        OperationId(hash::joined(&[of_item.as_str(), suffix]).0)
    }

    /// Returns the op that opens the saga.
    pub(crate) fn open(&self, ws: WorkspaceId, seen: &LoadedItem, now: Timestamp) -> Op {
        let payload = serde_json::to_string(self).expect("a payload is plain data");
        let run_key = &seen.set.doc.value.run_key;
        let operation = self.operation(&seen.item.operation);
        saga::open(ws, &operation, run_key, &seen.item.tool, &payload, now)
    }
}
