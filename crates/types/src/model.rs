//! Requests to a model, and its answers.
//!
//! A request is a list of typed fragments. Provider adapters send their text; the built-in rules
//! model reads their data. The rooms that gather fragments render their text from the data; order,
//! caps and fencing are applied in `dormouse-runs` and nowhere else.

use std::time::Duration;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::TimerKind;
use crate::caller::By;
use crate::change::What;
use crate::closed_list;
use crate::field_change::FieldChange;
use crate::id::{ChecklistId, EntryId, Fingerprint, ItemId, LabelId, RunKey, Seq, TaskId};
use crate::linked::LinkedContext;
pub use crate::named::Named;
pub use crate::observation::{ObservationCategory, ObservationPriority};
use crate::task::{EntryKind, Flags, Priority, Status, is_private};
use crate::time::Timestamp;
use crate::trend::Trend;

/// One request to a model.
#[derive(Debug, Clone)]
pub struct Request {
    /// The run that sends it; scripted models choose their answer by it.
    pub run_key: RunKey,
    /// The turn's number, from 1.
    pub turn: u32,
    /// The prompt, most stable fragments first, up to an instruction. What follows it belongs to this
    /// turn alone and is said after the earlier turns, so that all turns of a run begin alike.
    pub fragments: Vec<Fragment>,
    /// Earlier turns of this run with their tool results.
    pub turns: Vec<Turn>,
    /// The tools that are offered: the same in every turn of a run.
    pub tools: Vec<ToolSpec>,
    /// Which of them may or must be called in this turn.
    pub tool_choice: ToolChoice,
}

impl Request {
    /// What is said first, and what is said after the earlier turns.
    pub fn parts(&self) -> (&[Fragment], &[Fragment]) {
        let is_instruction = |it: &Fragment| it.kind == FragmentKind::Instruction;
        let end = self.fragments.iter().position(is_instruction);
        self.fragments.split_at(end.map_or(self.fragments.len(), |end| end + 1))
    }
}

/// Whether a model must call a tool, and which.
///
/// A turn that is restricted has the tools of every other turn: where they stand in a prompt, another
/// list would change everything behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// It must call one of the offered tools.
    Required,
    /// It must call one of the tools with these names. Not every provider can be told so; a call of
    /// another tool is refused when it comes.
    OneOf(Vec<String>),
}

/// One piece of a prompt.
#[derive(Debug, Clone)]
pub struct Fragment {
    /// What it is; decides its place in the prompt.
    pub kind: FragmentKind,
    /// The text a language model reads.
    pub text: String,
    /// The same content as data, for the built-in model.
    pub data: FragmentData,
    /// Whether it contains text from outside.
    pub tainted: bool,
    /// Where the text is cut into blocks that are sent one by one, for providers that keep the
    /// beginning of a prompt up to the end of a block: for a log, where each wake's lines end. Empty
    /// if it is one block. Units: bytes of `text`.
    pub block_ends: Vec<usize>,
}

impl Fragment {
    /// Its blocks, in order, without the line breaks between them.
    pub fn blocks(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.block_ends.iter().copied());
        let ends = self.block_ends.iter().copied().chain([self.text.len()]);
        let blocks = starts.zip(ends).filter_map(|(start, end)| self.text.get(start..end));
        blocks.map(|block| block.trim_matches('\n')).filter(|block| !block.is_empty())
    }
}

closed_list! {
    /// The kinds of fragments, in prompt order.
    pub enum FragmentKind, "fragment kind" {
        /// Scaffold and directives.
        System = "system",
        /// What older lines of the log were folded into.
        Summary = "summary",
        /// The append-only log of the task: captured inputs and observations.
        Log = "log",
        /// What a run of agent work is told to do: title, instructions, corrections, answers.
        Work = "work",
        /// What earlier runs of the same agent work did.
        EarlierRuns = "earlierRuns",
        /// Tasks one link away.
        LinkedTasks = "linkedTasks",
        /// The current state of the task.
        TaskState = "taskState",
        /// Recent decisions and open proposals.
        Decisions = "decisions",
        /// How the task went over its last weeks, in figures.
        Trend = "trend",
        /// What changed since the last completed run.
        Delta = "delta",
        /// What the person tells the agent.
        Message = "message",
        /// What this turn must do.
        Instruction = "instruction",
    }
}

/// A fragment as data.
#[derive(Debug, Clone, Default)]
pub enum FragmentData {
    /// Text only.
    #[default]
    None,
    /// For [`FragmentKind::Log`].
    Log(LogData),
    /// For [`FragmentKind::LinkedTasks`].
    LinkedTasks(Box<LinkedContext>),
    /// For [`FragmentKind::TaskState`].
    TaskState(Box<TaskState>),
    /// For [`FragmentKind::Decisions`].
    Decisions(Ledger),
    /// For [`FragmentKind::Trend`].
    Trend(Trend),
    /// For [`FragmentKind::Delta`].
    Delta(Delta),
    /// For [`FragmentKind::Message`].
    Message(String),
    /// For [`FragmentKind::Instruction`].
    Instruction(Instruction),
}

/// What earlier runs captured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogData {
    /// Observations of earlier completed runs, oldest first.
    pub observations: Vec<ObservationNote>,
    /// Changes that earlier completed runs saw, oldest first.
    pub changes: Vec<DeltaChange>,
}

/// An observation kept as memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservationNote {
    /// When it was recorded.
    pub at: Timestamp,
    /// Its text.
    pub text: String,
    /// Its weight.
    pub priority: ObservationPriority,
    /// What it is about.
    #[serde(default)]
    pub category: ObservationCategory,
}

/// The current state of the task, entries included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskState {
    /// The task.
    pub id: TaskId,
    /// Empty while the task is untitled.
    pub title: String,
    /// Its status.
    pub status: Status,
    /// Why it is blocked or on hold.
    pub status_reason: Option<String>,
    /// Its priority; `None` if none is set (it then counts as P2).
    pub priority: Option<Priority>,
    /// The day it is due.
    pub due_on: Option<Date>,
    /// Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// Units: minutes. The union of its time entries.
    pub time_spent_minutes: u32,
    /// ISO 639 code.
    pub language: Option<String>,
    /// Name of its category.
    pub category: Option<String>,
    /// Labels on the task.
    pub labels: Vec<Named<LabelId>>,
    /// Labels of the workspace that could be put on it (already assigned ones included).
    pub available_labels: Vec<Named<LabelId>>,
    /// Labels the person removed or rejected; they are never proposed again.
    pub suppressed_labels: Vec<LabelId>,
    /// Checklist items in order, archived ones included.
    pub items: Vec<Item>,
    /// Live entries, oldest first.
    pub entries: Vec<Entry>,
    /// Who last set which field, and when.
    pub says: Vec<FieldSay>,
    /// Whether the person starred it.
    #[serde(default)]
    pub starred: bool,
    /// Whether it is private: no model that is not the person's own may see it.
    #[serde(default)]
    pub private: bool,
    /// When the task was created.
    pub created_at: Timestamp,
}

impl TaskState {
    /// Its flags.
    pub fn flags(&self) -> Flags {
        Flags { starred: self.starred, private: self.private }
    }

    /// Whether one of its entries is private: see [`is_private`].
    pub fn is_private(&self, entry: &Entry) -> bool {
        is_private(self.flags(), entry.flags())
    }
}

/// A checklist item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The item.
    pub id: ItemId,
    /// The checklist it belongs to.
    pub checklist: ChecklistId,
    /// Its title.
    pub title: String,
    /// Whether it is ticked.
    pub is_checked: bool,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Who ticked or unticked it last.
    pub checked_by: By,
    /// When it was ticked or unticked last.
    pub checked_at: Option<Timestamp>,
    /// Nesting depth, from 0.
    pub depth: u32,
}

/// An entry of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The entry.
    pub id: EntryId,
    /// The kind of entry.
    pub kind: EntryKind,
    /// When it was created.
    pub created_at: Timestamp,
    /// The day it refers to, in the workspace's time zone: "by Friday" counts from here.
    pub on: Date,
    /// Markdown. The person's own text; for a recording they did not edit, the transcript.
    pub text: String,
    /// Units: minutes; only for a time entry.
    pub minutes: Option<u32>,
    /// Whether the text came from outside (mail, import, web).
    pub tainted: bool,
    /// Whether the person starred it.
    #[serde(default)]
    pub starred: bool,
    /// Whether it is marked private. An entry of a private task is private without the mark.
    #[serde(default)]
    pub private: bool,
}

impl Entry {
    /// Its own flags.
    pub fn flags(&self) -> Flags {
        Flags { starred: self.starred, private: self.private }
    }

    /// When its words were said; a dated entry written down later counts from its date.
    pub fn speaks_at(&self) -> Timestamp {
        self.created_at.min(latest_on(self.on))
    }
}

/// The last moment that can belong to a day in any time zone.
///
/// Source: no zone is further behind UTC than 12 hours.
pub fn latest_on(day: jiff::civil::Date) -> Timestamp {
    let noon_after =
        day.tomorrow().unwrap_or(day).at(12, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC);
    noon_after.map_or(Timestamp::from_micros(i64::MAX), |at| Timestamp::from_jiff(at.timestamp()))
}

/// Who last set a field, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldSay {
    /// `title`, `dueDate`, … or `item:<id>` for ticking an item.
    pub field: String,
    /// Who set it.
    pub by: By,
    /// When it was set.
    pub at: Timestamp,
}

/// Recent decisions and open proposals of a task, across all sets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ledger {
    /// Newest first.
    pub decisions: Vec<Decided>,
    /// In the order they were proposed.
    pub open: Vec<OpenProposal>,
}

/// A decided proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decided {
    /// The tool of the item.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// How it was closed.
    pub verdict: Resolution,
    /// Why the person rejected it.
    pub reason: Option<String>,
    /// When it was decided.
    pub at: Timestamp,
    /// The identity of the proposal.
    pub fingerprint: Fingerprint,
}

/// How a proposal was closed: by a person's verdict, or by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Resolution {
    /// Confirmed and applied.
    Confirmed,
    /// Rejected by the person.
    Rejected,
    /// Deferred by the person.
    Deferred,
    /// Not decided in time.
    Expired,
}

/// A proposal without a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenProposal {
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// The tool of the item.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// A one-line summary for a person.
    pub summary: String,
}

/// What changed since the last completed run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    /// Oldest first.
    pub changes: Vec<DeltaChange>,
    /// Timers that fired since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timers: Vec<TimerNote>,
    /// Tasks one link away that changed, in the order of their first change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linked: Vec<LinkedNews>,
}

/// What changed about a task one link away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkedNews {
    /// The task.
    pub task: TaskId,
    /// Its present title.
    pub title: String,
    /// The day of its newest change.
    pub on: Date,
    /// How many changes there were.
    pub changes: usize,
    /// Its fields that were set, with their values, newest last; at most a few.
    pub fields: Vec<FieldChange>,
}

/// A timer that fired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimerNote {
    /// The kind of timer.
    pub kind: TimerKind,
    /// When it was set to wake the agent.
    pub at: Timestamp,
    /// The due date that is near.
    pub about: Option<String>,
}

/// One change of the delta.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeltaChange {
    /// Its journal position.
    pub seq: Seq,
    /// When it was committed.
    pub at: Timestamp,
    /// The day of `at` in the workspace's time zone.
    pub on: Date,
    /// Who changed it.
    pub by: By,
    /// The change.
    #[serde(flatten)]
    pub what: What,
}

/// What this turn must do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Instruction {
    /// Whether this agent has not yet completed a run with a report.
    pub first: bool,
    /// Whether a report must be written in this run.
    pub report_due: bool,
    /// Whether only `update_report` may be called now.
    pub report_only: bool,
    /// Today in the workspace's time zone.
    pub today: Date,
    /// The last report; only its TLDR and time return to the prompt.
    pub last_report: Option<LastReport>,
}

/// The last report the person got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastReport {
    /// Its TLDR.
    pub tldr: String,
    /// When it was published.
    pub at: Timestamp,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// A call the model makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The model's id for the call; repeated in its result.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// Its arguments as the model wrote them.
    pub args: Value,
}

/// The result of a call, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: String,
    /// Whether the call was refused; the model may try again.
    pub refused: bool,
    /// The text the model reads.
    pub text: String,
}

/// A finished turn of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// The model's text besides its calls.
    pub text: String,
    /// Its calls, in order.
    pub calls: Vec<ToolCall>,
    /// One result for each call, in the same order.
    pub results: Vec<ToolResult>,
    /// Whether the model said that it has finished.
    pub ended: bool,
    /// What the provider must get back with this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_state: Option<ProviderState>,
}

/// What a provider wants back with a turn that it gave: thought signatures, thinking blocks,
/// reasoning items.
///
/// It is sent again to the provider that wrote it, on later turns of the same run, and to nobody
/// else; it is never shown and never remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderState {
    /// The provider that wrote it.
    pub provider: String,
    /// Its content, which only the adapter of this provider reads.
    pub data: String,
}

/// One event of a model's stream.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEvent {
    /// More text. An empty one says only that the model is still working on something that is not
    /// shown.
    Text(String),
    /// A piece of the arguments of a call that the model is still writing, in order. A preview:
    /// the call follows as a whole.
    CallDelta {
        /// Position of the call in the turn, from 0.
        index: usize,
        /// The tool's name as the model wrote it.
        name: String,
        /// More of the JSON of its arguments.
        json: String,
    },
    /// A complete call.
    Call(ToolCall),
    /// What the provider must get back with this turn.
    State(ProviderState),
    /// Tokens used so far; the last event counts.
    Usage(Usage),
    /// The turn is complete.
    End {
        /// Whether the model has finished the run and wants no further turn.
        ended: bool,
    },
}

/// Units: tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Input tokens.
    pub input: u64,
    /// The part of `input` that was served from a cache.
    pub cached_input: u64,
    /// The part of `input` that was written to a cache.
    #[serde(default)]
    pub cache_write: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
    /// The part of `output` that the model used to reason.
    #[serde(default)]
    pub reasoning: u64,
}

crate::closed_list! {
    /// Why a provider is unavailable to everybody.
    pub enum ProviderUnavailable, "reason of a provider" {
        /// It rejects the key: requests are pointless until the key is changed.
        Authentication = "authentication",
        /// The quota is used up, or the rate limit is exceeded.
        Quota = "quota",
        /// It cannot be reached, or does not work.
        Outage = "outage",
        /// The address or the name of the model is wrong: requests for this model are pointless
        /// until a person changes one of them.
        Configuration = "configuration",
    }
}

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The provider is unavailable (key, quota, outage). This does not count as a failure of the
    /// agent.
    #[error("model provider {provider} is not available: {detail}")]
    Provider {
        /// The provider.
        provider: String,
        /// The kind of problem; decides whether a retry soon can help.
        why: ProviderUnavailable,
        /// The provider's message.
        detail: String,
        /// How long the provider wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The provider refused this request: the run fails.
    #[error("model refused the request: {detail}")]
    Request {
        /// The provider's message.
        detail: String,
    },
}
