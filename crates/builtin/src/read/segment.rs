//! A segment: a piece of an entry that may be evidence.

use jiff::civil::Date;

use super::dated::Stamp;
use super::inline::Link;

/// The kind of a segment in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A heading; 1 to 6 as in Markdown (a bold line counts as 6), 7 for a label above a list.
    Heading { level: u8 },
    /// A list item with a check box or a tick.
    Box {
        /// State of the box.
        mark: Mark,
    },
    /// A list item with a bullet.
    Bullet,
    /// A list item with a number.
    Numbered,
    /// A table row; its cells are separated by ` | `.
    Row,
    /// A sentence of a paragraph.
    Sentence,
}

/// State of a check box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `[ ]`
    Open,
    /// `[x]` or ✅
    Ticked,
    /// `[~]` or `[-]`: neither.
    Partial,
}

/// A piece of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its words, on one line.
    pub text: String,
    /// The same verbatim.
    pub raw: String,
}

/// A piece of an entry that may be evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Index of its entry in the task.
    pub entry: usize,
    pub kind: Kind,
    /// Its words on one line, without marker, box, emphasis and addresses; a link is replaced by
    /// its words.
    pub text: String,
    /// The text of the entry that it was read from, verbatim.
    pub raw: String,
    /// Sentences of an item; a sentence contains itself.
    pub sentences: Vec<Piece>,
    /// Headings above it, outermost first, with their level.
    pub headings: Vec<(u8, String)>,
    /// The day it is about, if the text names one.
    pub on: Option<Date>,
    /// Day and time as written.
    pub stamp: Stamp,
    /// Number of bytes at the start of `text` that are its day and time.
    pub lead: usize,
    /// Whether nobody vouches for it: it is in a block quote, or the next sentence takes it back.
    pub quoted: bool,
    /// Nesting depth in lists, from 0; a further paragraph of an item is one deeper.
    pub depth: u32,
    /// Its block in the entry; the sentences of a paragraph share it.
    pub block: usize,
    /// Addresses in it.
    pub links: Vec<Link>,
    /// For a row, the titles of its columns, in order.
    pub columns: Vec<String>,
}

impl Segment {
    /// Returns the words without the day and time at their start.
    pub fn body(&self) -> &str {
        self.text.get(self.lead..).unwrap_or(&self.text)
    }

    /// Returns whether it is an item of a list; boxes count.
    pub fn is_item(&self) -> bool {
        matches!(self.kind, Kind::Box { .. } | Kind::Bullet | Kind::Numbered)
    }
}
