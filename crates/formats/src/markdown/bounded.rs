//! Bounds what the CommonMark parser remembers of a hostile text.
//!
//! The parser builds a node for every mark, so a text of nothing but `>` or `[` would take a
//! hundred times its size. Only blocks matter here, and the words are taken from the text itself, so
//! marks that cannot begin a block may be hidden from the parser.

use std::borrow::Cow;

/// The deepest nesting of quotations and lists on one line that is followed.
const MAX_NESTING: usize = 100;

/// Marks within lines that are no cause for concern, however they are spread.
const MAX_MARKS: usize = 200_000;

/// What a hidden mark becomes: a letter, so that every offset stays as it is.
const HIDDEN: u8 = b'x';

/// A text of the same length and with the same lines for the parser.
pub(super) fn bounded(text: &str) -> Cow<'_, str> {
    let hides_marks = text.bytes().filter(|&byte| is_mark(byte)).nth(MAX_MARKS).is_some();
    let mut bytes: Option<Vec<u8>> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut hide = |at: usize| bytes.get_or_insert_with(|| text.into())[start + at] = HIDDEN;
        let markers = Markers::of(line.as_bytes());
        if markers.is_too_deep {
            hide(markers.end);
        }
        if hides_marks {
            hide_marks(line.as_bytes(), markers.end, &mut hide);
        }
        start += line.len();
    }
    match bytes {
        None => Cow::Borrowed(text),
        // Only ASCII signs became another ASCII sign.
        Some(bytes) => String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned),
    }
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'[' | b']' | b'!' | b'*' | b'_' | b'`' | b'~' | b'<' | b'&' | b'\\' | b'|')
}

/// Hides the marks after the markers of lists and quotations of a line.
fn hide_marks(line: &[u8], begin: usize, hide: &mut impl FnMut(usize)) {
    let first = line.get(begin).copied().unwrap_or(b'\n');
    // A fence, a rule, or the beginning of HTML, up to the first other sign.
    let opening = match first {
        b'`' | b'~' | b'*' | b'_' => {
            line[begin..].iter().take_while(|&&byte| byte == first || byte == b' ').count()
        }
        b'<' => 1 + usize::from(line.get(begin + 1) == Some(&b'!')),
        _ => 0,
    };
    for (at, &byte) in line.iter().enumerate().skip(begin + opening) {
        if is_mark(byte) {
            hide(at);
        }
    }
}

/// The markers of lists and quotations that a line begins with.
struct Markers {
    /// Where they end: at the first other sign, or at the first one that is too deep.
    end: usize,
    is_too_deep: bool,
}

impl Markers {
    fn of(line: &[u8]) -> Self {
        let mut at = 0;
        for _ in 0..=MAX_NESTING {
            at += line[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let Some(width) = marker(&line[at..]) else {
                return Self { end: at, is_too_deep: false };
            };
            at += width;
        }
        at += line[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let is_too_deep = marker(&line[at..]).is_some();
        Self { end: at, is_too_deep }
    }
}

/// The width of the marker that a text begins with.
fn marker(text: &[u8]) -> Option<usize> {
    let is_space = |at: usize| matches!(text.get(at), Some(b' ' | b'\t'));
    match text.first()? {
        b'>' => Some(1),
        b'-' | b'+' | b'*' if is_space(1) => Some(1),
        b'0'..=b'9' => {
            let digits = text.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
            let is_marker = matches!(text.get(digits), Some(b'.' | b')')) && is_space(digits + 1);
            is_marker.then_some(digits + 1)
        }
        _ => None,
    }
}
