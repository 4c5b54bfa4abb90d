//! Check items.

use super::source::Source;
use crate::intake;
use crate::reading::columns_of;

pub(super) struct CheckBox {
    pub first: usize,
    /// The last line of its title.
    pub title_last: usize,
    /// The last line of its content.
    pub last: usize,
    /// The nearest enclosing check item.
    pub parent: Option<usize>,
    /// Nesting depth, from 0; only check items count.
    pub depth: u32,
    pub is_checked: bool,
    /// The full title, on one line.
    pub title: String,
    /// The text before the box, for example `- ` or `3. `; empty for a box without a list marker.
    pub marker: String,
    /// What is in the box; `\0` if nothing does.
    pub mark: char,
    /// The column its marker begins at. Units: columns, with tabs as wide as in CommonMark.
    pub column: usize,
    /// Whether it is an item of a plain list, without a box.
    pub is_plain: bool,
    /// Whether it is an item of a plain list for which nothing but the boxes around it can speak.
    pub is_guess: bool,
    /// Whether it has no box itself, but boxes next to it or below it.
    pub is_beside_box: bool,
    /// The number of the innermost list around it.
    pub siblings: Option<usize>,
    /// The line on which the outermost list around it begins.
    pub list: Option<usize>,
    /// Where its marker begins. Units: bytes of the text.
    pub at: usize,
    /// The words that name it where it is a row of a table; its title has those of other cells too.
    pub row: Option<String>,
}

impl CheckBox {
    pub fn new(
        source: &Source<'_>,
        (first, last): (usize, usize),
        parent: Option<usize>,
        at: usize,
        marker: &str,
        mark: char,
    ) -> Self {
        Self {
            first,
            title_last: last,
            last,
            parent,
            depth: 0,
            is_checked: intake::is_tick(mark) == Some(true),
            title: String::new(),
            marker: marker.to_owned(),
            mark,
            is_plain: false,
            is_guess: false,
            is_beside_box: false,
            siblings: None,
            list: None,
            column: columns_of(&source.text[source.start(first)..at]),
            at,
            row: None,
        }
    }
}

/// The marker of an item of a list, with the space after it, if there is text after it.
pub(crate) fn listed(item: &str) -> Option<&str> {
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let after = match digits {
        0 => item.strip_prefix(['-', '*', '+'])?,
        _ => item[digits..].strip_prefix(['.', ')'])?,
    };
    let content = after.trim_start();
    let has_space = content.len() < after.len() && !content.is_empty();
    has_space.then(|| &item[..item.len() - content.len()])
}

/// Splits `- [x] text` into marker, box content and text.
pub(super) fn boxed(item: &str) -> Option<(&str, char, &str)> {
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let after = if digits > 0 {
        item[digits..].strip_prefix(['.', ')'])?
    } else {
        item.strip_prefix(['-', '*', '+'])?
    };
    let content = after.trim_start();
    if content.len() == after.len() {
        return None;
    }
    let (mark, rest) = intake::boxed(content)?;
    Some((&item[..item.len() - content.len()], mark, rest))
}

/// Whether a line says that the list below it is to be done: it ends with a colon, or is in
/// bold.
pub(super) fn names_list(line: &str) -> bool {
    let text = line.trim();
    // Behind a backslash it is a word of the text.
    if text.starts_with('\\') {
        return false;
    }
    let is_name = text.trim_end_matches(['*', '_']).ends_with(':')
        || text.ends_with(':')
        || intake::in_bold(text).is_some();
    is_name && intake::names_actions(text)
}

/// Whether a line ends with a Markdown line break: two spaces or a backslash.
pub(super) fn ends_broken(line: &str) -> bool {
    // An even number of backslashes is that many escaped backslashes.
    let backslashes = line.bytes().rev().take_while(|&byte| byte == b'\\').count();
    line.ends_with("  ") || backslashes % 2 == 1
}
