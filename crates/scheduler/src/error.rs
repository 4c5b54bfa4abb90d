//! Why the scheduler could not do something.

use std::error::Error;
use std::fmt;

use dormouse_store::{CommitError, MaybeRefused, ReadError, Refusal};
use dormouse_types::HolderId;

use crate::status::Impossible;

/// Why the scheduler could not do something. Retry: later, except for damage.
#[derive(Debug, thiserror::Error)]
pub enum SchedulerError {
    /// No handler is registered for the holder's kind; a newer version may have queued it.
    #[error("{holder}: this version cannot run holders of the kind `{}`", .holder.kind())]
    NoHandler { holder: HolderId },
    /// A run's row has a status that contradicts its queue row.
    #[error(transparent)]
    Status(#[from] Impossible),
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A commit failed.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// A handler or a chore failed.
    #[error(transparent)]
    Handler(#[from] HandlerError),
}

impl MaybeRefused for SchedulerError {
    fn refusal(&self) -> Option<Refusal> {
        if let Self::Commit(error) = self { error.refusal() } else { None }
    }
}

impl SchedulerError {
    /// Returns whether the error is damage to rows that only one holder needs, so that the others
    /// can continue.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::NoHandler { .. } | Self::Status(_) | Self::Read(ReadError::Corrupt { .. }) => {
                true
            }
            Self::Handler(error) => error.is_damage,
            Self::Read(_) | Self::Commit(_) => false,
        }
    }
}

/// An error of a handler or of a chore, as its room defines it.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct HandlerError {
    /// Whether it is damage to rows that only one holder needs.
    pub is_damage: bool,
    /// The room's own error.
    pub source: Box<dyn Error + Send + Sync>,
}

/// Returns the rows that can be read; the others are logged and left as they are.
pub fn readable<T>(rows: Vec<Result<T, ReadError>>) -> Vec<T> {
    let readable = |row: Result<T, ReadError>| {
        row.inspect_err(|damaged| tracing::error!(%damaged, "a row cannot be read")).ok()
    };
    rows.into_iter().filter_map(readable).collect()
}

/// What failed.
#[derive(Debug)]
pub struct Failure {
    /// Part of the node's work that failed.
    pub part: Option<String>,
    /// Why.
    pub error: SchedulerError,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            Some(part) => write!(f, "{part}: {}", self.error),
            None => self.error.fmt(f),
        }
    }
}
