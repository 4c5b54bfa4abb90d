//! The one sanitiser: which text may reach a terminal.
//!
//! Removed: escape sequences with their payload, control characters, characters that reorder a
//! line, and zero-width characters that hide or disguise text. Kept: every visible character, emoji
//! made of several characters, and the joiners that Arabic and Indic scripts need. A sequence that
//! never ends is shown as text, so it cannot hide the rest of a line.
//!
//! Both functions are idempotent, and neither leaves ESC, C1 or a bidirectional control.

use std::iter::Peekable;
use std::str::Chars;

use unicode_width::UnicodeWidthChar as _;

/// Makes text safe for one line: line breaks and tabs become a space.
///
/// Shape: no control characters.
///
/// ```
/// assert_eq!(dormouse_formats::sanitise::line("pay\u{202e} \u{1b}[8mall\nof it"), "pay all of it");
/// ```
pub fn line(text: &str) -> String {
    clean(text, Breaks::Space)
}

/// Makes text safe for a block: line breaks become `\n`, and tabs stay.
///
/// Shape: no control characters except `\n` and `\t`.
pub fn block(text: &str) -> String {
    clean(text, Breaks::Keep)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Space,
    Keep,
}

/// Units: characters. More marks on one letter only smear over neighbouring lines.
const MARKS: usize = 8;

fn clean(text: &str, breaks: Breaks) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut last = None;
    let mut n_marks = 0;
    while let Some(c) = chars.next() {
        if is_introducer(c) {
            if let Some(rest) = after_sequence(c, &chars) {
                chars = rest;
            }
            continue;
        }
        if is_break(c) {
            if c == '\r' && chars.peek() == Some(&'\n') {
                continue;
            }
            match breaks {
                Breaks::Keep => out.push(if c == '\t' { '\t' } else { '\n' }),
                Breaks::Space if last == Some(' ') => {}
                Breaks::Space => out.push(' '),
            }
            last = out.chars().next_back();
            n_marks = 0;
            continue;
        }
        if c == FLAG
            && let Some(tags) = flag_tags(&chars)
        {
            out.push(c);
            out.extend(chars.by_ref().take(tags));
            last = Some(c);
            n_marks = 0;
            continue;
        }
        if !is_kept(c, last, chars.peek().copied()) {
            continue;
        }
        // A joiner whose right-hand mark would be over the limit joins nothing.
        if matches!(c, '\u{200c}' | '\u{200d}') && n_marks + 2 > MARKS {
            continue;
        }
        n_marks = if c.width() == Some(0) { n_marks + 1 } else { 0 };
        if n_marks <= MARKS {
            out.push(c);
            last = Some(c);
        }
    }
    out
}

fn is_introducer(c: char) -> bool {
    matches!(c, '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}')
}

fn is_break(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The text after an escape sequence; `None` if the sequence never ends.
///
/// Source: ECMA-48.
fn after_sequence<'a>(
    introducer: char,
    chars: &Peekable<Chars<'a>>,
) -> Option<Peekable<Chars<'a>>> {
    let mut chars = chars.clone();
    let kind = match introducer {
        '\u{1b}' => match chars.next()? {
            '[' => '\u{9b}',
            'P' => '\u{90}',
            'X' => '\u{98}',
            ']' => '\u{9d}',
            '^' => '\u{9e}',
            '_' => '\u{9f}',
            mut c => {
                while ('\u{20}'..='\u{2f}').contains(&c) {
                    c = chars.next()?;
                }
                return ('\u{30}'..='\u{7e}').contains(&c).then_some(chars);
            }
        },
        c1 => c1,
    };
    if kind == '\u{9b}' {
        let end = chars.find(|c| !('\u{20}'..='\u{3f}').contains(c))?;
        return ('\u{40}'..='\u{7e}').contains(&end).then_some(chars);
    }
    loop {
        match chars.next()? {
            '\u{7}' | '\u{9c}' => return Some(chars),
            '\u{1b}' if chars.peek() == Some(&'\\') => {
                chars.next();
                return Some(chars);
            }
            // A payload never spans lines of text.
            '\n' | '\r' => return None,
            _ => {}
        }
    }
}

/// The black flag that begins the flags of England, Scotland and Wales.
const FLAG: char = '\u{1f3f4}';

/// The number of tag characters after a flag; `None` unless they spell a region.
fn flag_tags(chars: &Peekable<Chars<'_>>) -> Option<usize> {
    let is_tag = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    // One more than a region has; a longer run is a hidden message.
    let n = chars.clone().take(7).take_while(is_tag).count();
    let ends = chars.clone().nth(n) == Some('\u{e007f}');
    ((3..=6).contains(&n) && ends).then_some(n + 1)
}

fn is_kept(c: char, last: Option<char>, next: Option<char>) -> bool {
    if c.is_control() {
        return false;
    }
    match c {
        '\u{200c}' => last.zip(next).is_some_and(|(last, next)| joins(last) && joins(next)),
        '\u{200d}' => last.zip(next).is_some_and(|(last, next)| {
            (joins(last) && joins(next))
                || ((is_emoji(last) || is_emoji_mark(last)) && is_emoji(next))
        }),
        '\u{fe00}'..='\u{fe0f}' => last.is_some_and(takes_variation),
        '\u{e0100}'..='\u{e01ef}' => last.is_some_and(is_ideograph),
        _ => !is_hidden(c),
    }
}

/// Invisible characters: bidirectional controls, zero-width spaces and fillers, tags.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Letters and marks of scripts whose spelling uses joiners.
fn joins(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && !is_hidden(c)
}

fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}'
            | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}'
    )
}

fn is_emoji_mark(c: char) -> bool {
    matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// One selector after a visible character; a second one would carry hidden data.
fn takes_variation(last: char) -> bool {
    !last.is_whitespace() && last.width() != Some(0)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
