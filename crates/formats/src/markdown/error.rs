//! Why a file was refused.

use dormouse_types::limits::Beyond;

/// Why a Markdown file was refused. The file must be changed before a retry can succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Its bytes are not UTF-8, and nothing else for certain.
    #[error(
        "{name}, line {line}: byte {offset} is not UTF-8; save the file as UTF-8 and import it again"
    )]
    NotUtf8 {
        /// The file.
        name: String,
        /// The line number, from 1.
        line: usize,
        /// Units: bytes from the start of the file.
        offset: usize,
    },
    /// It begins as no text does, such as a picture.
    #[error("{name} is a picture or another file without text; leave it out")]
    NoText {
        /// The file.
        name: String,
    },
    /// It is a document that is not a list, such as a web page.
    #[error(
        "{name} is {kind}, which cannot be imported; export it as Markdown, CSV or iCalendar, or paste its text into a list"
    )]
    OtherDocument {
        /// The file.
        name: String,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// It begins with the byte order mark of UTF-16, and is none.
    #[error(
        "{name} begins as UTF-16 and goes on as something else; save the file as UTF-8 and import it again"
    )]
    NotUtf16 {
        /// The file.
        name: String,
    },
    /// It contains a NUL byte, as binary files do.
    #[error(
        "{name}, line {line}: byte {offset} is NUL, which text cannot contain; \
         check that this is a text file, or remove the byte"
    )]
    Nul {
        /// The file.
        name: String,
        /// The line number, from 1.
        line: usize,
        /// Units: bytes from the start of the file.
        offset: usize,
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
    /// It has more lines or headings than any list: each costs memory.
    #[error("{name} has more than {max} {what}; split it into smaller files")]
    TooMany {
        /// The file.
        name: String,
        /// What there is too much of.
        what: &'static str,
        /// How many are read.
        max: usize,
    },
    /// Nobody waits for it any more.
    #[error("the reading of {name} was cancelled; nothing of it was written")]
    Cancelled {
        /// The file.
        name: String,
    },
}
