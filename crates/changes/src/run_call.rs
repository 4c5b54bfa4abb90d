//! Calls of a run that write the journal directly: their saga, from the turn's commit to the end.

use dormouse_store::Op;
use dormouse_store::agent::saga::{self, OperationStatus, Phase};
use dormouse_types::{AgentId, OperationId, TaskId, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};

/// Saga payload of a run's call that writes the journal directly. The run itself finishes the call,
/// even after a crash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunCall {
    // Under this name in the rows of open sagas.
    #[serde(rename = "crossing")]
    kind: CallOfRun,
    /// Task that the call changes.
    pub task: TaskId,
    /// Agent that made the call.
    pub agent: AgentId,
}

/// Distinguishes this payload from the payload of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum CallOfRun {
    Call,
}

impl RunCall {
    /// Creates the payload for a call of this agent about this task.
    pub fn new(task: TaskId, agent: AgentId) -> Self {
        Self { kind: CallOfRun::Call, task, agent }
    }

    /// Returns the op that opens the saga, committed with the turn that makes the call.
    pub fn open(
        &self,
        ws: WorkspaceId,
        operation: &OperationId,
        run_key: &str,
        tool: &str,
        now: Timestamp,
    ) -> Op {
        let payload = serde_json::to_string(self).expect("a call is plain data");
        // The same call of the same run is one operation, however often it is attempted.
        let Op { sql, params, .. } = saga::open(ws, operation, run_key, tool, &payload, now);
        Op::any(sql, params)
    }
}

/// Returns the op that closes the saga of a call: completed, or failed with a reason.
pub fn ended(ws: WorkspaceId, operation: &OperationId, why: Option<&str>, now: Timestamp) -> Op {
    let status = if why.is_none() { OperationStatus::Completed } else { OperationStatus::Failed };
    saga::close_if_open(ws, operation, Phase::AgentDone, status, why, now)
}

/// Returns whether a saga payload belongs to a call of a run.
pub(crate) fn is_call(payload: &str) -> bool {
    serde_json::from_str::<RunCall>(payload).is_ok()
}
