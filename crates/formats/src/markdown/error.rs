//! Why a file cannot become drafts.

use dormouse_types::limits::{Beyond, Limit};

/// Why a Markdown file was refused. The file must be changed before another attempt can succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Its bytes are not UTF-8.
    #[error(
        "{name}, line {line}: byte {offset} is not UTF-8; save the file as UTF-8 and import it again"
    )]
    NotUtf8 {
        /// The file.
        name: String,
        /// From 1.
        line: usize,
        /// Units: bytes from the start of the file.
        offset: usize,
    },
    /// It holds a NUL byte, as binary files do.
    #[error(
        "{name}, line {line}: byte {offset} is NUL, which no text holds; \
         check that this is a Markdown file, or take the byte out"
    )]
    Nul {
        /// The file.
        name: String,
        /// From 1.
        line: usize,
        /// Units: bytes from the start of the file.
        offset: usize,
    },
    /// It is larger than [`dormouse_types::limits::IMPORT_FILE`].
    #[error("{name} is too large; split it into smaller files")]
    TooLarge {
        /// The file.
        name: String,
        /// By how much.
        #[source]
        source: Beyond,
    },
    /// A front-matter key has a value that it cannot have.
    #[error("{name}, line {line}: `{key}` cannot be `{value}`; {allowed}")]
    Value {
        /// The file.
        name: String,
        /// From 1.
        line: usize,
        /// The key as written.
        key: String,
        /// The value as written, at most 60 characters of it.
        value: String,
        /// What the key takes.
        allowed: String,
    },
    /// A task has more items than a task may have.
    #[error(
        "{name}, line {line}: task `{task}` has more than {} {} here; \
         put some of them under a heading of their own", .limit.max, .limit.name
    )]
    TooManyItems {
        /// The file.
        name: String,
        /// Of the first item too many, from 1.
        line: usize,
        /// The title of the task.
        task: String,
        /// The limit.
        limit: Limit,
    },
}
