//! Why a verdict was refused or not applied.

use dormouse_journal::{Changed, JournalError};
use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::{CommitError, MaybeRefused, ReadError, Refusal};
use dormouse_types::field_change::FieldValue;
use dormouse_types::task::Status;
use dormouse_types::{ChangeSetId, TaskId, limits};

/// Why a verdict was refused or not applied.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// There is no such set or item. Retry: never.
    #[error("there is no proposal {set}:{index}")]
    NotFound {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
    },
    /// The set belongs to another task than the one that the request names. Retry: never.
    #[error("there is no change set {set} of task {task}")]
    OfOtherTask {
        set: ChangeSetId,
        /// The task that the request names.
        task: TaskId,
    },
    /// The digest belongs to another proposal. Retry: after reading the proposal again.
    #[error(
        "proposal {set}:{index} has digest {found:.8}, not {given:.8}: look at it again before deciding"
    )]
    DigestDiffers {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
        /// The digest that the caller sent.
        given: String,
        /// The digest that is stored.
        found: String,
    },
    /// The item has a different verdict. Retry: never.
    #[error("proposal {set}:{index} is {} already", .state.name())]
    AlreadyDecided {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
        /// The item's present state.
        state: State,
    },
    /// The item was shown for seven days without a decision. Retry: never.
    #[error("proposal {set}:{index} expired: nobody decided within 7 days")]
    Expired {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
    },
    /// The item comes after the ten that are shown, so nobody has seen it. Retry: after reading it,
    /// with its digest.
    #[error(
        "proposal {set}:{index} was not shown yet: look at it, and name its digest to decide about it"
    )]
    NotShown {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
    },
    /// The item belongs to another one, which is not confirmed. Retry: after confirming that one, or
    /// together with it.
    #[error("proposal {set}:{index} belongs to {set}:{parent}, which is {}: {}", .state.name(), first(*.state, *.parent, *.index))]
    ParentFirst {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
        /// Index of the item that it belongs to.
        parent: i64,
        /// That item's present state.
        state: State,
    },
    /// The person set the value after the proposal. Retry: naming that value.
    #[error(
        "the value that proposal {set}:{index} would replace was set after it was made; it is {} now: name that value to confirm over it",
        .now.as_deref().unwrap_or("none")
    )]
    ValueChanged {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
        /// The present value in words, as a confirm names it; `None` if there is no value.
        now: Option<String>,
        /// The present value.
        current: Option<FieldValue>,
    },
    /// The item was confirmed but could not be applied; it is open again. Retry: with a new
    /// confirm.
    #[error("proposal {set}:{index} was not applied and is open again: {reason}; confirm it again")]
    NotApplied {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
        /// Why it could not be applied.
        reason: String,
    },
    /// The task is deleted; the proposal stays open. Retry: after restoring the task.
    #[error("task {task} is deleted: restore it before confirming proposals about it")]
    TaskDeleted {
        /// Id of the deleted task.
        task: TaskId,
    },
    /// The task is closed; the proposal stays open. Retry: after reopening the task.
    #[error("task {task} is {status}: open it again before confirming proposals about it")]
    TaskClosed {
        /// Id of the closed task.
        task: TaskId,
        /// Status under which the task was closed.
        status: Status,
    },
    /// The item can never be applied and was withdrawn. Retry: never.
    #[error("proposal {set}:{index} cannot be applied: {reason}")]
    Retracted {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
        /// Why it was withdrawn.
        reason: String,
    },
    /// The field has changed since; nothing was undone. Retry: never.
    #[error("cannot undo {set}:{index}: {source}")]
    Changed {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
        /// Which field differs, and how.
        #[source]
        source: Changed,
    },
    /// What a confirm started has begun; nothing was undone. Retry: never.
    #[error("cannot undo {set}:{index}: {reason}")]
    Begun {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
        /// What has begun, and what to do instead.
        reason: String,
    },
    /// There is no verdict to undo. Retry: never.
    #[error("proposal {set}:{index} is {}: there is no verdict to undo", .state.name())]
    NothingToUndo {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
        /// The item's present state.
        state: State,
    },
    /// The reason is too long. Retry: with a shorter one.
    #[error(transparent)]
    Reason(#[from] limits::Beyond),
    /// Other writers keep changing the item. Retry: later.
    #[error("proposal {set}:{index} is being decided by others: try again")]
    Busy {
        set: ChangeSetId,
        /// Index of the item in its set.
        index: i64,
    },
    /// The journal failed. Recovery continues from where this stopped.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The commit failed; nothing was decided.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// An invariant is broken. Retry: never.
    #[error("{0}")]
    Broken(String),
}

/// What to do about an item whose parent is in this state.
fn first(parent_is: State, parent: i64, index: i64) -> String {
    match parent_is {
        State::Pending | State::Deferred | State::Applying => format!(
            "confirm {parent} first, or both together, the first one first: {parent},{index}"
        ),
        State::Rejected => format!("undo the rejection of {parent} first"),
        State::Confirmed | State::Retracted | State::Expired => {
            "it can no longer be confirmed".to_owned()
        }
    }
}

impl MaybeRefused for DecideError {
    /// Only refusals of the agent store: the journal repeats its own attempts.
    fn refusal(&self) -> Option<Refusal> {
        if let Self::Commit(error) = self { error.refusal() } else { None }
    }
}

impl DecideError {
    pub(crate) fn already(item: &Item) -> Self {
        Self::AlreadyDecided { set: item.set.clone(), index: item.index, state: item.state }
    }

    pub(crate) fn parent_first(item: &Item, parent: &Item) -> Self {
        let (set, index) = (item.set.clone(), item.index);
        Self::ParentFirst { set, index, parent: parent.index, state: parent.state }
    }

    pub(crate) fn retracted(item: &Item) -> Self {
        let reason = item.error.clone().unwrap_or_else(|| "it was withdrawn".into());
        Self::Retracted { set: item.set.clone(), index: item.index, reason }
    }

    pub(crate) fn expired(item: &Item) -> Self {
        Self::Expired { set: item.set.clone(), index: item.index }
    }
}
