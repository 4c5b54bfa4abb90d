//! Why a text was refused.

use dormouse_types::limits::Beyond;

/// Why a text was refused. It must be changed before a retry can succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It contains a NUL character, as binary files do.
    #[error(
        "{name}, line {line}: a NUL character, which text cannot contain; \
         check that this is a text file, or remove the character"
    )]
    Nul {
        /// The file.
        name: String,
        /// The line number, from 1.
        line: usize,
    },
    /// It is larger than [`dormouse_types::limits::IMPORT_FILE`].
    #[error("{name} is too large; split it into smaller files")]
    TooLarge {
        /// The file.
        name: String,
        /// The limit and the size.
        #[source]
        source: Beyond,
    },
    /// It has more lines or tasks than one plan can show.
    #[error("{name} has more than {max} {what}; split it into smaller files")]
    TooMany {
        /// The file.
        name: String,
        /// What there is too much of.
        what: &'static str,
        /// The largest number that is read.
        max: usize,
    },
    /// The person gave the columns of a sheet meanings, and not one for each.
    #[error(
        "{name} has {columns} columns, and {n_declared} meanings were given; give one for each column"
    )]
    OtherColumns {
        /// The file.
        name: String,
        /// How many meanings were given.
        n_declared: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// The person made no column of a sheet the title.
    #[error("no column of {name} is the title of its tasks; choose one")]
    NoTitle {
        /// The file.
        name: String,
    },
    #[error("{name}, line {line}: this is not JSON ({reason}); export the file again")]
    NotJson {
        /// The file.
        name: String,
        /// The line number, from 1.
        line: usize,
        /// What the parser says, without the place.
        reason: String,
    },
    /// It is not what it was to be read as.
    #[error("{name}, line {line}: {expected} was expected here; {remedy}")]
    Unexpected {
        /// The file.
        name: String,
        /// The line number, from 1.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Nobody waits for it any more.
    #[error("the reading of {name} was cancelled; nothing of it was written")]
    Cancelled {
        /// The file.
        name: String,
    },
}
