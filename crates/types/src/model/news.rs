//! What changed since the last completed run.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::agent::TimerKind;
use crate::caller::By;
use crate::change::What;
use crate::field_change::FieldChange;
use crate::id::{Seq, TaskId};
use crate::time::Timestamp;

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
    /// What else changed, each kind once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<LinkedChangeKind>,
}

crate::closed_list! {
    /// A change of a linked task that is not about a field.
    pub enum LinkedChangeKind, "kind of change of a linked task" {
        /// It was deleted.
        Deleted = "deleted",
        /// It was restored.
        Restored = "restored",
        /// Its checklist changed.
        Checklist = "checklist",
        /// Its entries changed.
        Entries = "entries",
        /// Its labels changed.
        Labels = "labels",
        /// Its links changed.
        Links = "links",
    }
}

impl LinkedChangeKind {
    /// Returns the kind of a change; `None` if it is about a field, or if only a newer version knows it.
    pub fn of(what: &What) -> Option<Self> {
        match what {
            What::TaskDeleted => Some(Self::Deleted),
            What::TaskRestored => Some(Self::Restored),
            What::ItemAdded { .. }
            | What::ItemChecked { .. }
            | What::ItemRenamed { .. }
            | What::ItemArchived { .. }
            | What::ItemMoved { .. } => Some(Self::Checklist),
            What::EntryAdded { .. }
            | What::EntryEdited { .. }
            | What::EntryDeleted { .. }
            | What::EntryRestored { .. }
            | What::EntryFlagged { .. } => Some(Self::Entries),
            What::LabelAdded { .. } | What::LabelRemoved { .. } => Some(Self::Labels),
            What::LinkAdded { .. } | What::LinkRemoved { .. } => Some(Self::Links),
            What::TaskCreated { .. } | What::FieldSet(_) | What::Unknown => None,
        }
    }
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
