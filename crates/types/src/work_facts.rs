//! What a run of built-in work reads: the workspace as values, as of one day.
//!
//! The room that reads the store fills it in, and the rules that write a text from it know neither
//! store nor clock. Every day is one of the person's zone: who fills this in has turned each time
//! into a day, so no rule does it again. A time stands beside its day where a day is too long: what a run
//! tells as new is newer than the run before.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::caller::Origin;
use crate::change::What;
use crate::closed_list;
use crate::field_change::FieldChange;
use crate::id::{CategoryId, ItemId, LabelId, TaskId};
use crate::named::Named;
use crate::task::{Priority, Status};
use crate::time::Timestamp;
use crate::trend::DueMove;
use crate::verdict::Verdict;

/// A workspace as a run of built-in work reads it.
///
/// Shape: each task once, in any order. Private tasks are part of it: built-in work sends nothing to a
/// provider. A reader may leave out tasks that the work may not read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceFacts {
    /// The day of the run.
    pub today: Date,
    /// IANA name of the zone that every day and time here belongs to: the person's.
    pub zone: String,
    /// The last run of this work that ended with a text, with proposals or with nothing to say; none
    /// before its first. Source: the runs of the definition.
    pub last_run: Option<LastRun>,
    /// The first day that the history of tasks, their verdicts and the closed tasks reach back to. At
    /// least the day before `last_run`, and as far as the parameters of the work ask.
    pub since: Date,
    /// Every open task, those that were closed on or after `since`, and the one that the parameters of the
    /// work name; no deleted ones.
    pub tasks: Vec<TaskFacts>,
    /// What waits for the person. Source: the list of what needs attention.
    pub attention: Vec<AttentionFact>,
    /// Events of calendars from `today` on, as far as the parameters look ahead, by start; empty without
    /// a calendar. Source: the mirrored calendars.
    pub events: Vec<EventFact>,
    /// Verdicts on proposals that were given on or after `since`, oldest first, and those on proposals of
    /// this work however old they are. Source: the decisions of the agent store.
    pub verdicts: Vec<VerdictFact>,
}

/// The run of the same work before this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastRun {
    /// The time as of which it read the workspace.
    pub at: Timestamp,
    /// The same time on the person's clock.
    pub local: DateTime,
}

/// A task as a run of built-in work reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskFacts {
    /// Its id.
    pub id: TaskId,
    /// Its title as it is stored, which may be any text; empty while it is untitled.
    pub title: String,
    /// Its status.
    pub status: Status,
    /// Why it is blocked or on hold: what, or whom, it waits for. Source: the reason of the status.
    pub status_reason: Option<String>,
    /// The day on which this status was set. Source: the time of the status.
    pub status_since: Date,
    /// Its priority, if somebody set one.
    pub priority: Option<Priority>,
    /// The day it is due.
    pub due_on: Option<Date>,
    /// How long it takes. Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// Its category.
    pub category: Option<Named<CategoryId>>,
    /// Its labels.
    pub labels: Vec<Named<LabelId>>,
    /// Items of its checklists in order, without archived ones.
    pub items: Vec<ItemFact>,
    /// Time spent on or after [`WorkspaceFacts::since`]. Source: live time entries, by the day they are
    /// about.
    pub time_spent: Vec<TimeSpent>,
    /// The day on which it was created.
    pub created_on: Date,
    /// The day of its last change by anybody but an agent. Source: the newest change row that touched
    /// it, or the time it was updated.
    pub changed_on: Date,
    /// Moves of its due date from one day to another, oldest first; at least those on or after
    /// [`WorkspaceFacts::since`]. Source: change rows.
    pub due_moves: Vec<DueMove>,
    /// How often its due date was ever moved.
    pub n_due_moves: usize,
    /// What happened to it on or after [`WorkspaceFacts::since`], oldest first. Source: change rows.
    pub history: Vec<HistoryLine>,
    /// Tools of open proposals about it, by name. Source: open change items.
    pub open_proposals: Vec<String>,
}

/// An item of a checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemFact {
    /// Its id.
    pub id: ItemId,
    /// Its title as it is stored.
    pub title: String,
    /// Whether it is ticked.
    pub is_checked: bool,
}

/// Time spent on a task in one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeSpent {
    /// The day it was spent on.
    pub on: Date,
    /// Units: minutes.
    pub minutes: u32,
}

/// One change of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryLine {
    /// The time of the commit.
    pub at: Timestamp,
    /// The day of the commit.
    pub on: Date,
    /// Who made it.
    pub origin: Origin,
    /// What changed; none for what only a newer version knows.
    pub what: Option<What>,
}

closed_list! {
    /// Why something waits for the person.
    pub enum AttentionReason, "reason" {
        /// Proposals to decide about.
        Proposals = "proposals",
        /// A run of agent work has a question.
        Question = "question",
        /// A run ended in a way that the person has to look at.
        Review = "review",
        /// Something failed.
        Failed = "failed",
        /// Anything else that is listed as needing attention.
        Other = "other",
    }
}

/// Something that waits for the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttentionFact {
    /// Its id in the list of what needs attention.
    pub id: String,
    /// Why it waits.
    pub reason: AttentionReason,
    /// The task it is about.
    pub task: Option<TaskId>,
    /// The title of what it is about: the task, or the work that asks.
    pub title: String,
    /// The number of the run that waits, where several of the same work do.
    #[serde(default)]
    pub run: Option<i64>,
    /// The question itself, or what failed; empty for proposals.
    pub text: String,
    /// How many things wait in it: proposals, for instance; at least 1.
    pub count: usize,
    /// The day since when it waits.
    pub since: Date,
}

/// An event of a calendar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventFact {
    /// Identity of the occurrence.
    pub id: String,
    /// Its title as it is stored.
    pub title: String,
    /// When it begins on the person's clock.
    pub starts_at: DateTime,
    /// When it ends on the person's clock; the end itself is no longer part of it.
    pub ends_at: DateTime,
    /// Whether it takes whole days.
    pub is_whole_day: bool,
}

/// What the person said about a proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictFact {
    /// The day of the verdict.
    pub on: Date,
    /// The task that the proposal is about.
    pub task: TaskId,
    /// The title of that task.
    pub title: String,
    /// The tool of the proposal.
    pub tool: String,
    /// What the person said.
    pub verdict: Verdict,
    /// What was proposed, if it is a change of a field.
    pub change: Option<FieldChange>,
    /// Whether this work had proposed it.
    pub is_own: bool,
}

impl WorkspaceFacts {
    /// The day of the run before.
    pub fn last_run_on(&self) -> Option<Date> {
        self.last_run.map(|last| last.local.date())
    }
}

impl LastRun {
    /// A run that read the workspace at this time, for a person in this zone.
    pub fn new(at: Timestamp, zone: &TimeZone) -> Self {
        Self { at, local: at.to_jiff().to_zoned(zone.clone()).datetime() }
    }
}

impl TaskFacts {
    /// Whether it cannot go on before somebody else does something. What is on hold was put aside, and waits
    /// for nobody.
    pub fn is_waiting(&self) -> bool {
        self.status == Status::Blocked
    }

    /// Whether somebody still has to do it.
    pub fn is_open(&self) -> bool {
        !self.status.is_terminal()
    }
}
