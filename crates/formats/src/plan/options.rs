//! How a text is read, and why it may not be.

use super::Format;
use crate::csv::Column;
use crate::intake::{self, ReadOptions};
use crate::markdown::ReadError;

/// How a text is read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format; by default the one that the content has.
    pub format: Option<Format>,
    /// What a text does not say about itself.
    pub read: ReadOptions,
    /// What each column of a sheet means, where a person says so; by default it is guessed.
    pub columns: Option<Vec<Column>>,
    /// What columns of these names meant where a person said so before; used without `columns`.
    pub known_columns: Vec<(String, Column)>,
}

/// Why no plan could be made of a text. The text or its options must be changed before a retry can
/// succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text was refused.
    #[error(transparent)]
    Text(#[from] ReadError),
    /// The text was refused by the reader of another format.
    #[error(transparent)]
    Other(#[from] intake::ReadError),
}
