//! The errors of this room.

use dormouse_store::{CommitError, ReadError};
use dormouse_types::TokenId;
use dormouse_types::limits::Beyond;

/// Why access was refused, or a request about access failed. Nothing is partly written.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The caller lacks a scope.
    #[error("this needs the scope `{scope}`")]
    ScopeMissing {
        /// The name.
        scope: &'static str,
    },
    /// An invalid one-time code. The error does not reveal the reason.
    #[error("the code was used, has expired or never existed")]
    CodeRefused,
    /// A value that is not acceptable.
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
    /// A token that does not exist.
    #[error("there is no token {id}")]
    NoToken {
        /// As given.
        id: TokenId,
    },
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A commit failed.
    #[error(transparent)]
    Commit(#[from] CommitError),
}
