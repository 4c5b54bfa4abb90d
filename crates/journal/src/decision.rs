//! What a decision about an edit starts from, and what it results in.

use dormouse_store::Op;
use dormouse_types::change::What;
use dormouse_types::port::Entropy;
use dormouse_types::{
    ChecklistId, EntryId, Id as _, ItemId, Origin, TaskId, TaskLinkId, Timestamp, WorkspaceId,
};

use crate::effect::Effect;
use crate::view::TaskView;

/// The circumstances of an edit: workspace, origin and time.
pub struct EditContext<'a> {
    /// The workspace the rows belong to.
    pub ws: WorkspaceId,
    /// Where the edit comes from.
    pub origin: &'a Origin,
    /// The time recorded in documents.
    pub at: Timestamp,
    /// Randomness for new ids.
    pub entropy: &'a dyn Entropy,
}

/// The outcome of accepted edits.
#[derive(Debug, Clone)]
pub struct Decided {
    /// The task as it will be.
    pub after: TaskView,
    /// The tasks at the other ends of changed links; their revision advances as well.
    pub others: Vec<TaskId>,
    /// Tasks one link away from the touched ones.
    pub neighbours: Vec<TaskId>,
    /// The writes; empty when nothing changes.
    pub ops: Vec<Op>,
    /// The change to announce.
    pub what: Vec<What>,
    /// The effects that undo needs.
    pub effects: Vec<Effect>,
    /// Created ids, in the order of the edits.
    pub made: Vec<CreatedId>,
}

impl Decided {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }
}

/// The id of something that was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreatedId {
    Task(TaskId),
    Checklist(ChecklistId),
    Item(ItemId),
    Entry(EntryId),
    /// A link to another task.
    Link(TaskLinkId),
}

impl CreatedId {
    pub fn id(&self) -> &str {
        match self {
            Self::Task(id) => id.as_str(),
            Self::Checklist(id) => id.as_str(),
            Self::Item(id) => id.as_str(),
            Self::Entry(id) => id.as_str(),
            Self::Link(id) => id.as_str(),
        }
    }
}

/// What edits changed about the links of a task, and about items that went to another task.
#[derive(Default)]
pub(crate) struct ElsewhereChanges {
    pub(crate) ops: Vec<Op>,
    pub(crate) what: Vec<What>,
    pub(crate) effects: Vec<Effect>,
    /// The tasks at the other ends; their revision advances as well.
    pub(crate) others: Vec<TaskId>,
}
