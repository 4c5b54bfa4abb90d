//! One line of the report: masked, safe as Markdown, short.

use dormouse_formats::sanitise;
use dormouse_types::address;

use super::leave_out;
use crate::lang::Lang;
use crate::read::fold::fold;
use crate::read::inline;

/// Units: characters. As much as a reader takes in at a glance.
pub const UNIT_MAX: usize = 230;

/// Formats a text as a unit of the report, or returns `None` if nothing of it may be shown.
pub fn finish(text: &str, max: usize, lang: &Lang) -> Option<String> {
    if leave_out::holds_secret(text) {
        return None;
    }
    // An address in a line could get cut; the links section contains it whole.
    let without_address = address::first(text).map(|_| inline::read(text).text);
    let text = without_address.as_deref().unwrap_or(text);
    let line = sanitise::line(text);
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = without_empty_links(&leave_out::masked(&line), lang);
    let mut line = plain(&line);
    // An address that an escape or a mask has created is removed too.
    while let Some((before, _, after)) = address::first(&line) {
        line = format!("{before}{after}");
    }
    let line = cut(&line, max);
    let n_letters = line.chars().filter(|c| c.is_alphanumeric()).count();
    (n_letters >= 2 && line.chars().any(char::is_alphabetic)).then_some(line)
}

/// Removes link words that mean nothing once the link is gone.
fn without_empty_links(text: &str, lang: &Lang) -> String {
    let mut rest = text.trim();
    let titles = lang.report.say.empty_titles;
    // At most three: "(issue) (PR)".
    for _ in 0..3 {
        let bare = rest.trim_end_matches(['.', ' ']);
        let Some(inner) = bare.strip_suffix([')', ']']) else { break };
        let Some(open) = inner.rfind(['(', '[']) else { break };
        let words = fold(inner[open + 1..].trim());
        if !titles.contains(&words.trim_matches(['[', ']', '.', ':'])) {
            break;
        }
        rest = inner[..open].trim_end();
    }
    if let Some((before, last)) = split_last(rest)
        && titles.contains(&fold(last).as_str())
    {
        rest = before;
    }
    rest.trim_end_matches([':', ',', ';', ' ']).to_owned()
}

/// Returns what follows the last sentence end or colon, if something precedes it.
fn split_last(text: &str) -> Option<(&str, &str)> {
    let bare = text.trim_end_matches(['.', ' ']);
    let at = [". ", ": ", "? ", "! "].iter().filter_map(|sign| bare.rfind(sign)).max()?;
    Some((&text[..=at], bare[at + 2..].trim()))
}

/// Escapes text so that it stays text in Markdown and does not look like a marker or a box.
fn plain(text: &str) -> String {
    let mut text = text.trim();
    loop {
        let bare = without_marker(text);
        let bare = ["[ ]", "[x]", "[X]", "[~]", "[]"]
            .iter()
            .find_map(|sign| bare.strip_prefix(sign))
            .unwrap_or(bare);
        if bare.len() == text.len() {
            break;
        }
        text = bare;
    }
    let mut shown = String::with_capacity(text.len());
    if text.starts_with('>') {
        shown.push('\\');
    }
    let mut code = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '`' {
            code = !code;
        }
        let next = chars.peek().copied();
        let opens_tag =
            c == '<' && next.is_some_and(|n| n.is_alphabetic() || matches!(n, '/' | '!' | '?'));
        let opens_link = c == ']' && matches!(next, Some('(' | '[' | ':'));
        if !code && opens_tag {
            shown.push('\\');
        }
        shown.push(c);
        if opens_link {
            shown.push(' ');
        }
    }
    shown
}

/// Removes the sign of a list, heading, quotation or table: such a sign has a space after it. "-5 °C" and "#812"
/// begin with a sign of their own.
fn without_marker(text: &str) -> &str {
    let text = text.trim_start_matches(['|', '•', ' ']);
    let Some(sign) = text.chars().next().filter(|sign| "-+*#>".contains(*sign)) else {
        return text;
    };
    let rest = text.trim_start_matches(sign);
    if rest.is_empty() || rest.starts_with(char::is_whitespace) { rest.trim_start() } else { text }
}

/// Shortens a text at a clause, or else at a word, and marks the omission.
pub fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let room = max.saturating_sub(1);
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let least = text.char_indices().nth(max / 2).map_or(0, |(at, _)| at);
    let clause = ["; ", ", ", " - ", " – ", " — ", " (", ". ", "? ", "! "]
        .iter()
        .filter_map(|sign| head.rfind(sign))
        .filter(|at| *at >= least)
        .max();
    let word = || head.rfind(' ').filter(|at| *at >= least);
    let mut head = head[..clause.or_else(word).unwrap_or(end)]
        .trim_end_matches([' ', ',', ';', ':', '.', '(']);
    if head.matches('`').count() % 2 == 1 {
        head = head[..head.rfind('`').unwrap_or(head.len())].trim_end();
    }
    format!("{head}…")
}

/// Returns the text without a final full stop; list items have none.
pub fn without_stop(text: &str) -> &str {
    let bare = text.trim_end_matches(['.', ' ', ';', ',']);
    if text.ends_with("...") || bare.is_empty() { text } else { bare }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::en::EN;

    #[test]
    fn units_are_short_harmless_and_say_something() {
        for (text, expected) in [
            ("Set up alerts (issue)", Some("Set up alerts")),
            ("Write it down. (issue).", Some("Write it down.")),
            ("Increase the number of pods: PR.", Some("Increase the number of pods")),
            ("Decrease it. issue here.", Some("Decrease it.")),
            ("- [x] # looks like a box", Some("looks like a box")),
            ("a [b](javascript:x) <script>", Some("a [b] (javascript:x) \\<script>")),
            ("keep `<pod>` as code", Some("keep `<pod>` as code")),
            ("The password is hunter2", None),
            ("12 %", None),
            ("-5 °C test", Some("-5 °C test")),
            ("#812 crash", Some("#812 crash")),
            ("+49 341 Ana", Some("+49 341 Ana")),
            (">5 kg parcel", Some("\\>5 kg parcel")),
            ("- -5 °C test", Some("-5 °C test")),
            ("## Garden", Some("Garden")),
            ("> said Bo", Some("said Bo")),
            ("-- Bo", Some("Bo")),
            ("| Bo", Some("Bo")),
            ("\u{202E}abc\0", Some("abc")),
        ] {
            assert_eq!(finish(text, 60, &EN).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn cutting_keeps_whole_clauses_and_code() {
        assert_eq!(cut("one two three, four five six", 20), "one two three…");
        assert_eq!(cut("one two `three four` five", 18), "one two…");
        assert_eq!(cut(&"x".repeat(50), 10), format!("{}…", "x".repeat(9)));
        assert_eq!(cut("short", 10), "short");
    }
}
