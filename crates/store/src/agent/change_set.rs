//! Change sets and decisions.

use dormouse_types::{AgentId, ChangeSetId, DecisionId, TaskId, ThreadId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::entity::{Columns, Entity};

/// The proposals of one run about one task. Its items are rows of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeSet {
    /// Its id.
    pub id: ChangeSetId,
    /// Who proposes.
    pub agent_id: AgentId,
    /// About what.
    pub task_id: TaskId,
    /// The messages of the run.
    pub thread_id: ThreadId,
    /// The run.
    pub run_key: String,
    /// The fold of its items, as last written.
    pub status: SetStatus,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When its last item was decided.
    #[serde(default)]
    pub resolved_at: Option<Timestamp>,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
}

/// The fold of a set's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SetStatus {
    /// Nothing is decided.
    Pending,
    /// Some items are.
    PartiallyResolved,
    /// All items are.
    Resolved,
    /// The last open items expired.
    Expired,
}

impl Entity for ChangeSet {
    const KIND: &'static str = "changeSet";
    fn columns(&self) -> Columns {
        Columns {
            thread: Some(self.thread_id.to_string()),
            task: Some(self.task_id.clone()),
            ..Columns::new(
                &self.id,
                &self.agent_id,
                Self::KIND,
                [self.created_at, self.updated_at],
                self.deleted_at,
            )
        }
    }
}

/// A person's verdict on one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// Its id.
    pub id: DecisionId,
    /// Who proposed.
    pub agent_id: AgentId,
    /// The set.
    pub change_set_id: ChangeSetId,
    /// The item, from 1.
    pub item_index: i64,
    /// Its tool.
    pub tool_name: String,
    /// Its arguments.
    pub args: Value,
    /// Its identity.
    pub fingerprint: String,
    /// `confirmed`, `rejected` or `deferred`.
    pub verdict: DecisionVerdict,
    /// What became of a confirmed item.
    pub outcome: Outcome,
    /// Why it could not be applied.
    #[serde(default)]
    pub outcome_reason: Option<String>,
    /// The task.
    #[serde(default)]
    pub task_id: Option<TaskId>,
    /// Why the person rejected it.
    #[serde(default)]
    pub rejection_reason: Option<String>,
    /// How often the item had been undone.
    pub round: i64,
    /// When.
    pub created_at: Timestamp,
    /// When the outcome was known.
    pub updated_at: Timestamp,
    /// When the person took the verdict back.
    #[serde(default)]
    pub undone_at: Option<Timestamp>,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
}

/// A person's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DecisionVerdict {
    /// Apply it.
    Confirmed,
    /// Do not.
    Rejected,
    /// Later.
    Deferred,
}

/// What became of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// Not known yet.
    Applying,
    /// Done.
    Applied,
    /// It failed and may be tried again.
    Failed,
    /// It can never succeed.
    Retracted,
}

impl Entity for Decision {
    const KIND: &'static str = "changeDecision";
    fn columns(&self) -> Columns {
        Columns {
            task: self.task_id.clone(),
            ..Columns::new(
                &self.id,
                &self.agent_id,
                Self::KIND,
                [self.created_at, self.updated_at],
                self.deleted_at,
            )
        }
    }
}
