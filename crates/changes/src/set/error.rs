//! Why a verdict was not taken, or not applied.

use dormouse_journal::{Changed, JournalError};
use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::{CommitError, ReadError};
use dormouse_types::task::Status;
use dormouse_types::{ChangeSetId, TaskId, limits};

/// Why a verdict was not taken, or not applied.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// No such set or item. Retry: never.
    #[error("there is no proposal {set}:{index}")]
    NotFound {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
    },
    /// The digest shown belongs to another proposal. Retry: after looking again.
    #[error(
        "proposal {set}:{index} has digest {found:.8}, not {given:.8}: look at it again before deciding"
    )]
    DigestDiffers {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// What the caller was shown.
        given: String,
        /// What is stored.
        found: String,
    },
    /// Somebody decided otherwise. Retry: never.
    #[error("proposal {set}:{index} is {} already", .state.name())]
    AlreadyDecided {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// What it is now.
        state: State,
    },
    /// Seven days passed since it was shown. Retry: never.
    #[error("proposal {set}:{index} expired: nobody decided within 7 days")]
    Expired {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
    },
    /// Nobody has seen it: it waits behind the ten that are shown. Retry: after looking at it, with
    /// its digest.
    #[error(
        "proposal {set}:{index} was not shown yet: look at it, and name its digest to decide about it"
    )]
    NotShown {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
    },
    /// The person set the value after the proposal was made. Retry: with that value named.
    #[error(
        "the value that proposal {set}:{index} would replace was set after it was made; it is {} now: name that value to confirm over it",
        .now.as_deref().unwrap_or("none")
    )]
    ValueChanged {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// The value now, in words; none for no value.
        now: Option<String>,
    },
    /// It was confirmed and could not be applied; it waits again. Retry: with a confirm of its own.
    #[error("proposal {set}:{index} was not applied and waits again: {reason}; confirm it anew")]
    NotApplied {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// Why.
        reason: String,
    },
    /// The task is deleted; the proposal stays open. Retry: after restoring it.
    #[error("task {task} is deleted: restore it before confirming proposals about it")]
    TaskDeleted {
        /// The task.
        task: TaskId,
    },
    /// The task is closed; the proposal stays open. Retry: after opening it again.
    #[error("task {task} is {status}: open it again before confirming proposals about it")]
    TaskClosed {
        /// The task.
        task: TaskId,
        /// Its status.
        status: Status,
    },
    /// It can never be applied; it was withdrawn. Retry: never.
    #[error("proposal {set}:{index} cannot be applied: {reason}")]
    Retracted {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// Why.
        reason: String,
    },
    /// The field was changed since; nothing was undone. Retry: never.
    #[error("cannot undo {set}:{index}: {source}")]
    Changed {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// What is different.
        #[source]
        source: Changed,
    },
    /// There is no verdict to take back. Retry: never.
    #[error("proposal {set}:{index} is {}: there is no verdict to take back", .state.name())]
    NothingToUndo {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// What it is now.
        state: State,
    },
    /// A reason that is too long. Retry: with a shorter one.
    #[error(transparent)]
    Reason(#[from] limits::Beyond),
    /// Others keep writing. Retry: later.
    #[error("proposal {set}:{index} is being decided by others: try again")]
    Busy {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
    },
    /// The journal could not. Recovery goes on where this stopped.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The commit failed; nothing was decided.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// An invariant does not hold. Retry: never.
    #[error("{0}")]
    Broken(String),
}

impl DecideError {
    /// Somebody decided otherwise.
    pub(crate) fn already(item: &Item) -> Self {
        Self::AlreadyDecided { set: item.set.clone(), index: item.index, state: item.state }
    }

    /// It was withdrawn.
    pub(crate) fn retracted(item: &Item) -> Self {
        let reason = item.error.clone().unwrap_or_else(|| "it was withdrawn".into());
        Self::Retracted { set: item.set.clone(), index: item.index, reason }
    }

    /// Nobody decided in time.
    pub(crate) fn expired(item: &Item) -> Self {
        Self::Expired { set: item.set.clone(), index: item.index }
    }
}
