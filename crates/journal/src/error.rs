//! Why the journal could not do what was asked.

use dormouse_store::{CommitError, ReadError, Refusal};
use dormouse_types::TaskId;

use crate::edit::EditError;
use crate::effect::Changed;

/// Why a read or a write of the journal failed.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The id names no task of this workspace. Retry: never.
    #[error("there is no task {task}: list the tasks for their ids")]
    NoTask {
        /// As given.
        task: TaskId,
    },
    /// The edit is refused by a rule. Retry: after changing it.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// An undo whose field moved on. Retry: never.
    #[error(transparent)]
    Changed(#[from] Changed),
    /// The caller's revision is not the task's. Retry: after reading the task again.
    #[error(
        "task {task} is at revision {found}, not {expected}: read it again, then repeat the edit"
    )]
    Precondition {
        /// The task.
        task: TaskId,
        /// What the caller expected.
        expected: i64,
        /// What is there.
        found: i64,
    },
    /// Others kept editing while this edit was decided three times. Retry: later.
    #[error("task {task} is being edited by others: try again")]
    Conflict {
        /// The task.
        task: TaskId,
    },
    /// A newer owner of the holder's work took over. Retry: never.
    #[error("{holder} lost its lease: epoch {epoch} is behind the fence")]
    Fenced {
        /// The agent or work run.
        holder: String,
        /// The epoch of the write.
        epoch: i64,
    },
    /// The id of a receipt was used for something else. Retry: with a fresh id.
    #[error("the id {id} was already used for a different request: use a fresh one")]
    Reused {
        /// The id.
        id: String,
    },
    /// A cursor this program did not make. Retry: without the cursor.
    #[error("`{given}` is no cursor of this list: begin again without one")]
    Cursor {
        /// As given, shortened.
        given: String,
    },
    /// A stored answer or import that cannot be read. Retry: never.
    #[error("the stored {what} {id} cannot be read")]
    Stored {
        /// What kind of row.
        what: &'static str,
        /// Its id.
        id: String,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// A time zone nobody knows. Retry: with another name.
    #[error("there is no time zone `{given}`: give an IANA name such as Europe/Berlin")]
    Zone {
        /// As given.
        given: String,
    },
    /// Rows cannot be read.
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
    /// The precondition of the store that did not hold, if that is what went wrong.
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

/// Why an edit by a caller's rule did not happen.
#[derive(Debug, thiserror::Error)]
pub enum RuleError<R: std::error::Error + 'static> {
    /// The caller's rule refused.
    #[error(transparent)]
    Rule(R),
    /// The journal could not.
    #[error(transparent)]
    Journal(#[from] JournalError),
}
