//! The edits of a task, and why they are refused.

use dormouse_types::limits::{Beyond, Limit};
use dormouse_types::task::{EntryKind, Flag, Flags, LinkKind, NotListed, Priority, Status};
use dormouse_types::{CategoryId, ChecklistId, EntryId, ItemId, LabelId, TaskId, TaskLinkId};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// One change to a task. A list of edits is accepted or refused as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Sets the title; white space is collapsed.
    Title(String),
    /// Clears the title; undoes the first title.
    ClearTitle,
    /// Sets the status.
    Status {
        status: Status,
        /// Why; BLOCKED and ON HOLD need one.
        reason: Option<String>,
    },
    /// Sets the reason of the status that the task has.
    StatusReason(String),
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
    /// Sets or clears a flag of the task.
    Flag {
        flag: Flag,
        /// The new state.
        is_set: bool,
    },
    /// Adds an item to the end of the first checklist.
    AddItem {
        /// One line.
        title: String,
        /// Whether it is added ticked.
        is_checked: bool,
        /// How deep it is nested, from 0.
        depth: u32,
    },
    /// Ticks or unticks an item.
    CheckItem {
        item: ItemId,
        /// The new state.
        is_checked: bool,
    },
    /// Gives an item another title.
    RenameItem {
        item: ItemId,
        /// One line.
        title: String,
    },
    /// Archives an item or restores it.
    ArchiveItem {
        item: ItemId,
        /// The new state.
        is_archived: bool,
    },
    /// Moves an item to another task, with its tick and its history; both tasks are touched.
    MoveItem {
        item: ItemId,
        /// The other task.
        to: TaskId,
        /// Where in that task it goes; `None` means the end of the first checklist.
        place: Option<Place>,
    },
    /// Removes an item; undoes [`Edit::AddItem`].
    RemoveItem(ItemId),
    /// Restores a removed item.
    RestoreItem(ItemId),
    AddEntry {
        kind: EntryKind,
        /// Markdown the person wrote.
        text: Option<String>,
        /// The transcript of a recording, or the description of an image.
        transcript: Option<String>,
        /// Units: minutes; only for a time entry.
        minutes: Option<u32>,
        /// The day it refers to; `None` means the day it is created.
        on: Option<Date>,
        /// Whether the text came from outside (mail, import, web).
        tainted: bool,
        /// Starred, private.
        flags: Flags,
    },
    /// Replaces the person's text of an entry; `None` makes the transcript its text again.
    EditEntry {
        entry: EntryId,
        /// Markdown.
        text: Option<String>,
    },
    /// Sets or clears a flag of an entry.
    FlagEntry {
        entry: EntryId,
        flag: Flag,
        /// The new state.
        is_set: bool,
    },
    /// Soft-deletes an entry.
    DeleteEntry(EntryId),
    /// Restores a soft-deleted entry.
    RestoreEntry(EntryId),
    /// Adds a label; if a person does it, this also lifts a suppression.
    AddLabel(LabelId),
    /// Removes a label; if a person does it, this also suppresses the label.
    RemoveLabel(LabelId),
    /// Removes a label without suppressing it; undoes [`Edit::AddLabel`].
    WithdrawLabel(LabelId),
    /// Restores a label and leaves suppressions unchanged; undoes [`Edit::RemoveLabel`].
    ReturnLabel(LabelId),
    /// Forbids agents to propose a label for this task.
    SuppressLabel(LabelId),
    /// Lets agents propose the label again.
    UnsuppressLabel(LabelId),
    /// Links the task to another; both tasks are touched.
    Link {
        /// The other task.
        to: TaskId,
        /// How this task relates to it.
        kind: LinkKind,
    },
    /// Links another task to this one; both tasks are touched.
    LinkFrom {
        /// The other task.
        from: TaskId,
        /// How that task relates to this one.
        kind: LinkKind,
    },
    /// Removes a link, even one that another task made to this one.
    Unlink(TaskLinkId),
    /// Restores a link; undoes [`Edit::Unlink`].
    RestoreLink(TaskLinkId),
    /// Soft-deletes the task.
    Delete,
    /// Restores a soft-deleted task.
    Restore,
}

/// A place in the checklists of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub checklist: ChecklistId,
    /// From 0.
    pub position: i64,
}

impl Edit {
    /// A note written by the person.
    pub fn note(text: impl Into<String>) -> Self {
        Self::AddEntry {
            kind: EntryKind::Text,
            text: Some(text.into()),
            transcript: None,
            minutes: None,
            on: None,
            tainted: false,
            flags: Flags::NONE,
        }
    }
}

/// A task to create.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTask {
    /// May be empty, unlike in [`Edit::Title`].
    pub title: String,
    /// Further values known from the start.
    pub edits: Vec<Edit>,
}

/// Why an edit is refused. Nothing is written; retrying the same edit does not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The task is soft-deleted.
    #[error("task {task} is deleted: restore it before editing it")]
    Deleted { task: TaskId },
    /// A text without visible characters.
    #[error("{field} is empty: give it at least one visible character")]
    Empty { field: &'static str },
    /// A value beyond a limit.
    #[error("{field}: {beyond}")]
    Beyond {
        field: &'static str,
        /// The limit and the value.
        beyond: Beyond,
    },
    /// A number outside its range.
    #[error("{field} is {given} minutes: give a whole number from 1 to {max}")]
    Minutes {
        field: &'static str,
        /// The value as given.
        given: u32,
        /// The largest that is accepted.
        max: usize,
    },
    /// A value outside its closed list.
    #[error(transparent)]
    NotListed(#[from] NotListed),
    /// A status that needs a reason.
    #[error("status {status} needs a reason: say in a few words why the task cannot continue")]
    ReasonMissing { status: Status },
    /// A status only a person may set.
    #[error(
        "status {status} can be set only by a person; an agent may set OPEN, GROOMED, IN PROGRESS, BLOCKED, ON HOLD"
    )]
    PersonOnly { status: Status },
    /// An item that does not belong to this task.
    #[error("task {task} has no checklist item {item}: read the task for the ids of its items")]
    NoItem {
        task: TaskId,
        /// The item as given.
        item: ItemId,
    },
    /// An entry that does not belong to this task.
    #[error("task {task} has no entry {entry}: read the task for the ids of its entries")]
    NoEntry {
        task: TaskId,
        /// The entry as given.
        entry: EntryId,
    },
    /// A flag that an agent may not set or clear.
    #[error("only a person decides what is {}", flag.name())]
    FlagPersonOnly { flag: Flag },
    /// A label that does not exist.
    #[error("there is no label {label}: list the labels for their ids, or create it first")]
    NoLabel {
        /// The label as given.
        label: LabelId,
    },
    /// A label an agent may not add.
    #[error("label {label} was removed or rejected by the person: do not add it")]
    Suppressed { label: LabelId },
    /// A category that does not exist.
    #[error(
        "there is no category {category}: list the categories for their ids, or create it first"
    )]
    NoCategory {
        /// The category as given.
        category: CategoryId,
    },
    /// A link from a task to itself.
    #[error("task {task} cannot be linked to itself: name another task")]
    ToItself { task: TaskId },
    /// A link to a task that does not exist.
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
    /// A link that already exists.
    #[error("it is already linked to task {task} in this way, by {link}")]
    LinkExists {
        /// The other task.
        task: TaskId,
        link: TaskLinkId,
    },
    /// A link that does not belong to this task.
    #[error("task {task} has no link {link}: read the task for the ids of its links")]
    NoLink {
        task: TaskId,
        /// The link as given.
        link: TaskLinkId,
    },
}

impl EditError {
    /// The field, for an error that points to it.
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
            Self::FlagPersonOnly { flag } => flag.name(),
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

/// The title of the checklist created for a task's first item.
pub(crate) const FIRST_CHECKLIST: &str = "Todos";

/// Checks the size of a field.
pub(crate) fn within(field: &'static str, limit: Limit, actual: usize) -> Result<(), EditError> {
    limit.check(actual).map_err(|beyond| EditError::Beyond { field, beyond })
}
