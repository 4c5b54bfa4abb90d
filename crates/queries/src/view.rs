//! Views: the plain data returned to users and programs.
//!
//! Field names are camelCase when serialised; times are RFC 3339 in UTC, days `YYYY-MM-DD`.

use std::collections::BTreeMap;

use dormouse_types::agent::{
    AgentActivity, AgentKind, AgentMode, Automation, DecisionVerdict, DormantReason, ItemStatus,
    Lifecycle, PutOff, RunStatus, SetStatus, VerdictOutcome,
};
use dormouse_types::change::What;
use dormouse_types::closed_list;
use dormouse_types::closed_list::Listed;
use dormouse_types::draft::Format;
use dormouse_types::field_change::{FieldChange, FieldValue};
use dormouse_types::task::{LinkDirection, LinkKind, Priority, Status};
use dormouse_types::{
    AgentId, CategoryId, ChangeSetId, DecisionId, EntryId, Fingerprint, LabelId, ReportId, RunKey,
    TaskId, TaskLinkId, ThreadId, Timestamp,
};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

mod attention;
mod health;
mod agent_history;
mod memory;
mod spending;

pub use agent_history::{
    AgentState, CallOutcome, HeldBy, Lease, Link, LinkedChange, Message, Operation, Prompt,
    PromptFragment, ScheduledReason, ScheduledWake, StoppedAgent, Subscription, SubscriptionFilter,
    Timer, TimerPurpose, ToolCall, UnheardMessage, Wake,
};
pub use attention::{Attention, AttentionAction, AttentionKind, RecentReport, TaskChange};
pub use dormouse_access::view::{
    Access, Code, CreatedToken, Exchanged, Secret, ServerFacts, Ticket, Token,
};
pub use dormouse_types::model::{Entry, Item, Named};
pub use dormouse_types::task::StatusEntry;
pub use health::{DatabaseLook, Diagnosis, FileLook, Finding, ProviderAlert, Queue, Severity};
pub use memory::{Checkpoint, MemoryLine};
pub use spending::{Spending, Spent};

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

/// A task in a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskRow {
    /// Its id.
    pub id: TaskId,
    /// Its title; may be empty.
    pub title: String,
    /// Its status.
    pub status: Status,
    /// Its priority, if set.
    pub priority: Option<Priority>,
    /// The day it is due.
    pub due_on: Option<Date>,
    /// Ticked, unarchived items.
    pub items_checked: usize,
    /// Unarchived items.
    pub items_total: usize,
    /// Its agent, if it has a live one.
    pub agent: Option<AgentId>,
    /// The display name of its agent.
    pub agent_name: Option<String>,
    /// What its agent is doing.
    pub agent_activity: Option<RowActivity>,
    /// The TLDR of its report.
    pub tldr: Option<String>,
    /// Its labels.
    pub labels: Vec<Named<LabelId>>,
    /// Its category.
    pub category: Option<Named<CategoryId>>,
    /// Whether it is starred.
    #[serde(default)]
    pub starred: bool,
    /// Whether it is private, with all that belongs to it.
    #[serde(default)]
    pub private: bool,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// The language of its text. ISO 639 code.
    pub language: Option<String>,
    /// Open proposals about it, without deferred ones.
    pub open_proposals: usize,
    /// Deferred proposals about it.
    #[serde(default)]
    pub put_off_proposals: usize,
    /// Where the search words were found; none without a search.
    #[serde(rename = "match")]
    pub found: Option<Match>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

closed_list! {
    /// What the agent of a listed task is doing.
    pub enum RowActivity, "activity" {
        /// Nothing; no wake is due within about a minute.
        Asleep = "asleep",
        /// It wakes within about a minute.
        Queued = "queued",
        /// A run is under way.
        Running = "running",
        /// Nothing wakes it automatically.
        Dormant = "dormant",
    }
}

impl From<AgentActivity> for RowActivity {
    fn from(activity: AgentActivity) -> Self {
        match activity {
            AgentActivity::Asleep => Self::Asleep,
            AgentActivity::Queued => Self::Queued,
            AgentActivity::Running => Self::Running,
        }
    }
}

closed_list! {
    /// A text of a task that can be searched.
    pub enum MatchPlace, "place" {
        /// Its title.
        Title = "title",
        /// The short summary of its report.
        Report = "report",
        /// A checklist item.
        Item = "item",
        /// An entry.
        Entry = "entry",
        /// The name of a label.
        Label = "label",
    }
}

/// Where in a task the search words were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Match {
    /// In which of its texts.
    #[serde(rename = "where")]
    pub place: MatchPlace,
    /// The text around the first match, as stored.
    pub snippet: String,
}

/// A task, whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// Increases with every change of the task, its items, entries, labels and links; the ETag.
    pub revision: i64,
    /// Its title; may be empty.
    pub title: String,
    /// Its status.
    pub status: Status,
    /// Why it is blocked or on hold.
    pub status_reason: Option<String>,
    /// Earlier statuses, oldest first.
    pub status_history: Vec<StatusEntry>,
    /// Its priority, if set.
    pub priority: Option<Priority>,
    /// The day it is due.
    pub due_on: Option<Date>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// Units: minutes.
    pub time_spent_minutes: u32,
    /// ISO 639 code.
    pub language: Option<String>,
    /// Its category.
    pub category: Option<Named<CategoryId>>,
    /// Its labels.
    pub labels: Vec<Named<LabelId>>,
    /// Whether it is starred.
    #[serde(default)]
    pub starred: bool,
    /// Whether it is private, with all that belongs to it: no model that is not the person's own sees
    /// it.
    #[serde(default)]
    pub private: bool,
    /// Labels that agents do not propose for it again.
    pub suppressed_labels: Vec<LabelId>,
    /// Its checklist items in order.
    pub items: Vec<Item>,
    /// Its live entries, oldest first.
    pub entries: Vec<Entry>,
    /// Its links to live tasks, newest first.
    pub links: Vec<TaskLink>,
    /// Its agent, if it has a live one.
    pub agent: Option<AgentId>,
    /// Open proposals about it, without deferred ones.
    pub open_proposals: usize,
    /// Deferred proposals about it.
    #[serde(default)]
    pub put_off_proposals: usize,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

/// A link between two tasks, seen from one of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskLink {
    /// Its id.
    pub id: TaskLinkId,
    /// How the two are related.
    pub kind: Listed<LinkKind>,
    /// `out`: the kind describes this task's relation to the other. `in`: the other's relation to
    /// this one.
    pub direction: LinkDirection,
    /// The other task.
    pub task: LinkedTask,
    /// When it was created.
    pub created_at: Timestamp,
}

/// The task at the other end of a link.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LinkedTask {
    /// Its id.
    pub id: TaskId,
    /// Its title; may be empty.
    pub title: String,
    /// Its status.
    pub status: Status,
    /// Whether it is private.
    #[serde(default)]
    pub private: bool,
}

/// An agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// The kind of agent.
    pub kind: Listed<AgentKind>,
    /// Its display name.
    pub display_name: String,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Why it is dormant.
    pub dormant_reason: Option<Listed<DormantReason>>,
    /// How it works.
    pub mode: Listed<AgentMode>,
    /// Whether changes wake it automatically.
    pub automation: Automation,
    /// What that means for its model: whether changes currently wake it.
    pub automatic: bool,
    /// Categories its tools may touch.
    pub allowed_category_ids: Vec<CategoryId>,
    /// What its slots point to.
    pub slots: Slots,
    /// The title of its task; none if the task does not exist.
    pub task_title: Option<String>,
    /// What it is doing.
    pub activity: AgentActivity,
    /// When the current run began; none if it is not running.
    pub awake_since: Option<Timestamp>,
    /// The run that is under way, or that was interrupted and waits to be resumed.
    pub run_key: Option<RunKey>,
    /// When the queued wake is due, which may be far ahead. A timer enters the queue only at its
    /// time; `nextWakeAt` also covers future timers.
    pub due_at: Option<Timestamp>,
    /// When its last run completed.
    pub last_wake_at: Option<Timestamp>,
    /// When it next wakes automatically: the first of `scheduledWakes` that nothing holds back.
    pub next_wake_at: Option<Timestamp>,
    /// All scheduled wakes, earliest first.
    pub scheduled_wakes: Vec<ScheduledWake>,
    /// Failed runs in a row.
    pub consecutive_failure_count: i64,
    /// Its state's revision.
    pub revision: i64,
    /// The journal positions that its last completed run covered.
    pub processed_counter_by_host: BTreeMap<String, i64>,
    /// Since when its report is out of date.
    pub stale_since: Option<Timestamp>,
    /// Until when automatic wakes are held back.
    pub sleep_until: Option<Timestamp>,
    /// Whether a change to a linked task wakes it immediately.
    pub wake_on_linked: bool,
    /// The model it uses.
    pub model: String,
    /// Whether that model acts on messages. The built-in rules read only notes.
    pub reads_messages: bool,
    /// The model of its own; none if it uses that of the workspace.
    pub own_model: Option<String>,
    /// Why its wake waits although it could otherwise run; none if nothing puts it off.
    pub put_off: Option<Listed<PutOff>>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was destroyed.
    pub destroyed_at: Option<Timestamp>,
    /// Host and counter of its last write.
    pub vector_clock: BTreeMap<String, i64>,
}

/// What an agent works on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Slots {
    /// The task.
    pub active_task_id: Option<TaskId>,
}

/// A report.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Its id.
    pub id: ReportId,
    /// The agent.
    pub agent_id: AgentId,
    /// The task.
    pub task_id: Option<TaskId>,
    /// `current`.
    pub scope: String,
    /// One to three sentences.
    pub tldr: Option<String>,
    /// Markdown.
    pub content: Value,
    /// 0 to 1.
    pub confidence: Option<f64>,
    /// Model and run.
    pub provenance: Value,
    /// When it was published.
    pub created_at: Timestamp,
    /// Since when it is out of date; none if it is current, or for an earlier report.
    pub stale_since: Option<Timestamp>,
    /// Set if it is older than one of the databases; it may mention things that no longer exist.
    pub written_before: Option<Restored>,
}

/// A database that was restored from an older copy or recreated, with no report since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// `journal` or `agent`.
    pub database: String,
    /// When that was noticed.
    pub at: Timestamp,
}

/// A change set with its items.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangeSet {
    /// Its id.
    pub id: ChangeSetId,
    /// The agent that proposes.
    pub agent_id: AgentId,
    /// The task.
    pub task_id: TaskId,
    /// The title of the task.
    pub task_title: String,
    /// The messages of the run.
    pub thread_id: ThreadId,
    /// The run.
    pub run_key: String,
    /// Its status.
    pub status: SetStatus,
    /// Its items, in order.
    pub items: Vec<ChangeItem>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its last item was decided.
    pub resolved_at: Option<Timestamp>,
    /// Host and counter of its last write.
    pub vector_clock: BTreeMap<String, i64>,
}

/// A change item.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangeItem {
    /// Its set.
    pub set: ChangeSetId,
    /// Its number, from 1.
    pub index: i64,
    /// The tool, in its singular form.
    pub tool_name: String,
    /// Its arguments.
    pub args: Value,
    /// A one-line summary, generated by code.
    pub human_summary: String,
    /// Its status.
    pub status: ItemStatus,
    /// The digest that identifies it; a verdict must name it.
    pub digest: Fingerprint,
    /// The quoted evidence.
    pub evidence: Option<Evidence>,
    /// The model's reason.
    pub rationale: Option<String>,
    /// The field, its value at the time of the proposal, and the proposed value; `null` if neither this
    /// version nor the one that wrote it knows them.
    pub change: Option<FieldChange>,
    /// The current value of the field.
    pub current: Option<FieldValue>,
    /// The current value as text. A confirm over a value that the user set since names it so.
    pub now: Option<String>,
    /// Whether the user set the value after the proposal; a confirm must then name `now`.
    #[serde(default)]
    pub set_since: bool,
    /// Whether it is among the ten shown.
    pub shown: bool,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// How often it was undone.
    pub round: i64,
    /// Why it could not be applied.
    pub error: Option<String>,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// When the last verdict was given.
    pub decided_at: Option<Timestamp>,
}

/// A quote from an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The entry.
    pub entry_id: EntryId,
    /// Verbatim.
    pub quote: String,
}

/// The outcome of a verdict.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The item as it is now.
    pub item: ChangeItem,
    /// The current status of its set.
    pub set_status: SetStatus,
    /// The task's new revision, if the journal was written.
    pub revision: Option<i64>,
}

/// A decision.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
    /// A one-line summary.
    pub human_summary: String,
    /// The verdict.
    pub verdict: DecisionVerdict,
    /// What became of it.
    pub outcome: VerdictOutcome,
    /// The task.
    pub task_id: Option<TaskId>,
    /// Why the user rejected it.
    pub rejection_reason: Option<String>,
    /// When.
    pub created_at: Timestamp,
    /// When the user undid it.
    pub undone_at: Option<Timestamp>,
    /// Host and counter of its last write.
    pub vector_clock: BTreeMap<String, i64>,
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
    /// What all agents have spent today on models that cost money.
    #[serde(default)]
    pub spending: Spending,
}

closed_list! {
    /// What an import did with a task of the file.
    pub enum ImportOutcome, "outcome" {
        /// It is new here.
        Created = "created",
        /// Fields were brought up to date.
        Updated = "updated",
        /// It already matched the file.
        Unchanged = "unchanged",
    }
}

/// One line of an import's progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", tag = "event")]
pub enum ImportEvent {
    /// The file was read.
    #[serde(rename_all = "camelCase")]
    Read {
        /// Its name.
        file: String,
        /// What it was read as.
        format: Format,
        /// Tasks in it.
        tasks: usize,
        /// Items in it.
        items: usize,
        /// Entries in it.
        entries: usize,
    },
    /// One task is durable.
    #[serde(rename_all = "camelCase")]
    Task {
        /// The task.
        task_id: TaskId,
        /// Its title.
        title: String,
        /// The line it begins on.
        line: usize,
        /// What became of it.
        outcome: ImportOutcome,
        /// Fields left unchanged because they were edited here.
        kept: Vec<String>,
        /// The agent created for it.
        agent_id: Option<AgentId>,
        /// Tasks written so far.
        done: usize,
        /// Tasks in the file.
        total: usize,
    },
    /// A line that was not understood; it is kept as text.
    #[serde(rename_all = "camelCase")]
    Remark {
        /// The line, from 1.
        line: usize,
        /// What it is.
        message: String,
    },
    /// The end.
    #[serde(rename_all = "camelCase")]
    Done {
        /// Tasks created.
        created: usize,
        /// Tasks changed.
        updated: usize,
        /// Tasks that already matched the file.
        unchanged: usize,
    },
}

closed_list! {
    /// Who made a change.
    pub enum ChangeOrigin, "origin" {
        /// A person, by hand or by confirming a proposal.
        Person = "person",
        /// An agent's own write.
        Agent = "agent",
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
