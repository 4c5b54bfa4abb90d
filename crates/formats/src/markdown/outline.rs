//! The structure of a file by line: headings, check items, and where text may be split.

use super::check_box::CheckBox;

/// The structure of a file.
pub(super) struct Outline {
    /// The first line after the front matter.
    pub first: usize,
    pub headings: Vec<Heading>,
    pub boxes: Vec<CheckBox>,
    /// One entry per line.
    pub lines: Vec<LineKind>,
    /// Whether its headings only say what is done and what is not, so that each block is a task.
    pub is_status_list: bool,
    /// The level of the headings that are the lanes of a board, with its boxes as the cards.
    pub lane_level: Option<u8>,
}

impl Outline {
    /// Whether it is a board that somebody wrote by hand.
    pub fn has_lanes(&self) -> bool {
        self.lane_level.is_some()
    }
}

/// The properties of a line that decide where text is split.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineKind {
    /// Whether it is a thematic break outside lists and quotations.
    pub is_rule: bool,
    /// Whether a paragraph or list item begins here, outside any other block.
    pub begins_block: bool,
    /// Whether it is inside code, HTML or a quotation.
    pub is_opaque: bool,
    /// Whether it holds the dashes of a table whose rows are check items.
    pub is_ruler: bool,
    /// The innermost check item that contains it.
    pub inside: Option<usize>,
}

/// A heading outside lists and quotations; an underlined one has one line of text.
pub(super) struct Heading {
    pub first: usize,
    /// Its last line; for an underlined heading, the underline.
    pub last: usize,
    pub level: u8,
    /// The text without markup, on one line.
    pub text: String,
}
