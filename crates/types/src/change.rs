//! What a journal commit changed: the vocabulary of change rows, deltas and observations.

use serde::{Deserialize, Serialize};

use crate::caller::Origin;
use crate::id::{EntryId, ItemId, LabelId, Seq, TaskId};
use crate::task::Field;
use crate::time::Timestamp;

/// One thing that changed in a journal commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", tag = "what")]
pub enum What {
    /// The task was made.
    #[serde(rename_all = "camelCase")]
    TaskCreated {
        /// Its title; may be empty.
        title: String,
    },
    /// The task was soft-deleted.
    TaskDeleted,
    /// The task was restored.
    TaskRestored,
    /// A single-value field was set or cleared.
    #[serde(rename_all = "camelCase")]
    FieldSet {
        /// Which one.
        field: Field,
        /// The value before, as shown to a person; none when it was empty.
        from: Option<String>,
        /// The value now.
        to: Option<String>,
        /// The reason of a status.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// An item was added.
    #[serde(rename_all = "camelCase")]
    ItemAdded {
        /// The item.
        item: ItemId,
        /// Its title.
        title: String,
        /// Whether it was added as done.
        is_checked: bool,
    },
    /// An item was ticked or unticked.
    #[serde(rename_all = "camelCase")]
    ItemChecked {
        /// The item.
        item: ItemId,
        /// Its title.
        title: String,
        /// Its state now.
        is_checked: bool,
    },
    /// An item got another title.
    #[serde(rename_all = "camelCase")]
    ItemRenamed {
        /// The item.
        item: ItemId,
        /// The title before.
        from: String,
        /// The title now.
        to: String,
    },
    /// An item was archived or brought back.
    #[serde(rename_all = "camelCase")]
    ItemArchived {
        /// The item.
        item: ItemId,
        /// Its title.
        title: String,
        /// Its state now.
        is_archived: bool,
    },
    /// An entry was added.
    #[serde(rename_all = "camelCase")]
    EntryAdded {
        /// The entry.
        entry: EntryId,
    },
    /// The text of an entry was edited.
    #[serde(rename_all = "camelCase")]
    EntryEdited {
        /// The entry.
        entry: EntryId,
    },
    /// An entry was soft-deleted.
    #[serde(rename_all = "camelCase")]
    EntryDeleted {
        /// The entry.
        entry: EntryId,
    },
    /// An entry was restored.
    #[serde(rename_all = "camelCase")]
    EntryRestored {
        /// The entry.
        entry: EntryId,
    },
    /// A label was put on the task.
    #[serde(rename_all = "camelCase")]
    LabelAdded {
        /// The label.
        label: LabelId,
        /// Its name.
        name: String,
    },
    /// A label was taken off the task.
    #[serde(rename_all = "camelCase")]
    LabelRemoved {
        /// The label.
        label: LabelId,
        /// Its name.
        name: String,
    },
    /// Something that a newer version wrote: that it happened is known, and no more.
    #[serde(other)]
    Unknown,
}

/// A change row as its readers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Its position.
    pub seq: Seq,
    /// Where it came from.
    pub origin: Origin,
    /// How many agent-work results led here.
    pub depth: i64,
    /// The tasks it touches.
    pub touched: Vec<TaskId>,
    /// Tasks one link away.
    pub neighbours: Vec<TaskId>,
    /// What changed, in order.
    pub what: Vec<What>,
    /// When it was committed.
    pub at: Timestamp,
}
