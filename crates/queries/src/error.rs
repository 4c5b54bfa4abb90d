//! The errors of this room.

use dormouse_agents::AgentError;
use dormouse_journal::JournalError;
use dormouse_store::ReadError;
use dormouse_types::limits::Beyond;

/// Why something could not be read.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// A filter or a cursor that is not acceptable.
    #[error("{field}: {message}")]
    Invalid {
        /// The name.
        field: &'static str,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// A value beyond a limit.
    #[error(transparent)]
    Beyond(#[from] Beyond),
    /// Something that does not exist.
    #[error("there is no {what} {id}")]
    NotFound {
        /// What kind of thing.
        what: &'static str,
        /// As given.
        id: String,
    },
    /// About a task.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// About an agent.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}
