//! Reformats single-line JSON with one member per line.

use std::borrow::Cow;

use dormouse_types::limits;
use serde::de::IgnoredAny;

use crate::reading::MAX_LINES;

/// Units: columns. Deeper levels are indented no further, so that a text grows in proportion.
const DEEPEST: usize = 8;

/// The text with a line for each member, if it is JSON in a single line; otherwise the text itself.
///
/// Programs write their exports in one line. A plan shows the lines of a text, and corrections name them:
/// a line that holds all tasks says nothing about one of them. Only spaces and line breaks between the
/// values are added, so a program that shows a plan can do this before it sends the text.
pub fn laid_out(text: &str) -> Cow<'_, str> {
    let body = text.trim_start_matches('\u{feff}').trim();
    let is_line = body.starts_with(['{', '[']) && !body.contains(['\n', '\r']);
    if !is_line || serde_json::from_str::<IgnoredAny>(body).is_err() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(body.len() + body.len() / 4);
    let (mut depth, mut n_lines) = (0_usize, 1);
    let (mut is_string, mut is_escaped) = (false, false);
    let mut is_empty = false;
    let mut begin = |out: &mut String, depth: usize| {
        n_lines += 1;
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth.min(DEEPEST)));
    };
    for sign in body.chars() {
        if is_string {
            out.push(sign);
            is_string = is_escaped || sign != '"';
            is_escaped = sign == '\\' && !is_escaped;
            continue;
        }
        if sign.is_ascii_whitespace() {
            continue;
        }
        let closes = matches!(sign, '}' | ']');
        if closes {
            depth = depth.saturating_sub(1);
        }
        // After the sign that opens, and before the one that closes, unless nothing is between them.
        if is_empty != closes {
            begin(&mut out, depth);
        }
        is_empty = matches!(sign, '{' | '[');
        depth += usize::from(is_empty);
        is_string = sign == '"';
        out.push(sign);
        match sign {
            ',' => begin(&mut out, depth),
            ':' => out.push(' '),
            _ => {}
        }
    }
    out.push('\n');
    let fits = n_lines <= MAX_LINES && limits::IMPORT_FILE.check(out.len()).is_ok();
    if fits { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_one_line_gets_a_line_for_each_member() {
        let text = r#"{"a":[{"b":"x, {y}: \"z\\"},2],"c":{},"d":[],"e":null}"#;
        let laid = "{\n \"a\": [\n  {\n   \"b\": \"x, {y}: \\\"z\\\\\"\n  },\n  2\n ],\n \"c\": {},\n \"d\": [],\n \"e\": null\n}\n";
        assert_eq!(laid_out(text), laid);
        assert_eq!(laid_out(laid), laid);
    }

    #[test]
    fn what_has_lines_or_is_no_json_stays_as_it_is() {
        for text in ["", "[", "[ ] a", "{\n}", "[x]", "\"a\"", "(A) call {x}"] {
            assert_eq!(laid_out(text), text);
        }
    }
}
