//! Words for done, status and priority in the sheets and boards of several languages.

use dormouse_types::task::{Priority, Status};

use super::boxes::{boxed, is_tick};
use super::sheet_words;

/// The status that a word for it means.
pub(crate) fn status_of(text: &str) -> Option<Status> {
    sheet_words::status(&folded(text))
}

/// Whether a mark in a column of its own means done; `None` for anything that is no such mark.
pub(crate) fn is_done(text: &str) -> Option<bool> {
    // A box may stand in a list of its own: `- [ ]`.
    let bare = text.trim().trim_start_matches(['-', '*', '+']).trim_start();
    if let Some((mark, "")) = boxed(bare)
        && let Some(is_ticked) = is_tick(mark)
    {
        return Some(is_ticked);
    }
    match folded(text).as_str() {
        "x" | "✓" | "✔" | "✅" | "☑" | "[x]" | "1" | "100" | "100%" | "100 %" => Some(true),
        "" | "[ ]" | "☐" | "❌" | "0" | "-" | "0%" | "0 %" => Some(false),
        word => sheet_words::answer(word).or_else(|| match status_of(word)? {
            Status::Done => Some(true),
            Status::Open | Status::InProgress | Status::Groomed => Some(false),
            Status::Blocked | Status::OnHold | Status::Rejected => None,
        }),
    }
}

/// Whether a word is what a program writes into each task that nobody gave a priority.
pub(crate) fn is_no_priority(text: &str) -> bool {
    matches!(
        folded(text).as_str(),
        "none" | "no priority" | "default" | "pn" | "null" | "unprioritized"
    )
}

/// The priority that a word for it means. Numbers mean different things in different programs and
/// are not words.
pub(crate) fn priority_of(text: &str) -> Option<Priority> {
    match folded(text).as_str() {
        "!!!" => Some(Priority::P0),
        "!!" => Some(Priority::P1),
        "!" => Some(Priority::P2),
        word => sheet_words::priority(word),
    }
}

/// The priority that a value means that is said to be one, where a letter stands for a word.
pub(crate) fn priority_named(text: &str) -> Option<Priority> {
    priority_of(text).or(match text.trim() {
        "H" | "h" => Some(Priority::P1),
        "M" | "m" => Some(Priority::P2),
        "L" | "l" => Some(Priority::P3),
        _ => None,
    })
}

/// The status of a list whose heading is only a word for it, such as "To do", "Doing" or "Done".
pub(crate) fn list_status(heading: &str) -> Option<Status> {
    let bare = heading.trim_matches(|c: char| !c.is_alphanumeric());
    match status_of(bare) {
        status @ Some(Status::Done | Status::InProgress) => status,
        _ => names_actions(bare).then_some(Status::Open),
    }
}

/// The name of a lane of a board without the number of cards that it may hold: "Doing (3)".
pub(crate) fn without_limit(lane: &str) -> &str {
    let name = lane.trim_end();
    let inner = name.strip_suffix(')').and_then(|open| open.rsplit_once('('));
    match inner {
        Some((before, limit))
            if !before.trim().is_empty()
                && limit.contains(|c: char| c.is_ascii_digit())
                && limit.chars().all(|c| c.is_ascii_digit() || c == '/') =>
        {
            before.trim_end()
        }
        Some(_) | None => name,
    }
}

/// Whether a heading says that the list below it is what is to be done.
pub(crate) fn names_actions(heading: &str) -> bool {
    let bare = heading.trim_matches(|c: char| !c.is_alphanumeric());
    sheet_words::names_actions(&folded(bare))
}

/// The words of a line that is bold as a whole, without a colon at its end.
pub(crate) fn in_bold(line: &str) -> Option<&str> {
    let text = line.trim();
    let text = text.strip_suffix(':').unwrap_or(text);
    ["**", "__"].into_iter().find_map(|mark| {
        let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
        let words = inner.trim().trim_end_matches(':').trim_end();
        (!words.is_empty() && !inner.contains(mark) && inner.trim().len() == inner.len())
            .then_some(words)
    })
}

fn folded(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    // A Turkish capital İ is an i with a dot over it then.
    let lower = short.to_lowercase().replace('\u{307}', "");
    let spaced = lower.replace(['-', '_'], " ").replace('’', "'");
    let word = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    if word.is_empty() && !short.trim().is_empty() { short.trim().to_owned() } else { word }
}
