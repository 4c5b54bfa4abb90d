//! What may be asked of a task, and why it is refused.

use dormouse_types::limits::Beyond;
use dormouse_types::task::{EntryKind, LinkKind, NotListed, Priority, Status};
use dormouse_types::{CategoryId, EntryId, ItemId, LabelId, TaskId, TaskLinkId};
use jiff::civil::Date;

/// One change of a task. A list of edits is decided as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Sets the title; white space is collapsed.
    Title(String),
    /// Takes the title away; the undo of a first title.
    ClearTitle,
    /// Sets the status.
    Status {
        /// The status.
        status: Status,
        /// Why; BLOCKED and ON HOLD need one.
        reason: Option<String>,
    },
    /// Sets or clears the priority.
    Priority(Option<Priority>),
    /// Sets or clears the due day.
    DueOn(Option<Date>),
    /// Units: minutes. Sets or clears the estimate.
    Estimate(Option<u32>),
    /// Sets or clears the language.
    Language {
        /// ISO 639 code.
        code: Option<String>,
    },
    /// Sets or clears the category.
    Category(Option<CategoryId>),
    /// Adds an item to the end of the first checklist.
    AddItem {
        /// One line.
        title: String,
        /// Whether it is added as done.
        is_checked: bool,
        /// How deep it is nested, from 0.
        depth: u32,
    },
    /// Ticks or unticks an item.
    CheckItem {
        /// The item.
        item: ItemId,
        /// Its state to be.
        is_checked: bool,
    },
    /// Gives an item another title.
    RenameItem {
        /// The item.
        item: ItemId,
        /// One line.
        title: String,
    },
    /// Archives an item or brings it back.
    ArchiveItem {
        /// The item.
        item: ItemId,
        /// Its state to be.
        is_archived: bool,
    },
    /// Takes back the addition of an item; the undo of [`Edit::AddItem`].
    RemoveItem(ItemId),
    /// Brings a removed item back.
    RestoreItem(ItemId),
    /// Adds an entry.
    AddEntry {
        /// What it holds.
        kind: EntryKind,
        /// Markdown the person wrote.
        text: Option<String>,
        /// What a recording says, or an image shows.
        transcript: Option<String>,
        /// Units: minutes; of a time entry.
        minutes: Option<u32>,
        /// The day it speaks from; none means the day it is made.
        on: Option<Date>,
        /// Whether the text came from outside.
        tainted: bool,
    },
    /// Replaces the person's text of an entry; none lets the transcript speak again.
    EditEntry {
        /// The entry.
        entry: EntryId,
        /// Markdown.
        text: Option<String>,
    },
    /// Soft-deletes an entry.
    DeleteEntry(EntryId),
    /// Restores a soft-deleted entry.
    RestoreEntry(EntryId),
    /// Puts a label on; by a person it also lifts a suppression.
    AddLabel(LabelId),
    /// Takes a label off; by a person it also suppresses the label.
    RemoveLabel(LabelId),
    /// Takes a label off without a lesson; the undo of [`Edit::AddLabel`].
    WithdrawLabel(LabelId),
    /// Puts a label back without a lesson; the undo of [`Edit::RemoveLabel`].
    ReturnLabel(LabelId),
    /// Forbids agents to propose a label for this task.
    SuppressLabel(LabelId),
    /// Allows it again.
    UnsuppressLabel(LabelId),
    /// Links the task to another; both are touched.
    Link {
        /// The other task.
        to: TaskId,
        /// How this task stands to it.
        kind: LinkKind,
    },
    /// Takes a link away, also one that another task made to this one.
    Unlink(TaskLinkId),
    /// Brings a link back; the undo of [`Edit::Unlink`].
    RestoreLink(TaskLinkId),
    /// Soft-deletes the task.
    Delete,
    /// Restores a soft-deleted task.
    Restore,
}

impl Edit {
    /// A note the person writes.
    pub fn note(text: impl Into<String>) -> Self {
        Self::AddEntry {
            kind: EntryKind::Text,
            text: Some(text.into()),
            transcript: None,
            minutes: None,
            on: None,
            tainted: false,
        }
    }
}

/// A task to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTask {
    /// May be empty: only here.
    pub title: String,
    /// What else is known from the start.
    pub edits: Vec<Edit>,
}

/// Why an edit is refused. Nothing is written; retrying the same edit does not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The task is soft-deleted.
    #[error("task {task} is deleted: restore it before editing it")]
    Deleted {
        /// The task.
        task: TaskId,
    },
    /// A text without a visible character.
    #[error("{field} is empty: give it at least one visible character")]
    Empty {
        /// Which one.
        field: &'static str,
    },
    /// A value beyond a limit.
    #[error("{field}: {beyond}")]
    Beyond {
        /// Which field.
        field: &'static str,
        /// The limit and the value.
        beyond: Beyond,
    },
    /// A number outside its range.
    #[error("{field} is {given} minutes: give a whole number from 1 to {max}")]
    Minutes {
        /// Which field.
        field: &'static str,
        /// The value as given.
        given: u32,
        /// The largest that is accepted.
        max: usize,
    },
    /// A value outside its closed list.
    #[error(transparent)]
    NotListed(#[from] NotListed),
    /// A status that must say why.
    #[error("status {status} needs a reason: say in a few words why the task cannot go on")]
    ReasonMissing {
        /// The status.
        status: Status,
    },
    /// A status only a person sets.
    #[error(
        "status {status} is set by a person only; an agent may set OPEN, GROOMED, IN PROGRESS, BLOCKED, ON HOLD"
    )]
    PersonOnly {
        /// The status.
        status: Status,
    },
    /// An item that is not on this task.
    #[error("task {task} has no checklist item {item}: read the task for the ids of its items")]
    NoItem {
        /// The task.
        task: TaskId,
        /// The item as given.
        item: ItemId,
    },
    /// An entry that is not on this task.
    #[error("task {task} has no entry {entry}: read the task for the ids of its entries")]
    NoEntry {
        /// The task.
        task: TaskId,
        /// The entry as given.
        entry: EntryId,
    },
    /// A label that is not defined.
    #[error("there is no label {label}: list the labels for their ids, or make it first")]
    NoLabel {
        /// The label as given.
        label: LabelId,
    },
    /// A label an agent may not put on.
    #[error("label {label} was taken off or rejected by the person: leave it off")]
    Suppressed {
        /// The label.
        label: LabelId,
    },
    /// A category that is not defined.
    #[error("there is no category {category}: list the categories for their ids, or make it first")]
    NoCategory {
        /// The category as given.
        category: CategoryId,
    },
    /// A link from a task to itself.
    #[error("task {task} cannot be linked to itself: name another task")]
    ToItself {
        /// The task.
        task: TaskId,
    },
    /// A link to a task that is not there.
    #[error("there is no task {task} to link to: list the tasks for their ids")]
    NoOtherTask {
        /// As given.
        task: TaskId,
    },
    /// A link to a soft-deleted task.
    #[error("task {task} is deleted: restore it before linking to it")]
    OtherDeleted {
        /// The other task.
        task: TaskId,
    },
    /// Such a link is there already.
    #[error("it is linked to task {task} in this way already, by {link}")]
    LinkExists {
        /// The other task.
        task: TaskId,
        /// The link.
        link: TaskLinkId,
    },
    /// A link that is none of this task.
    #[error("task {task} has no link {link}: read the task for the ids of its links")]
    NoLink {
        /// The task.
        task: TaskId,
        /// The link as given.
        link: TaskLinkId,
    },
}

impl EditError {
    /// The field, for a problem that points at it.
    pub fn field(&self) -> &'static str {
        match self {
            Self::Deleted { .. } => "task",
            Self::Empty { field } | Self::Beyond { field, .. } | Self::Minutes { field, .. } => {
                field
            }
            Self::NotListed(listed) => listed.what,
            Self::ReasonMissing { .. } => "reason",
            Self::PersonOnly { .. } => "status",
            Self::NoItem { .. } => "item",
            Self::NoEntry { .. } => "entry",
            Self::NoLabel { .. } | Self::Suppressed { .. } => "label",
            Self::NoCategory { .. } => "category",
            Self::ToItself { .. }
            | Self::NoOtherTask { .. }
            | Self::OtherDeleted { .. }
            | Self::LinkExists { .. } => "to",
            Self::NoLink { .. } => "link",
        }
    }
}
