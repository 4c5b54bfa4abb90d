//! What the user sees first: what needs them, and recent reports.

use dormouse_types::closed_list;
use dormouse_types::work::RunState;
use dormouse_types::{AgentId, TaskId, Timestamp, WorkId, WorkRunId};
use serde::{Deserialize, Serialize};

use super::{Report, WorkQuestion};

closed_list! {
    /// Why something needs the user.
    pub enum AttentionKind, "kind" {
        /// Proposals wait for a decision.
        Changes = "changes",
        /// Proposals expire soon.
        Expiring = "expiring",
        /// An agent stopped after failed runs.
        AgentDormant = "agentDormant",
        /// A model provider does not answer.
        Provider = "provider",
        /// The key, the address or the name of a model is wrong.
        ModelSetup = "modelSetup",
        /// A budget of the day is used up.
        Budget = "budget",
        /// The last run of an agent failed.
        RunFailed = "runFailed",
        /// A database was restored or recreated.
        Restored = "restored",
        /// A run of agent work asked a question.
        WorkQuestion = "workQuestion",
        /// A run of agent work ended without an outcome.
        WorkReview = "workReview",
        /// The last run of agent work ended without a result.
        WorkFailed = "workFailed",
        /// The process that worked on the last run of agent work died too often.
        WorkInterrupted = "workInterrupted",
        /// The last occurrence of agent work was due while nothing ran, and was left out.
        WorkMissed = "workMissed",
        /// Agent work starts nothing, because the data was restored.
        WorkHeld = "workHeld",
        /// Agent work starts nothing, because what starts it cannot be read.
        WorkBroken = "workBroken",
    }
}

closed_list! {
    /// What the user can do about it.
    pub enum AttentionAction, "action" {
        /// Decide about the proposals.
        Review = "review",
        /// Resume the agent, or the work.
        Resume = "resume",
        /// Wake the agent.
        Wake = "wake",
        /// Allow one more budget of the same size for this day.
        OnceMore = "onceMore",
        /// Answer the question.
        Answer = "answer",
        /// Take what the run left for its result.
        Approve = "approve",
        /// Take it for a failure.
        Decline = "decline",
        /// Let the run be tried again.
        Retry = "retry",
        /// Look at it.
        Open = "open",
    }
}

/// Something that needs the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Attention {
    /// What it is, as long as it lasts.
    pub id: String,
    /// The kind of it.
    pub kind: AttentionKind,
    /// Since when.
    pub since: Timestamp,
    /// The task.
    pub task_id: Option<TaskId>,
    /// The title of the task.
    pub task_title: Option<String>,
    /// The agent.
    pub agent_id: Option<AgentId>,
    /// Its display name.
    pub agent_name: Option<String>,
    /// Of proposals: how many. Of a database that was restored: how many agents have not reported
    /// since.
    pub count: Option<usize>,
    /// Of proposals: when the first of them expires. Of a provider: when it is asked again. Of
    /// a budget: when the day ends. Of a question: until when it can be answered.
    pub expires_at: Option<Timestamp>,
    /// A one-line summary.
    pub text: String,
    /// What the person can do.
    pub actions: Vec<AttentionAction>,
    /// The agent work, if it is about that.
    pub work: Option<WaitingWork>,
    /// When the person took note of it; it is then in the list of those alone.
    pub acknowledged_at: Option<Timestamp>,
}

/// Agent work that waits for the person, with the run that does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingWork {
    /// The definition.
    pub id: WorkId,
    /// Its title.
    pub title: String,
    /// The run; `None` if it is about the work itself.
    pub run_id: Option<WorkRunId>,
    /// The state of the run.
    pub run_state: Option<RunState>,
    /// What it asks.
    pub question: Option<WorkQuestion>,
}

impl Attention {
    /// An item that says nothing yet.
    pub(crate) fn new(
        id: String,
        kind: AttentionKind,
        since: Timestamp,
        actions: &[AttentionAction],
    ) -> Self {
        Self {
            id,
            kind,
            since,
            task_id: None,
            task_title: None,
            agent_id: None,
            agent_name: None,
            count: None,
            expires_at: None,
            text: String::new(),
            actions: actions.to_vec(),
            work: None,
            acknowledged_at: None,
        }
    }
}

/// The latest report of an agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecentReport {
    /// The report.
    #[serde(flatten)]
    pub report: Report,
    /// The display name of its agent.
    pub agent_name: Option<String>,
    /// The title of the task.
    pub task_title: Option<String>,
    /// The language of the task, which is that of the report. ISO 639 code.
    pub language: Option<String>,
}
