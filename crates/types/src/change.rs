//! What a journal commit changed: the vocabulary of change rows, deltas and observations.

use serde::{Deserialize, Serialize};

use crate::caller::Origin;
use crate::closed_list::Listed;
use crate::field_change::{FieldChange, FieldRef};
use crate::id::{EntryId, ItemId, LabelId, Seq, TaskId, TaskLinkId};
use crate::task::{Flag, LinkDirection, LinkKind};
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
    FieldSet(FieldChange),
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
    /// An item was moved to another task, with its tick and its history. Both learn of it.
    #[serde(rename_all = "camelCase")]
    ItemMoved {
        /// The item.
        item: ItemId,
        /// Its title.
        title: String,
        /// Whether it is ticked.
        is_checked: bool,
        /// The task it left.
        from: TaskId,
        /// The title of that task.
        from_title: String,
        /// The task it belongs to now.
        to: TaskId,
        /// The title of that task.
        to_title: String,
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
    /// A flag of an entry was set or cleared. Flags of the task itself are fields.
    #[serde(rename_all = "camelCase")]
    EntryFlagged {
        /// The entry.
        entry: EntryId,
        /// The flag.
        flag: Flag,
        /// Its state now.
        is_set: bool,
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
    /// Two tasks were linked. Both learn of it.
    #[serde(rename_all = "camelCase")]
    LinkAdded {
        /// The link.
        link: TaskLinkId,
        /// A link kind, or a newer version's.
        kind: Listed<LinkKind>,
        /// The task it leaves.
        from: TaskId,
        /// The title of that task.
        from_title: String,
        /// The task it reaches.
        to: TaskId,
        /// The title of that task.
        to_title: String,
    },
    /// A link between two tasks was removed.
    #[serde(rename_all = "camelCase")]
    LinkRemoved {
        /// The link.
        link: TaskLinkId,
        /// A link kind, or a newer version's.
        kind: Listed<LinkKind>,
        /// The task it left.
        from: TaskId,
        /// The title of that task.
        from_title: String,
        /// The task it reached.
        to: TaskId,
        /// The title of that task.
        to_title: String,
    },
    /// Something that a newer version wrote: that it happened is known, and no more.
    #[serde(other)]
    Unknown,
}

/// The other end of a created or removed link, seen from one of its tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherEnd<'a> {
    /// How the two are related.
    pub kind: &'a Listed<LinkKind>,
    /// The direction of the link, seen from the task in question.
    pub direction: LinkDirection,
    /// The other task.
    pub task: &'a TaskId,
    /// Its title at the time.
    pub title: &'a str,
}

impl What {
    /// Whether it only sets or clears a star: that sorts the person's own lists, and tells an agent
    /// nothing.
    pub fn is_star(&self) -> bool {
        match self {
            Self::FieldSet(change) => change.field == FieldRef::Starred,
            Self::EntryFlagged { flag, .. } => *flag == Flag::Starred,
            Self::TaskCreated { .. }
            | Self::TaskDeleted
            | Self::TaskRestored
            | Self::ItemAdded { .. }
            | Self::ItemChecked { .. }
            | Self::ItemRenamed { .. }
            | Self::ItemArchived { .. }
            | Self::ItemMoved { .. }
            | Self::EntryAdded { .. }
            | Self::EntryEdited { .. }
            | Self::EntryDeleted { .. }
            | Self::EntryRestored { .. }
            | Self::LabelAdded { .. }
            | Self::LabelRemoved { .. }
            | Self::LinkAdded { .. }
            | Self::LinkRemoved { .. }
            | Self::Unknown => false,
        }
    }

    /// The other task of a moved item, with its title, seen from one of the two: the task it came from, or
    /// the one it went to.
    pub fn moved(&self, seen_from: &TaskId) -> Option<(LinkDirection, &TaskId, &str)> {
        let Self::ItemMoved { from, from_title, to, to_title, .. } = self else { return None };
        match seen_from {
            task if task == from => Some((LinkDirection::Out, to, to_title)),
            task if task == to => Some((LinkDirection::In, from, from_title)),
            _ => None,
        }
    }

    /// Whether the change concerns this task although another one was edited.
    fn names(&self, task: &TaskId) -> bool {
        self.other_end(task).is_some() || self.moved(task).is_some()
    }

    /// The other end of the link, if this change is about a link of the task.
    pub fn other_end(&self, seen_from: &TaskId) -> Option<OtherEnd<'_>> {
        let (Self::LinkAdded { kind, from, from_title, to, to_title, .. }
        | Self::LinkRemoved { kind, from, from_title, to, to_title, .. }) = self
        else {
            return None;
        };
        let end = |direction, task, title| Some(OtherEnd { kind, direction, task, title });
        match seen_from {
            task if task == from => end(LinkDirection::Out, to, to_title),
            task if task == to => end(LinkDirection::In, from, from_title),
            _ => None,
        }
    }
}

/// A change row as its readers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Its position.
    pub seq: Seq,
    /// Where it came from.
    pub origin: Origin,
    /// The length of the chain of agent-work results that led to it.
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

impl Change {
    /// The parts of the change that concern a touched task.
    ///
    /// The first touched task is the one that was edited; the others are touched only by links and by
    /// items that were moved.
    pub fn what_of<'a>(&'a self, task: &'a TaskId) -> impl DoubleEndedIterator<Item = &'a What> {
        let is_edited = self.touched.first().is_none_or(|first| first == task);
        self.what.iter().filter(move |what| is_edited || what.names(task))
    }
}
