//! Why a journal operation failed.

use dormouse_store::{CommitError, MaybeRefused, ReadError, Refusal};
use dormouse_types::TaskId;

use crate::edit::EditError;
use crate::effect::Changed;

/// Why a read or a write of the journal failed.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The id names no task of this workspace. Retry: never.
    #[error("there is no task {task}: list the tasks for their ids")]
    NoTask {
        /// The id as given.
        task: TaskId,
    },
    /// A rule refuses the edit. Retry: after changing it.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The field of an undo was changed again. Retry: never.
    #[error(transparent)]
    Changed(#[from] Changed),
    /// The caller's revision is not the task's current one. Retry: after reading the task again.
    #[error(
        "task {task} is at revision {found}, not {expected}: read it again, then repeat the edit"
    )]
    Precondition {
        task: TaskId,
        /// The revision the caller expected.
        expected: i64,
        /// The current revision.
        found: i64,
    },
    /// Others kept editing the task first, at every attempt. Retry: later.
    #[error("task {task} is being edited by others: try again")]
    Conflict { task: TaskId },
    /// A newer owner took over the holder's work. Retry: never.
    #[error("{holder} lost its lease: epoch {epoch} is below the fence")]
    Fenced {
        /// The agent or work run.
        holder: String,
        /// The epoch of the write.
        epoch: i64,
    },
    /// The receipt id was used for a different request. Retry: with a fresh id.
    #[error("the id {id} was already used for a different request: use a fresh one")]
    Reused { id: String },
    /// A cursor this program did not issue. Retry: without the cursor.
    #[error("`{given}` is not a cursor of this list: start again without one")]
    Cursor {
        /// As given, shortened.
        given: String,
    },
    /// A stored answer or import cannot be read. Retry: never.
    #[error("the stored {what} {id} cannot be read")]
    Stored {
        /// What kind of row.
        what: &'static str,
        id: String,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// An unknown time zone. Retry: with another name.
    #[error("there is no time zone `{given}`: give an IANA name such as Europe/Berlin")]
    Zone {
        /// The name as given.
        given: String,
    },
    /// The database cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The commit failed.
    #[error(transparent)]
    Commit(CommitError),
}

impl From<CommitError> for JournalError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Mismatch { id, .. } => Self::Reused { id },
            other @ (CommitError::Refused { .. }
            | CommitError::Unknown { .. }
            | CommitError::Broken { .. }) => Self::Commit(other),
        }
    }
}

impl JournalError {
    /// The store's precondition that failed, if that was the cause.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Commit(error) => error.refusal(),
            Self::NoTask { .. }
            | Self::Edit(_)
            | Self::Changed(_)
            | Self::Precondition { .. }
            | Self::Conflict { .. }
            | Self::Fenced { .. }
            | Self::Reused { .. }
            | Self::Cursor { .. }
            | Self::Stored { .. }
            | Self::Zone { .. }
            | Self::Read(_) => None,
        }
    }
}

impl MaybeRefused for JournalError {
    fn refusal(&self) -> Option<Refusal> {
        Self::refusal(self)
    }
}

/// Why an edit under a caller's rule failed.
#[derive(Debug, thiserror::Error)]
pub enum RuleError<R: std::error::Error + 'static> {
    /// The caller's rule refused.
    #[error(transparent)]
    Rule(R),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl<R: std::error::Error + 'static> MaybeRefused for RuleError<R> {
    fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Rule(_) => None,
            Self::Journal(error) => error.refusal(),
        }
    }
}
