//! Plain data that goes out: what a person, a page or a program sees.
//!
//! Field names are camelCase when serialised; times are RFC 3339 in UTC, days `YYYY-MM-DD`.

use std::collections::BTreeMap;

use dormouse_types::change::What;
use dormouse_types::task::{EntryKind, LinkDirection, Priority, Status};
use dormouse_types::{
    AgentId, By, CategoryId, ChangeSetId, ChecklistId, DecisionId, EntryId, Fingerprint, ItemId,
    LabelId, ReportId, RunKey, TaskId, TaskLinkId, ThreadId, Timestamp,
};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

mod access;
mod attention;
mod health;
mod agent_history;

pub use access::{Access, Code, CreatedToken, Exchanged, Secret, ServerFacts, Ticket, Token};
pub use agent_history::{
    AgentState, Lease, Link, Message, Operation, Prompt, PromptFragment, ScheduledWake,
    StoppedAgent, Subscription, SubscriptionFilter, Timer, ToolCall, UnheardMessage, Wake,
};
pub use attention::{Attention, RecentReport, TaskChange};
pub use health::{DatabaseLook, Diagnosis, FileLook, Finding, ProviderAlert, Queue, Severity};

/// One page of a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// Where the next page begins; none on the last one.
    pub next_cursor: Option<String>,
    /// Rows that cannot be read: which, and why. The others are there all the same.
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
    /// Empty while untitled.
    pub title: String,
    /// Its status.
    pub status: Status,
    /// Its priority, if anybody set one.
    pub priority: Option<Priority>,
    /// The day it is due.
    pub due_on: Option<Date>,
    /// Ticked, unarchived items.
    pub items_checked: usize,
    /// Unarchived items.
    pub items_total: usize,
    /// Its agent, if it has a live one.
    pub agent: Option<AgentId>,
    /// What people call its agent.
    pub agent_name: Option<String>,
    /// What its agent does: `asleep`, `queued` (it wakes within a minute or so), `running`; or
    /// `dormant`, when nothing wakes it by itself.
    pub agent_activity: Option<String>,
    /// The TLDR of its report.
    pub tldr: Option<String>,
    /// Its labels.
    pub labels: Vec<Named<LabelId>>,
    /// Its category.
    pub category: Option<Named<CategoryId>>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// The language of its text. ISO 639 code.
    pub language: Option<String>,
    /// Open proposals about it, without those put off.
    pub open_proposals: usize,
    /// Proposals about it that the person put off.
    #[serde(default)]
    pub put_off_proposals: usize,
    /// Where the words stand that were looked for; none when none were.
    #[serde(rename = "match")]
    pub found: Option<Match>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

/// Where in a task the words stand that were looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Match {
    /// `title`, `report`, `item`, `entry`, `label`.
    #[serde(rename = "where")]
    pub place: String,
    /// The text around the first of them, as it is stored.
    pub snippet: String,
}

/// A task, whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// Moves with every change of the task, its items, entries, labels and links; the ETag.
    pub revision: i64,
    /// Empty while untitled.
    pub title: String,
    /// Its status.
    pub status: Status,
    /// Why it is blocked or on hold.
    pub status_reason: Option<String>,
    /// Earlier statuses, oldest first.
    pub status_history: Vec<StatusChange>,
    /// Its priority, if anybody set one.
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
    /// Labels that are not proposed for it again.
    pub suppressed_labels: Vec<LabelId>,
    /// Its checklist items in order.
    pub items: Vec<Item>,
    /// Its live entries, oldest first.
    pub entries: Vec<Entry>,
    /// Its links to live tasks, newest first.
    pub links: Vec<TaskLink>,
    /// Its agent, if it has a live one.
    pub agent: Option<AgentId>,
    /// Open proposals about it, without those put off.
    pub open_proposals: usize,
    /// Proposals about it that the person put off.
    #[serde(default)]
    pub put_off_proposals: usize,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was soft-deleted.
    pub deleted_at: Option<Timestamp>,
}

/// An id with its name.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Named<I> {
    /// The id.
    pub id: I,
    /// The name.
    pub name: String,
}

/// One status a task had.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StatusChange {
    /// The status.
    pub status: Status,
    /// Its reason.
    pub reason: Option<String>,
    /// Since when.
    pub created_at: Timestamp,
}

/// A checklist item.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Its id.
    pub id: ItemId,
    /// Its checklist.
    pub checklist: ChecklistId,
    /// Its title.
    pub title: String,
    /// Whether it is ticked.
    pub is_checked: bool,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Who ticked or unticked it last.
    pub checked_by: By,
    /// When.
    pub checked_at: Option<Timestamp>,
    /// How deep it is nested.
    pub depth: u32,
}

/// An entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its id.
    pub id: EntryId,
    /// What it holds.
    pub kind: EntryKind,
    /// The person's text, else the transcript.
    pub text: String,
    /// Units: minutes; of a time entry.
    pub minutes: Option<u32>,
    /// The day it speaks from.
    pub on: Date,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A link to another task, seen from one of the two.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskLink {
    /// Its id.
    pub id: TaskLinkId,
    /// `relatesTo`, `blocks`, `followUpOf`, `partOf`, or a newer version's.
    pub kind: String,
    /// `out`: it says what this task is to the other. `in`: what the other is to this one.
    pub direction: LinkDirection,
    /// The other task.
    pub task: LinkedTask,
    /// When it was made.
    pub created_at: Timestamp,
}

/// The task at the other end of a link.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LinkedTask {
    /// Its id.
    pub id: TaskId,
    /// Empty while untitled.
    pub title: String,
    /// Its status.
    pub status: Status,
}

/// An agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// `taskAgent`.
    pub kind: String,
    /// What people call it.
    pub display_name: String,
    /// `created`, `active`, `dormant`, `destroyed`.
    pub lifecycle: String,
    /// Why it is dormant.
    pub dormant_reason: Option<String>,
    /// `autonomous`.
    pub mode: String,
    /// `auto`, `on`, `off`.
    pub automation: String,
    /// Whether changes wake it by themselves now.
    pub automatic: bool,
    /// Categories its tools may touch.
    pub allowed_category_ids: Vec<CategoryId>,
    /// What its slots point to.
    pub slots: Slots,
    /// The title of its task; none when the task is gone.
    pub task_title: Option<String>,
    /// `asleep`, `queued` (it wakes within a minute or so), `running`.
    pub activity: String,
    /// When the run under way began; none while none is.
    pub awake_since: Option<Timestamp>,
    /// When the wake that stands in the queue is due; it may be far ahead. A timer stands there
    /// when its time has come: `nextWakeAt` knows those that are set.
    pub due_at: Option<Timestamp>,
    /// When its last run completed.
    pub last_wake_at: Option<Timestamp>,
    /// When it wakes next by itself: the first of `scheduledWakes` that nothing keeps from waking it.
    pub next_wake_at: Option<Timestamp>,
    /// Every wake that is set, the earliest first.
    pub scheduled_wakes: Vec<ScheduledWake>,
    /// Failed runs in a row.
    pub consecutive_failure_count: i64,
    /// Its state's revision.
    pub revision: i64,
    /// Journal positions its last completed run had seen.
    pub processed_counter_by_host: BTreeMap<String, i64>,
    /// Since when its report is out of date.
    pub stale_since: Option<Timestamp>,
    /// Until when automatic wakes are held back.
    pub sleep_until: Option<Timestamp>,
    /// Whether a change of a linked task wakes it at once.
    pub wake_on_linked: bool,
    /// The model it asks.
    pub model: String,
    /// Whether that model acts on messages. The built-in rules read notes alone.
    pub reads_messages: bool,
    /// When it was made.
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
    /// Since when it is out of date; none while it is fresh, or of an old report.
    pub stale_since: Option<Timestamp>,
    /// Set when it is older than one of the databases: it may tell of what is not there any more.
    pub written_before: Option<Restored>,
}

/// A database that was restored from an older copy, or made anew, and has not been reported on since.
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
    /// Who proposes.
    pub agent_id: AgentId,
    /// The task.
    pub task_id: TaskId,
    /// The title of the task.
    pub task_title: String,
    /// The messages of the run.
    pub thread_id: ThreadId,
    /// The run.
    pub run_key: String,
    /// `pending`, `partiallyResolved`, `resolved`, `expired`.
    pub status: String,
    /// Its items, in order.
    pub items: Vec<ChangeItem>,
    /// When it was made.
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
    /// Its place, from 1.
    pub index: i64,
    /// The tool, in its singular form.
    pub tool_name: String,
    /// Its arguments.
    pub args: Value,
    /// One line for a person, made by code.
    pub human_summary: String,
    /// `pending`, `applying`, `confirmed`, `rejected`, `deferred`, `retracted`, `expired`.
    pub status: String,
    /// Its identity; a verdict names it.
    pub digest: Fingerprint,
    /// Where the text says so.
    pub evidence: Option<Evidence>,
    /// The model's reason.
    pub rationale: Option<String>,
    /// The value when it was proposed, in words.
    pub before: Option<String>,
    /// The value now, in words.
    pub now: Option<String>,
    /// Whether the person set the value after the proposal was made: a confirm then names `now`.
    #[serde(default)]
    pub set_since: bool,
    /// The value it proposes, in words.
    pub proposed: Option<String>,
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
    /// When the last verdict came.
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

/// What a verdict led to.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The item as it is now.
    pub item: ChangeItem,
    /// The status of its set now.
    pub set_status: String,
    /// The task's revision after it, when the journal was written.
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
    /// One line for a person.
    pub human_summary: String,
    /// `confirmed`, `rejected`, `deferred`.
    pub verdict: String,
    /// `applying`, `applied`, `failed`, `retracted`.
    pub outcome: String,
    /// The task.
    pub task_id: Option<TaskId>,
    /// Why the person rejected it.
    pub rejection_reason: Option<String>,
    /// When.
    pub created_at: Timestamp,
    /// When the person took it back.
    pub undone_at: Option<Timestamp>,
    /// Host and counter of its last write.
    pub vector_clock: BTreeMap<String, i64>,
}

/// What became of one run of a drain or of a person's wake.
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
    /// `completed`, `skipped`, `failed`, `abandoned`, `queued`.
    pub status: String,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether it published a report.
    pub report: bool,
    /// How many items it proposed.
    pub proposals: usize,
    /// How many observations it noted.
    pub observations: usize,
}

/// The state of affairs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// Live tasks that are not over.
    pub open_tasks: usize,
    /// Live tasks.
    pub tasks: usize,
    /// Agents that are not destroyed.
    pub agents: usize,
    /// Open proposals, without those put off.
    pub open_proposals: usize,
    /// Proposals that the person put off.
    #[serde(default)]
    pub put_off_proposals: usize,
    /// Tasks with open proposals that are not put off.
    pub tasks_with_proposals: usize,
    /// Agents at work, or with a wake that may run now; one that was put off is not counted.
    pub waiting_agents: usize,
    /// When the next wake comes that was put off, or that a timer is set for.
    pub next_wake_at: Option<Timestamp>,
    /// Agents dormant after failures.
    pub dormant_agents: usize,
    /// Operations that are not finished.
    pub open_operations: usize,
    /// The wake queue.
    pub queue: Queue,
    /// Model providers that are not asked now.
    pub alerts: Vec<ProviderAlert>,
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
        /// The task; none in a dry run.
        task_id: Option<TaskId>,
        /// Its title.
        title: String,
        /// The line it begins on.
        line: usize,
        /// `created`, `updated`, `unchanged`, `planned`.
        outcome: String,
        /// Fields that were kept because they were changed here.
        kept: Vec<String>,
        /// The agent that was made for it.
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
        /// Tasks made.
        created: usize,
        /// Tasks changed.
        updated: usize,
        /// Tasks that were as in the file.
        unchanged: usize,
    },
}

/// A change of a task as the activity shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// Its position.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
    /// `person`, `agent`, `import`.
    pub origin: String,
    /// What.
    pub what: Vec<What>,
}
