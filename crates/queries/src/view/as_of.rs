//! A task as it was at a wake.

use dormouse_types::agent::ItemStatus;
use dormouse_types::{RunKey, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Activity, ChangeItem, Report, Task, Wake};

/// A task, its report, what was proposed and what its agent knew, as they were at a wake.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskAtWake {
    /// The wake.
    pub wake: Wake,
    /// The completed wake before it.
    pub previous: Option<RunKey>,
    /// The completed wake after it.
    pub next: Option<RunKey>,
    /// The task as the wake found it. Names of labels, categories and linked tasks, and its agent, are those of
    /// now.
    pub task: Task,
    /// The newest report when the wake had ended.
    pub report: Option<Report>,
    /// What was open when the wake had ended, in the order of the proposals.
    pub proposals: Vec<ProposalThen>,
    /// What the agent knew when the wake had ended.
    pub memory: MemoryThen,
    /// What happened to the task since, oldest first.
    pub since: Vec<Activity>,
    /// When those of the later changes were made that could not be undone, newest first: what they did was not
    /// recorded. The task shows what they left.
    pub not_undone: Vec<Timestamp>,
}

/// A proposal that was open.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProposalThen {
    /// `pending` or `deferred`.
    pub then: ItemStatus,
    /// What it is now.
    pub item: ChangeItem,
    /// Why the user rejected it since.
    pub rejection_reason: Option<String>,
}

/// How much an agent knew; the lines are in the list of what it knows, with `at`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MemoryThen {
    /// The lines of its log that were not removed since.
    pub lines: i64,
    /// Whether older lines were folded into a summary.
    pub has_summary: bool,
}
