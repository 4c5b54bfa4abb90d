//! Change sets and decisions.

use dormouse_types::{ChangeSetId, DecisionId, HolderId, RuleId, TaskId, ThreadId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use dormouse_types::agent::{DecisionVerdict, SetStatus, VerdictOutcome as Outcome};

use super::entity::{Columns, Entity};

/// The proposals of one run for one task. Its items are separate rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeSet {
    pub id: ChangeSetId,
    /// The agent, or the run of agent work, that proposed them.
    #[serde(rename = "agentId")]
    pub proposer: HolderId,
    /// The task they concern.
    pub task_id: TaskId,
    /// The message thread of the run.
    pub thread_id: ThreadId,
    pub run_key: String,
    /// Whether the model that made a proposal of it had been shown something private by then. Not known of sets of older
    /// versions, which say no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub made_of_private: bool,
    /// The status derived from its items, as last written.
    pub status: SetStatus,
    /// When it was created.
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

impl Entity for ChangeSet {
    const KIND: &'static str = "changeSet";
    fn columns(&self) -> Columns {
        Columns {
            thread: Some(self.thread_id.to_string()),
            task: Some(self.task_id.clone()),
            ..Columns::new(
                &self.id,
                &self.proposer,
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
    pub id: DecisionId,
    /// The agent, or the run of agent work, that proposed it.
    #[serde(rename = "agentId")]
    pub proposer: HolderId,
    pub change_set_id: ChangeSetId,
    /// The item, from 1.
    pub item_index: i64,
    pub tool_name: String,
    /// Its arguments.
    pub args: Value,
    /// Its identity.
    pub fingerprint: String,
    /// `confirmed`, `rejected` or `deferred`.
    pub verdict: DecisionVerdict,
    /// The result of a confirmed item.
    pub outcome: Outcome,
    /// Why it could not be applied.
    #[serde(default)]
    pub outcome_reason: Option<String>,
    #[serde(default)]
    pub task_id: Option<TaskId>,
    /// Why the person rejected it.
    #[serde(default)]
    pub rejection_reason: Option<String>,
    /// The item of the same set whose rejection this one followed, because it belongs to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_item: Option<i64>,
    /// The rule of the person that gave the verdict; none if a person gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_rule: Option<RuleId>,
    /// How many times the item had been undone.
    pub round: i64,
    /// When the verdict was given.
    pub created_at: Timestamp,
    /// When the outcome became known.
    pub updated_at: Timestamp,
    /// When the person undid the verdict.
    #[serde(default)]
    pub undone_at: Option<Timestamp>,
    /// When it was soft-deleted.
    #[serde(default)]
    pub deleted_at: Option<Timestamp>,
}

impl Entity for Decision {
    const KIND: &'static str = "changeDecision";
    fn columns(&self) -> Columns {
        Columns {
            task: self.task_id.clone(),
            ..Columns::new(
                &self.id,
                &self.proposer,
                Self::KIND,
                [self.created_at, self.updated_at],
                self.deleted_at,
            )
        }
    }
}
