//! A task as a prompt has it.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::caller::By;
use crate::id::{ChecklistId, EntryId, ItemId, LabelId, TaskId};
use crate::named::Named;
use crate::task::{EntryKind, Field, Flags, Priority, Status, is_private};
use crate::time::Timestamp;

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

/// Something of a task whose last author is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum StatedField {
    /// A field of the task.
    Field(Field),
    /// Whether a checklist item is ticked.
    Tick(ItemId),
    /// What a newer version of the program records; kept as it is.
    Other(String),
}

/// What stands before the id of a checklist item in rows.
const OF_ITEM: &str = "item:";

impl std::fmt::Display for StatedField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Field(field) => f.write_str(field.name()),
            Self::Tick(item) => write!(f, "{OF_ITEM}{item}"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

impl From<StatedField> for String {
    fn from(field: StatedField) -> Self {
        field.to_string()
    }
}

impl From<String> for StatedField {
    fn from(name: String) -> Self {
        let item = name.strip_prefix(OF_ITEM).and_then(|id| id.parse().ok());
        let field = || Field::ALL.into_iter().find(|field| field.name() == name);
        item.map(Self::Tick).or_else(|| field().map(Self::Field)).unwrap_or(Self::Other(name))
    }
}

impl From<Field> for StatedField {
    fn from(field: Field) -> Self {
        Self::Field(field)
    }
}

impl From<ItemId> for StatedField {
    fn from(item: ItemId) -> Self {
        Self::Tick(item)
    }
}

/// Who last set a field, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldSay {
    /// What was set.
    pub field: StatedField,
    /// Who set it.
    pub by: By,
    /// When it was set.
    pub at: Timestamp,
}
