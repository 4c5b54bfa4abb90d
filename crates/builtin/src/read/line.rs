//! Classifies a line of Markdown by the marks at its start and end.

use dormouse_types::address;

use super::segment::{Kind, Mark};
use crate::lang;
use crate::propose::todo;
use crate::report::cue::after_label;

/// Level of a bold line that serves as a heading.
pub(super) const BOLD_LEVEL: u8 = 6;
/// Level of a label above a list.
pub const LABEL_LEVEL: u8 = 7;

/// Marker of a list item.
pub(super) struct Marker {
    pub(super) kind: Kind,
    /// Units: columns of the marker and the space after it.
    pub(super) width: usize,
    /// Units: bytes of marker, space and box.
    pub(super) taken: usize,
    /// Whether its number is 1.
    pub(super) is_first: bool,
}

pub(super) fn marker(text: &str) -> Option<Marker> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (kind, sign) = match text.chars().next()? {
        c @ ('-' | '*' | '+' | '•' | '–' | '·') => (Kind::Bullet, c.len_utf8()),
        c if c.is_ascii_digit() && digits <= 4 && text[digits..].starts_with(['.', ')']) => {
            (Kind::Numbered, digits + 1)
        }
        _ => {
            let (mark, taken) = tick(text);
            // In pasted lists "[ ] call" and "☐ call" have no bullet.
            let mark = mark.filter(|_| text.starts_with(['[', '☐', '☑', '✅', '✔']))?;
            return Some(Marker { kind: Kind::Box { mark }, width: 2, taken, is_first: true });
        }
    };
    let after = &text[sign..];
    let body = after.trim_start();
    if !after.is_empty() && body.len() == after.len() {
        return None;
    }
    let space = after.len() - body.len();
    let (mark, box_length) = tick(body);
    Some(Marker {
        kind: mark.map_or(kind, |mark| Kind::Box { mark }),
        width: text[..sign].chars().count() + space.min(4),
        taken: sign + space + box_length,
        is_first: text[..digits] == *"1",
    })
}

/// Reads the box or tick at the start of a text, and its length including the space after it.
pub(super) fn tick(text: &str) -> (Option<Mark>, usize) {
    let signs: [(&str, Mark); 9] = [
        ("[ ]", Mark::Open),
        ("[]", Mark::Open),
        ("[x]", Mark::Ticked),
        ("[X]", Mark::Ticked),
        ("[~]", Mark::Partial),
        ("[-]", Mark::Partial),
        ("☐", Mark::Open),
        ("☑", Mark::Ticked),
        ("✅", Mark::Ticked),
    ];
    let checked = [("✔", Mark::Ticked)];
    for (sign, mark) in signs.into_iter().chain(checked) {
        if let Some(rest) = text.strip_prefix(sign) {
            let body = rest.trim_start_matches(['\u{FE0F}', ' ', '\t', '\u{a0}']);
            let bracket = sign.starts_with('[');
            if bracket && body.len() == rest.len() {
                continue;
            }
            return (Some(mark), text.len() - body.len());
        }
    }
    (None, 0)
}

pub(super) fn tick_opens(text: &str) -> bool {
    tick(text).0.is_some()
}

pub(super) fn opens_fence(text: &str) -> Option<(char, usize)> {
    let sign = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.chars().take_while(|c| *c == sign).count();
    let closed = sign == '`' && text[length..].contains('`');
    (length >= 3 && !closed).then_some((sign, length))
}

pub(super) fn heading(text: &str) -> Option<(u8, &str)> {
    let level = text.bytes().take_while(|b| *b == b'#').count();
    if !(1..=6).contains(&level) || !text[level..].starts_with([' ', '\t']) {
        return None;
    }
    let words = text[level..].trim().trim_end_matches('#').trim_end();
    Some((u8::try_from(level).unwrap_or(6), words))
}

/// Reads `===` and `---` below a line, or a horizontal rule.
pub(super) fn underline(text: &str) -> Option<u8> {
    let sign = text.chars().next()?;
    let bare: String = text.chars().filter(|c| *c != ' ').collect();
    let same = bare.len() >= 3 && bare.chars().all(|c| c == sign);
    match sign {
        '=' if same => Some(1),
        '-' | '*' | '_' if same => Some(2),
        _ => None,
    }
}

pub(super) fn is_ruler(text: &str) -> bool {
    text.contains('-')
        && text.contains('|')
        && text.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// `[label]: address`
pub(super) fn is_definition(text: &str) -> bool {
    text.starts_with('[')
        && text.find("]:").is_some_and(|at| {
            address::first(&text[at + 2..])
                .is_some_and(|(before, _, _)| before.trim_matches([' ', '<']).is_empty())
        })
}

/// Returns the heading level of a line that introduces what follows.
pub(super) fn label(words: &str, above_list: bool) -> Option<u8> {
    if words.len() > 120 {
        return None;
    }
    let bare = words.trim_end_matches(':');
    let is_bold = ["**", "__"].iter().any(|sign| {
        let inner = bare.strip_prefix(sign).and_then(|rest| rest.strip_suffix(sign));
        inner.is_some_and(|inner| {
            let inner = inner.trim_end_matches(':');
            !inner.is_empty() && !inner.contains(sign) && !inner.ends_with(['.', '!', '?'])
        })
    });
    if is_bold {
        return Some(BOLD_LEVEL);
    }
    let n_words = words.split_whitespace().count();
    // "TODO: call Bo" and "TODO call Bo" above a list are work themselves.
    if names_work(words) || lang::ALL.iter().any(|lang| todo::opens_with_work(words, lang)) {
        return None;
    }
    let labels = words.ends_with(':') && n_words <= 8
        || n_words <= 4 && !words.ends_with(['.', '!', '?', ',', ';']);
    (above_list && labels).then_some(LABEL_LEVEL)
}

/// Returns whether a list item is only a bold label that, as a heading, would say something about
/// the list below it.
pub(super) fn names_section(words: &str) -> bool {
    let bare = words.trim().trim_matches(['*', '_', ':', ' ']);
    label(words.trim(), false) == Some(BOLD_LEVEL)
        && lang::ALL.iter().any(|lang| crate::report::heading::kind(bare, lang).is_some())
}

/// Returns whether a line starts with a label such as `TODO(kim):` or `Expected:`, so that it does
/// not continue the sentence above.
pub(crate) fn opens_with_label(text: &str) -> bool {
    if text.starts_with("TODO ") || names_work(text) {
        return true;
    }
    let Some((head, rest)) = text.split_once(':') else {
        return false;
    };
    let n_chars = head.chars().count();
    (2..=24).contains(&n_chars)
        && head.starts_with(char::is_uppercase)
        && head.split(' ').count() <= 2
        && rest.starts_with(' ')
        && head.chars().all(|c| c.is_alphanumeric() || " ()-_".contains(c))
}

/// Returns whether a line starts with a label of work, in any language, and names the work after
/// it.
fn names_work(text: &str) -> bool {
    lang::ALL.iter().any(|lang| after_label(text, lang.report.cues.todo_labels).is_some())
}

/// Units: characters. A shorter line was ended deliberately, not wrapped.
const WRAPPED: usize = 50;

/// Returns whether a line that starts with a label continues in the next one, which it does only if
/// it was wrapped.
pub(super) fn label_goes_on(line: &str, next: &str) -> bool {
    line.chars().count() >= WRAPPED
        && !line.ends_with(['.', '!', '?', ';'])
        && !next.starts_with(char::is_uppercase)
}

/// Returns whether a line was ended deliberately: the next word would have fitted, or the line ends
/// in an address.
///
/// In prose a sentence starts with a capital letter; in quick notes it need not.
pub(super) fn was_ended(line: &str, next: &str, width: usize, is_prose: bool) -> bool {
    let is_capital = next.starts_with(char::is_uppercase);
    let last = line.split_whitespace().next_back().unwrap_or_default();
    if address::opens(last.trim_start_matches(['<', '('])) && is_capital {
        return true;
    }
    if is_prose && next.starts_with(char::is_lowercase) {
        return false;
    }
    let word = next.split_whitespace().next().unwrap_or_default();
    let needed = line.chars().count() + 1 + word.chars().count();
    width >= PARAGRAPH && needed + SLACK <= width && !line.ends_with([',', '-', '–', '—', '('])
}

/// Returns whether an item may continue at the margin, because its line was long enough to be
/// wrapped.
pub(super) fn may_go_on(line: &str) -> bool {
    line.chars().count() >= WRAPPED && !line.ends_with(['.', '!', '?']) || line.ends_with(',')
}

/// Units: characters. No editor wraps paragraphs narrower than this.
const PARAGRAPH: usize = 40;
/// Units: characters that a line may fall short of the width of its paragraph.
const SLACK: usize = 8;

/// Removes the quote marks from the further lines of a block quote.
pub(super) fn unquoted(raw: &str) -> String {
    if !raw.contains("\n") {
        return raw.to_owned();
    }
    let mut lines = raw.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| {
        text + "\n" + line.trim_start_matches([' ', '\t']).trim_start_matches(['>', ' '])
    })
}

pub(super) fn cells(row: &str) -> String {
    row.trim_matches('|')
        .split('|')
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect::<Vec<_>>()
        .join(" | ")
}
