//! An agent's history and plans: runs, messages, calls, links, timers, state.

use std::collections::BTreeMap;

use dormouse_types::agent::{
    AgentActivity, AgentLinkKind, Initiator, MessageKind, OperationPhase, OperationStatus,
    RunFailure, RunStatus, TimerKind, WakeReason,
};
use dormouse_types::closed_list;
use dormouse_types::closed_list::Listed;
use dormouse_types::kept_back::KeptBack;
use dormouse_types::model::PromptPart;
use dormouse_types::observation::{ObservationCategory, ObservationPriority};
use dormouse_types::{
    AgentId, ChangeSetId, LinkId, MessageId, RunKey, SubscriptionId, TaskId, ThreadId, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Agent;

/// A run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Wake {
    /// Its key; none while it waits in the queue.
    pub run_key: Option<RunKey>,
    /// The agent.
    pub agent_id: AgentId,
    /// The strongest of its reasons.
    pub reason: Listed<WakeReason>,
    /// Subscription, timer or request.
    pub reason_id: Option<String>,
    /// What started it.
    pub initiator: Listed<Initiator>,
    /// Its messages.
    pub thread_id: Option<ThreadId>,
    /// Its status; a wake that waits is `queued`.
    pub status: RunStatus,
    /// The interval of the change sequence.
    pub logical_change_key: Option<String>,
    /// The model it called.
    pub model: Option<String>,
    /// Whether it reached the turn limit.
    pub cut: bool,
    /// How often it was interrupted by a crash.
    pub crashes: i64,
    /// The number of its last lease: rises with each claim of its agent.
    pub epoch: i64,
    /// How many turns the model was called for.
    pub turns: i64,
    /// How many tools it called; the list of calls has the details.
    pub operations: i64,
    /// What its turns read, as the provider counted it; 0 if it counted nothing. Units: tokens.
    pub input_tokens: u64,
    /// The part of that which came from a cache. Units: tokens.
    pub cached_input_tokens: u64,
    /// What its turns wrote. Units: tokens.
    pub output_tokens: u64,
    /// How much of its task its model was not shown, because it is private.
    pub kept_back: KeptBack,
    /// Since when it can no longer be shown as it was: words were removed from its prompts or
    /// answers.
    pub purged_at: Option<Timestamp>,
    /// When it was claimed, or when the signal came.
    pub created_at: Timestamp,
    /// When it was claimed last.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// When a waiting one is due.
    pub due_at: Option<Timestamp>,
    /// Why it failed.
    pub error_message: Option<String>,
    /// What kind of failure that was; none for one that only the message describes.
    pub failure: Option<Listed<RunFailure>>,
}

/// A message with its content.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// The agent.
    pub agent_id: AgentId,
    /// Its thread: a run, or the decisions about the agent's proposals.
    pub thread_id: ThreadId,
    /// The run it belongs to.
    pub run_key: Option<RunKey>,
    /// Of a run: the turn, from 1.
    pub turn: Option<u32>,
    /// What it is.
    pub kind: Listed<MessageKind>,
    /// Its content: text, or JSON of a call.
    pub content: Option<Value>,
    /// The message before it.
    pub prev_message_id: Option<MessageId>,
    /// Of a call or decision.
    pub tool_name: Option<String>,
    /// Of a call or decision.
    pub operation_id: Option<String>,
    /// Of a result: whether it was refused.
    pub refused: Option<bool>,
    /// Of an observation: how much it matters.
    pub priority: Option<Listed<ObservationPriority>>,
    /// Of an observation: what it is about.
    pub category: Option<Listed<ObservationCategory>>,
    /// Of a summary: the first and the last line of the log that it folds.
    pub folds: Option<[i64; 2]>,
    /// Of a summary: how often the oldest of its lines were folded.
    pub depth: Option<i64>,
    /// Units: tokens, estimated.
    pub tokens_approx: i64,
    /// When it was written.
    pub created_at: Timestamp,
    /// Host and counter of its write.
    pub vector_clock: BTreeMap<String, i64>,
}

/// A prompt exactly as it was sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// The run.
    pub run_key: RunKey,
    /// The turn, from 1.
    pub turn: u32,
    /// Its pieces, in order.
    pub fragments: Vec<PromptFragment>,
    /// Of the canonical request, as stored.
    pub digest: String,
    /// Whether the rebuilt prompt has that digest.
    pub verified: bool,
    /// When words were removed from it, or from the answers before it.
    pub purged_at: Option<Timestamp>,
    /// When it was sent.
    pub at: Timestamp,
}

/// A piece of a prompt.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromptFragment {
    /// What it holds.
    pub kind: Listed<PromptPart>,
    /// As it was sent.
    pub text: String,
}

closed_list! {
    /// The outcome of a tool call.
    pub enum CallOutcome, "outcome" {
        /// It was carried out.
        Done = "done",
        /// It was refused.
        Refused = "refused",
        /// There is no result yet.
        Open = "open",
    }
}

/// A tool call and its result.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The operation, which happens at most once: equal calls of the same run share it.
    pub operation_id: Option<String>,
    /// The tool.
    pub tool_name: Option<String>,
    /// Its thread: a run, or the decisions about the agent's proposals.
    pub thread_id: ThreadId,
    /// The run it belongs to.
    pub run_key: Option<RunKey>,
    /// Of a run: the turn, from 1.
    pub turn: Option<u32>,
    /// The message that asks.
    pub action_message_id: MessageId,
    /// Its arguments; none after they were purged.
    pub action: Option<Value>,
    /// Its outcome.
    pub outcome: CallOutcome,
    /// The message that answers.
    pub result_message_id: Option<MessageId>,
    /// What it answers.
    pub result: Option<Value>,
    /// The entities of the journal that it touched.
    pub touched: Vec<String>,
    /// When it was sent.
    pub created_at: Timestamp,
    /// When it was answered.
    pub completed_at: Option<Timestamp>,
}

/// A link from an entity of an agent to another one, or to the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// Its id.
    pub id: LinkId,
    /// What it says.
    #[serde(rename = "type")]
    pub kind: Listed<AgentLinkKind>,
    /// Where it begins.
    pub from_id: String,
    /// Where it leads.
    pub to_id: String,
    /// When it was created.
    pub created_at: Timestamp,
}

/// What an agent watches.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// Its id; runs that it starts name it as their reason.
    pub id: SubscriptionId,
    /// The agent.
    pub agent_id: AgentId,
    /// The kinds of news it covers: `taskNotification`.
    pub match_token_keys: Vec<String>,
    /// What the news must be about: the task, with its items and entries, later ones too.
    pub match_entity_ids: Vec<String>,
    /// What it leaves out of that.
    pub filter: SubscriptionFilter,
}

closed_list! {
    /// What a change to a linked task does.
    pub enum LinkedChange, "value" {
        /// It marks the report as out of date.
        Stale = "stale",
        /// It wakes the agent immediately.
        Wake = "wake",
    }
}

/// What a subscription leaves out.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionFilter {
    /// Changes of these origins wake no agent.
    pub except_origins: Vec<String>,
    /// What a change to a linked task does.
    pub linked: LinkedChange,
}

closed_list! {
    /// What a timer is for.
    pub enum TimerPurpose, "timer" {
        /// Another try after failed runs.
        BackOff = "backOff",
        /// The due date is near.
        DueDate = "dueDate",
        /// A person set the time.
        WakeAt = "wakeAt",
    }
}

impl From<TimerKind> for TimerPurpose {
    fn from(kind: TimerKind) -> Self {
        match kind {
            TimerKind::DueDate => Self::DueDate,
            TimerKind::WakeAt => Self::WakeAt,
        }
    }
}

/// A time at which an agent wakes in any case.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Timer {
    /// What it is for.
    pub kind: TimerPurpose,
    /// When it wakes the agent.
    pub at: Timestamp,
    /// What it is about: the due date, or the failures.
    pub about: Option<String>,
    /// When it fired; until a run completes that saw it.
    pub fired_at: Option<Timestamp>,
}

/// Everything that determines when an agent runs next.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentState {
    /// The agent.
    pub agent_id: AgentId,
    /// What it is doing.
    pub activity: AgentActivity,
    /// Why it is to wake, strongest first.
    pub reasons: Vec<WakeReason>,
    /// When it wakes next, if a wake waits.
    pub due_at: Option<Timestamp>,
    /// Until when automatic wakes are held back.
    pub sleep_until: Option<Timestamp>,
    /// Since when its task, or one linked to it, is not as its report says.
    pub changed_since: Option<Timestamp>,
    /// When a retry after failure is due.
    pub next_wake_at: Option<Timestamp>,
    /// Failed runs in a row.
    pub consecutive_failure_count: i64,
    /// When its last run completed.
    pub last_wake_at: Option<Timestamp>,
    /// Who works for it now.
    pub lease: Option<Lease>,
    /// How often it was claimed or taken over.
    pub epoch: i64,
    /// Crashes of the run that has not ended.
    pub crashes: i64,
    /// Increases with each completed run.
    pub revision: i64,
    /// The task.
    pub active_task_id: Option<TaskId>,
    /// The newest position of the journal that concerns it.
    pub upto: i64,
    /// The journal positions that its last completed run covered.
    pub processed_counter_by_host: BTreeMap<String, i64>,
    /// The last message of the last completed run.
    pub recent_head_message_id: Option<MessageId>,
    /// User messages not delivered to a completed run.
    pub unheard_messages: usize,
}

/// A stopped agent, with its undelivered messages.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoppedAgent {
    /// The agent as it is now.
    #[serde(flatten)]
    pub agent: Agent,
    /// User messages not delivered to a completed run, oldest first; send them again to have them
    /// delivered.
    pub unheard: Vec<UnheardMessage>,
}

/// A user message that was not delivered to its agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnheardMessage {
    /// The message.
    pub id: MessageId,
    /// When it was sent.
    pub created_at: Timestamp,
    /// The words; none when they were purged.
    pub text: Option<String>,
}

/// Who may work for an agent, and how long unless it is prolonged.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Lease {
    /// The process.
    pub owner: String,
    /// Its number.
    pub epoch: i64,
    /// When another one may take over.
    pub expires_at: Option<Timestamp>,
    /// The run it is for.
    pub run_key: Option<RunKey>,
}

/// An operation that crosses the two databases, with its progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Its id.
    pub operation_id: String,
    /// Its tool.
    pub tool_name: String,
    /// How far it has progressed.
    pub phase: Listed<OperationPhase>,
    /// Its status.
    pub status: Listed<OperationStatus>,
    /// The run that proposed it.
    pub run_key: RunKey,
    /// The task.
    pub task_id: Option<TaskId>,
    /// The proposal: its set.
    pub change_set_id: Option<ChangeSetId>,
    /// The proposal: its place in the set, from 1.
    pub item_index: Option<i64>,
    /// When it was opened.
    pub since: Timestamp,
    /// When it moved last.
    pub updated_at: Timestamp,
    /// Why it was closed without effect.
    pub last_error: Option<String>,
}
