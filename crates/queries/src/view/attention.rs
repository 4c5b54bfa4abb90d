//! What the user sees first: what needs them, and recent reports.

use dormouse_types::closed_list;
use dormouse_types::closed_list::Listed;
use dormouse_types::model::ProviderUnavailable;
use dormouse_types::spend::Unit;
use dormouse_types::work::RunState;
use dormouse_types::{AgentId, TaskId, Timestamp, WorkId, WorkRunId};
use serde::{Deserialize, Serialize};

use super::{Report, RestoredDatabase, WorkQuestion};

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
        /// A budget of the day has no room for the next call.
        Budget = "budget",
        /// The last run of an agent failed.
        RunFailed = "runFailed",
        /// A database was restored or recreated.
        Restored = "restored",
        /// A run of agent work has a question.
        WorkQuestion = "workQuestion",
        /// A run of agent work ended without an outcome.
        WorkReview = "workReview",
        /// The last run of agent work ended without a result.
        WorkFailed = "workFailed",
        /// The process that worked on the last run of agent work died too often.
        WorkInterrupted = "workInterrupted",
        /// The last occurrence of agent work was missed, and was left out.
        WorkMissed = "workMissed",
        /// Agent work starts nothing, because the data was restored.
        WorkHeld = "workHeld",
        /// Agent work starts nothing, because what starts it cannot be read.
        WorkBroken = "workBroken",
    }
}

/// Why something needs the user, with the values that its reader makes a sentence of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum AttentionCause {
    /// Proposals wait for a decision.
    Changes {
        /// How many.
        count: usize,
    },
    /// Proposals expire soon.
    Expiring {
        /// How many.
        count: usize,
    },
    /// An agent stopped after failed runs.
    AgentDormant {
        /// How many runs in a row failed.
        runs: i64,
    },
    /// The last run of an agent failed.
    RunFailed {
        /// What its error says.
        error: Option<String>,
    },
    /// A model provider does not answer.
    Provider {
        /// The provider; `provider/model` if only a model is held.
        provider: String,
        /// Why it is not called.
        why: Listed<ProviderUnavailable>,
        /// What it said last.
        detail: String,
    },
    /// The key, the address or the name of a model is wrong.
    ModelSetup {
        /// The provider; `provider/model` if only a model is held.
        provider: String,
        /// Why it is not called.
        why: Listed<ProviderUnavailable>,
        /// What it said last.
        detail: String,
    },
    /// A budget of the day has no room for the next call: that of the agent, or without one that of all agents.
    #[serde(rename_all = "camelCase")]
    Budget {
        /// What the amounts count.
        unit: Unit,
        /// What was used today.
        used: i64,
        /// What may be used today.
        budget: i64,
        /// What the next call may take.
        next_call: i64,
    },
    /// A database was restored or recreated.
    Restored {
        /// Which of the two.
        database: RestoredDatabase,
        /// How many agents have not reported since.
        count: usize,
    },
    /// A run of agent work has a question, which `work` has.
    WorkQuestion,
    /// A run of agent work ended without an outcome.
    WorkReview {
        /// What its error says.
        error: Option<String>,
        /// What it says of itself.
        summary: Option<String>,
    },
    /// The last run of agent work ended without a result.
    WorkFailed {
        /// What its error says.
        error: Option<String>,
        /// What it says of itself.
        summary: Option<String>,
    },
    /// The process that worked on the last run of agent work died too often.
    WorkInterrupted {
        /// What its error says.
        error: Option<String>,
        /// What it says of itself.
        summary: Option<String>,
    },
    /// The last occurrence of agent work was missed, and was left out.
    WorkMissed,
    /// Agent work starts nothing, because the data was restored.
    WorkHeld,
    /// Agent work starts nothing, because what starts it cannot be read.
    WorkBroken,
}

impl AttentionCause {
    /// How many proposals or agents it is about.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Changes { count } | Self::Expiring { count } | Self::Restored { count, .. } => {
                Some(*count)
            }
            Self::AgentDormant { .. }
            | Self::RunFailed { .. }
            | Self::Provider { .. }
            | Self::ModelSetup { .. }
            | Self::Budget { .. }
            | Self::WorkQuestion
            | Self::WorkReview { .. }
            | Self::WorkFailed { .. }
            | Self::WorkInterrupted { .. }
            | Self::WorkMissed
            | Self::WorkHeld
            | Self::WorkBroken => None,
        }
    }

    /// Its kind.
    pub fn kind(&self) -> AttentionKind {
        match self {
            Self::Changes { .. } => AttentionKind::Changes,
            Self::Expiring { .. } => AttentionKind::Expiring,
            Self::AgentDormant { .. } => AttentionKind::AgentDormant,
            Self::RunFailed { .. } => AttentionKind::RunFailed,
            Self::Provider { .. } => AttentionKind::Provider,
            Self::ModelSetup { .. } => AttentionKind::ModelSetup,
            Self::Budget { .. } => AttentionKind::Budget,
            Self::Restored { .. } => AttentionKind::Restored,
            Self::WorkQuestion => AttentionKind::WorkQuestion,
            Self::WorkReview { .. } => AttentionKind::WorkReview,
            Self::WorkFailed { .. } => AttentionKind::WorkFailed,
            Self::WorkInterrupted { .. } => AttentionKind::WorkInterrupted,
            Self::WorkMissed => AttentionKind::WorkMissed,
            Self::WorkHeld => AttentionKind::WorkHeld,
            Self::WorkBroken => AttentionKind::WorkBroken,
        }
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
    /// Its kind, and what is known of that kind.
    #[serde(flatten)]
    pub cause: AttentionCause,
    /// Since when.
    pub since: Timestamp,
    /// The task.
    pub task_id: Option<TaskId>,
    /// The title of the task.
    pub task_title: Option<String>,
    /// The agent.
    pub agent_id: Option<AgentId>,
    /// Its display name; of proposals of agent work, the title of the work.
    pub agent_name: Option<String>,
    /// Of proposals: when the first of them expires. Of a provider: when it is called again. Of
    /// a budget: when the day ends. Of a question: until when it can be answered.
    pub expires_at: Option<Timestamp>,
    /// One line in English, for clients without words of their own.
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
    /// The number of the run within the definition, from 1.
    #[serde(default)]
    pub run: Option<i64>,
    /// The state of the run.
    pub run_state: Option<RunState>,
    /// What it asks.
    pub question: Option<WorkQuestion>,
}

impl Attention {
    /// An entry of which nothing but the reason is known yet.
    pub(crate) fn new(
        id: String,
        cause: AttentionCause,
        since: Timestamp,
        actions: &[AttentionAction],
    ) -> Self {
        Self {
            id,
            cause,
            since,
            task_id: None,
            task_title: None,
            agent_id: None,
            agent_name: None,
            text: String::new(),
            expires_at: None,
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
