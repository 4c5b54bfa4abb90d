//! Views: the plain data returned to users and programs.
//!
//! Field names are camelCase when serialised; times are RFC 3339 in UTC, days `YYYY-MM-DD`.

use dormouse_types::agent::RunStatus;
use dormouse_types::change::What;
use dormouse_types::closed_list;
use dormouse_types::{AgentId, RunKey, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

mod task;
mod scheduled_wake;
mod agent;
mod audit;
mod agent_history;
mod as_of;
mod change;
mod attention;
mod attention_words;
mod import;
mod health;
mod memory;
mod spending;
mod work;
mod work_hook;
mod conversation;
mod delivery;
mod template;
mod template_metrics;
mod rule;
mod evolution;

pub use agent::{Agent, Report, Restored, RestoredDatabase, Slots};
pub use agent_history::{
    AgentState, CallOutcome, Lease, Link, LinkedChange, Message, Operation, Prompt, PromptFragment,
    StoppedAgent, Subscription, SubscriptionFilter, Timer, TimerPurpose, ToolCall, UnheardMessage,
    Wake,
};
pub use as_of::{MemoryThen, ProposalThen, TaskAtWake};
pub use attention::{
    Attention, AttentionAction, AttentionCause, AttentionKind, RecentReport, WaitingWork,
};
pub use audit::AuditEntry;
pub use change::{
    ChangeItem, ChangeSet, DecidedItem, Decision, Evidence, OpenChanges, Outcome, TaskChange,
};
pub use conversation::Conversation;
pub use delivery::Delivery;
pub use dormouse_access::view::{
    Access, Code, CreatedToken, Exchanged, Secret, ServerFacts, Ticket, Token,
};
pub use dormouse_types::model::{Entry, Item, Named, PromptPart};
pub use dormouse_types::task::StatusEntry;
pub use evolution::{EvolutionDetail, EvolutionMessage, EvolutionProposal, EvolutionSession};
pub use health::{
    DatabaseLook, Diagnosis, FileLook, Finding, ProviderAlert, ProviderFailure, Queue, Severity,
};
pub use import::{ImportEvent, ImportOutcome};
pub use memory::{Checkpoint, KnowledgeKind, KnowledgeLine, MemoryHit, MemoryLine};
pub use rule::{HeldBack, RejectedProposal, Rule, SuggestedRule, TemplateTool};
pub use scheduled_wake::{HeldBy, ScheduledReason, ScheduledWake};
pub use spending::{Spending, Spent};
pub use task::{LinkedTask, Match, MatchPlace, RowActivity, Task, TaskLink, TaskRow};
pub use template::{Template, TemplateDetail, TemplateVersion};
pub use template_metrics::{
    DecisionCounts, MetricChange, Metrics, ModelMetrics, TemplateMetrics, ToolChange, ToolMetrics,
    VersionComparison, VersionMetrics, WeekMetrics,
};
pub use work::{
    AgentWork, AgentWorkDetail, LogLineKind, SchedulePreview, WorkInstruction, WorkLogLine,
    WorkOccurrence, WorkOccurrences, WorkPreview, WorkQuestion, WorkRun, WorkTemplate, WorkTrial,
};
pub use work_hook::{
    CreatedWorkHook, ReceivedCall, WorkHook, WorkHookCall, WorkHookHour, WorkHookRefused,
    WorkHookSecret,
};

pub use crate::transcript::{Call, TaskRef, Turn};

/// One page of a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// The cursor of the next page; none on the last one.
    pub next_cursor: Option<String>,
    /// Rows that cannot be read, with the reason. All other rows are included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

/// The outcome of one run of a drain or a requested wake.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunOutcome {
    /// The run.
    pub run_key: RunKey,
    /// The agent.
    pub agent_id: AgentId,
    /// Its name.
    pub agent_name: String,
    /// The task.
    pub task_id: Option<TaskId>,
    /// The title of the task.
    pub task_title: String,
    /// How it ended; `queued` if it was interrupted and will continue.
    pub status: RunStatus,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether it published a report.
    pub report: bool,
    /// How many items it proposed.
    pub proposals: usize,
    /// How many observations it noted.
    pub observations: usize,
}

/// The overview.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// Live tasks that are not closed.
    pub open_tasks: usize,
    /// Live tasks.
    pub tasks: usize,
    /// Agents that are not destroyed.
    pub agents: usize,
    /// Open proposals, without deferred ones.
    pub open_proposals: usize,
    /// Deferred proposals.
    #[serde(default)]
    pub put_off_proposals: usize,
    /// Tasks with open proposals that are not deferred.
    pub tasks_with_proposals: usize,
    /// Agents that are running, or have a wake that may run now; deferred wakes are not counted.
    pub waiting_agents: usize,
    /// When the next deferred wake or timer is due.
    pub next_wake_at: Option<Timestamp>,
    /// Agents dormant after failures.
    pub dormant_agents: usize,
    /// Operations that are not finished.
    pub open_operations: usize,
    /// The wake queue.
    pub queue: Queue,
    /// Model providers that are currently unavailable.
    pub alerts: Vec<ProviderAlert>,
    /// Model providers whose last calls failed, and which are still called.
    #[serde(default)]
    pub failing: Vec<ProviderFailure>,
    /// What all agents have spent today on models that cost money.
    #[serde(default)]
    pub spending: Spending,
}

closed_list! {
    /// Who made a change.
    pub enum ChangeOrigin, "origin" {
        /// A person, by hand or by confirming a proposal.
        Person = "person",
        /// An agent's own write.
        Agent = "agent",
        /// The result of agent work.
        Work = "work",
        /// An imported file.
        Import = "import",
        /// An origin from a newer version.
        Unknown = "unknown",
    }
}

/// A change of a task, as shown in its activity.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// Its position.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
    /// Who changed it.
    pub origin: ChangeOrigin,
    /// What.
    pub what: Vec<What>,
}
