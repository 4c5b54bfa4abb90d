//! Tasks as lists and pages show them, with their links.

use dormouse_types::agent::AgentActivity;
use dormouse_types::closed_list;
use dormouse_types::closed_list::Listed;
use dormouse_types::task::{LinkDirection, LinkKind, Priority, Status, StatusEntry};
use dormouse_types::{AgentId, CategoryId, LabelId, TaskId, TaskLinkId, Timestamp};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Entry, Item, Named};

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
    /// In the answer to an edit: events up to this cursor are contained in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
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
