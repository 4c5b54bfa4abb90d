//! Boxes and ticks in front of a text, as people draw them.

use dormouse_types::task::Status;

use super::Draft;

/// Ticks that need no box around them. In plain text, Word and pandoc write a ticked box with a cross.
const TICKED: &[char] = &['☑', '☒', '✓', '✔', '✅', '🗹'];

/// Boxes that are empty.
const EMPTY: &[char] = &['☐', '▢', '□', '⬜', '◻', '🔲', '🔳'];

/// What is in the box that a text begins with, and the text after it: `x` for a tick of any
/// shape, a space for an empty box of any shape, `\0` for `[]`, else the sign as written.
pub(crate) fn boxed(text: &str) -> Option<(char, &str)> {
    let first = text.chars().next()?;
    let after = &text[first.len_utf8()..];
    match first {
        '[' => bracketed(after),
        '(' => {
            let mark = after.chars().next().filter(|mark| matches!(mark, ' ' | 'x' | 'X'))?;
            let rest = after[1..].strip_prefix(')')?;
            is_apart(rest).then(|| (mark, rest.trim()))
        }
        _ => {
            // Many keyboards add the sign that asks for the coloured form.
            let rest = after.strip_prefix('\u{fe0f}').unwrap_or(after);
            let mark = match first {
                _ if TICKED.contains(&first) => 'x',
                _ if EMPTY.contains(&first) => ' ',
                _ => return None,
            };
            // In Obsidian Tasks a tick before a day says when a task was done.
            let is_day =
                first == '✅' && rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
            (!is_day).then(|| (mark, rest.trim()))
        }
    }
}

fn bracketed(inside: &str) -> Option<(char, &str)> {
    let mark = inside.chars().next().filter(|&mark| mark != ']').unwrap_or('\0');
    let width = if mark == '\0' { 0 } else { mark.len_utf8() };
    let rest = inside[width..].strip_prefix(']')?;
    // Any sign may be the status of a task in Obsidian; letters and digits are not, since `[1]` is
    // more often a reference. A small v is drawn for a tick.
    let is_mark = matches!(mark, '\0' | ' ' | '\t' | 'x' | 'X' | 'v') || !mark.is_alphanumeric();
    (is_mark && is_apart(rest)).then(|| (mark, rest.trim()))
}

fn is_apart(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(char::is_whitespace)
}

/// The text before a tick at its end: "rings ✔". A crossed box there is none, since it can also say no.
pub(crate) fn ticked_at_end(text: &str) -> Option<&str> {
    let bare = text.trim_end().trim_end_matches('\u{fe0f}');
    let rest = ['✓', '✔', '✅', '☑'].iter().find_map(|tick| bare.strip_suffix(*tick))?.trim_end();
    (!rest.is_empty()).then_some(rest)
}

/// Whether a mark that [`boxed`] gives is a tick; `None` for one that says something else.
pub(crate) fn is_tick(mark: char) -> Option<bool> {
    match mark {
        'x' | 'X' | 'v' | '√' | '✓' | '✔' => Some(true),
        '\0' | ' ' | '\t' => Some(false),
        _ => None,
    }
}

/// The status that a mark gives a task; `None` for one that says nothing of it.
pub(crate) fn status_of_mark(mark: char) -> Option<Status> {
    match mark {
        '/' | '~' => Some(Status::InProgress),
        '-' => Some(Status::Rejected),
        _ => is_tick(mark).filter(|ticked| *ticked).map(|_| Status::Done),
    }
}

/// The title of an item with the sign in its box, which is neither a tick nor blank and has no other place.
pub(crate) fn with_sign(mark: char, title: &str) -> String {
    match is_tick(mark) {
        Some(_) => title.to_owned(),
        None => format!("[{mark}] {title}"),
    }
}

/// The sign that [`with_sign`] put before a title, and the title without it.
pub(crate) fn signed(title: &str) -> Option<(char, &str)> {
    let (mark, rest) = title.starts_with('[').then(|| boxed(title)).flatten()?;
    (is_tick(mark).is_none() && !rest.is_empty()).then_some((mark, rest))
}

/// Moves the boxes of a Markdown text into the checklist and returns the rest.
pub(crate) fn take_boxes(text: &str, draft: &mut Draft) -> String {
    take_boxes_on(text, draft, |_| None)
}

/// As [`take_boxes`], for a text whose lines are lines of the file, numbered from 0 in both.
pub(crate) fn take_boxes_on(
    text: &str,
    draft: &mut Draft,
    line_of: impl Fn(usize) -> Option<usize>,
) -> String {
    let (mut rest, mut fence) = (Vec::new(), None);
    for (number, line) in text.split('\n').enumerate() {
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None | Some(_), _) => {}
        }
        let item = fence.is_none().then(|| {
            let text = bare.strip_prefix(['-', '*', '+'])?.strip_prefix(' ')?.trim_start();
            let (mark, title) = boxed(text)?;
            Some((title, is_tick(mark)?))
        });
        match item.flatten() {
            Some((title, is_ticked)) if !title.is_empty() => {
                let indent = line.len() - bare.len();
                let deepest = draft.task.items.last().map_or(0, |item| item.depth + 1);
                let depth = u32::try_from(indent / 2).unwrap_or(0).min(deepest);
                match line_of(number) {
                    Some(at) => draft.item_on(at..=at, None, title, is_ticked, depth),
                    None => draft.item(None, title, is_ticked, depth),
                }
            }
            Some(_) | None => rest.push(line),
        }
    }
    rest.join("\n").trim().to_owned()
}
