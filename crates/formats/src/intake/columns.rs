//! Names of columns in several languages, in sheets and in the tables of a document.

use super::sheet_words;
use crate::reading::Column;

/// Whether the name of a column of days says that they have passed, or when something began.
pub(crate) fn names_past(name: &str) -> bool {
    let plain = plain(name);
    plain.split(|c: char| !c.is_alphanumeric()).any(sheet_words::is_past)
}

/// Whether the name of a column of due dates only says that it holds days.
pub(crate) fn names_any_day(name: &str) -> bool {
    let lower = name.to_lowercase();
    let plain = lower.trim_matches([' ', ':', '*', '?', '.']);
    sheet_words::is_any_day(plain)
}

/// What programs call a task, before the name of one of its fields: "Card Name", "Ticket ID".
const KINDS: &[&str] = &["card", "task", "ticket", "issue", "item", "todo", "story", "work item"];

/// Whether the name of a column of unknown meaning says that it tells rows apart, and not what is in them.
pub(crate) fn names_id(name: &str) -> bool {
    let plain = plain(name);
    let mut words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_id = |word: &str| {
        matches!(
            word,
            "id" | "ids"
                | "uid"
                | "uuid"
                | "guid"
                | "key"
                | "url"
                | "no"
                | "nr"
                | "number"
                | "nummer"
        )
    };
    words.next_back().is_some_and(is_id) || words.next().is_some_and(is_id)
}

/// Whether the name of a column says that it holds a time: "Completed at", "Completion Date".
pub(crate) fn names_time(name: &str) -> bool {
    let plain = plain(name);
    let mut words = plain.split_whitespace();
    words.any(|word| matches!(word, "at" | "on" | "date" | "time" | "am" | "datum"))
}

/// What the name of a column says that it holds.
pub(crate) fn column_named(name: &str) -> Option<Column> {
    let plain = plain(name);
    let of_kind = || {
        let field = KINDS.iter().find_map(|kind| plain.strip_prefix(kind)?.strip_prefix(' '))?;
        // The date of an issue need not be the day on which it is due.
        sheet_words::column(field).filter(|_| !names_any_day(field))
    };
    sheet_words::column(&plain).or_else(|| sheet_words::column(name.trim())).or_else(of_kind)
}

/// A name in lower case, without signs and what is in brackets.
fn plain(name: &str) -> String {
    let plain = name.to_lowercase().replace(['_', '-'], " ");
    let plain = plain.split('(').next().unwrap_or_default();
    plain.trim_matches([' ', ':', '*', '?', '.']).to_owned()
}
