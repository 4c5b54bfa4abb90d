//! Days at the beginning of headings and lines, which say when a text was written.
//!
//! Which words are a day is `when`'s; here is what a day at such a place means.

use jiff::civil::Date;

use crate::when::{self, LANGUAGES, Leading};

/// Reads the day at the beginning of a text, after markup or an emoji.
///
/// `year` completes a day and month without a year, as in headings below a dated one.
pub(crate) fn leading(text: &str, year: Option<i16>) -> Leading<'_> {
    // Behind a backslash it is a word of the text.
    if text.trim_start().starts_with('\\') {
        return Leading::Nothing;
    }
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let read = LANGUAGES.iter().map(|&language| when::leading(text, year, language));
    let mut impossible = Leading::Nothing;
    for found in read {
        match found {
            Leading::Day(..) => return found,
            Leading::Impossible(_) => impossible = found,
            Leading::Nothing => {}
        }
    }
    impossible
}

/// Reads the day at the beginning of a line, unless the line is no more than a sign of Obsidian Tasks with its
/// value, such as `🛫 2026-12-01`: that is when something begins or was done, not when a note was written.
pub(super) fn of_line(text: &str, year: Option<i16>) -> Leading<'_> {
    // A link to the note of another day.
    if text.trim_start_matches(['-', '*', '+', ' ', '\t']).starts_with("[[") {
        return Leading::Nothing;
    }
    let found = leading(text, year);
    let is_signed = text.starts_with(['⏳', '⌛', '🛫', '➕', '✅', '❌', '🔁']);
    match found {
        Leading::Day(_, rest) if is_signed && !rest.contains(char::is_alphanumeric) => {
            Leading::Nothing
        }
        Leading::Day(..) | Leading::Impossible(_) | Leading::Nothing => found,
    }
}

/// Whether a heading consists only of a day: it says when, not what.
pub(super) fn is_alone(heading: &str) -> bool {
    match leading(heading, None) {
        Leading::Day(_, rest) => !rest.contains(char::is_alphabetic),
        Leading::Impossible(_) | Leading::Nothing => false,
    }
}

/// Reads the day of a heading: at its beginning, or a full day set off by a dash, a comma or a
/// bracket, as in change logs.
///
/// A day set off that is after `read_on` is when the thing in the heading takes place ("Wedding – 5 June 2027"):
/// nobody wrote the notes below it then.
pub(super) fn of_heading(text: &str, year: Option<i16>, read_on: Option<Date>) -> Leading<'_> {
    let found = leading(text, year);
    if found != Leading::Nothing {
        return found;
    }
    for separator in [" - ", " – ", " — ", " (", " [", ", ", " | "] {
        for (before, _) in text.match_indices(separator) {
            let found = leading(&text[before + separator.len()..], None);
            match found {
                Leading::Day(day, _) if read_on.is_none_or(|read_on| day <= read_on) => {
                    return found;
                }
                Leading::Day(..) | Leading::Impossible(_) | Leading::Nothing => {}
            }
        }
    }
    Leading::Nothing
}

/// Whether a heading begins with a time of day, and so continues the day above it.
pub(super) fn begins_with_time(text: &str) -> bool {
    // `2X:XX` is how people write an hour they no longer remember.
    let is_digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'X' | b'?');
    let hours = text.bytes().take_while(is_digit).count();
    let rest = &text[hours..];
    (1..=2).contains(&hours)
        && rest.starts_with([':', 'h'])
        && rest[1..].bytes().take(2).filter(is_digit).count() == 2
}

/// Whether a line at the left margin begins a dated note of its own, even if CommonMark joins it to
/// the paragraph or list item before it.
pub(crate) fn heads_note(line: &str) -> bool {
    match of_line(line, None) {
        Leading::Day(_, rest) => !line.starts_with(char::is_whitespace) && sets_off(rest),
        Leading::Impossible(_) | Leading::Nothing => false,
    }
}

/// Whether the text after a day separates it, so that the day heads a note.
pub(super) fn sets_off(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '_', ']', ')']).trim_start();
    rest.is_empty() || rest.starts_with([':', '-', '–', '—'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = match of_heading(text, Some(2018), None) {
            Leading::Day(day, _) => day.to_string(),
            Leading::Impossible(text) => format!("impossible {text}"),
            Leading::Nothing => String::new(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn days_are_read_in_the_forms_people_write() {
        for (text, expected) in [
            ("2026-10-02", "2026-10-02"),
            ("2026-10-02T09:30 call", "2026-10-02"),
            ("**2026/1/2**: call", "2026-01-02"),
            ("📅 2. 10. 2026 Anruf", "2026-10-02"),
            ("Friday, 2 October 2026", "2026-10-02"),
            ("Feb 20 2018 14:17", "2018-02-20"),
            ("Feb 21, 13:00", "2018-02-21"),
            ("March 3rd, 2026 notes", "2026-03-03"),
            ("May the 4th", "2018-05-04"),
            ("3 de mayo de 2026", "2026-05-03"),
            ("1er août 2026", "2026-08-01"),
            ("3. März 2026", "2026-03-03"),
            ("Version 5.0.1 - 25.06.2025", "2025-06-25"),
            ("[1.2.0](https://example.org) (2026-06-30)", "2026-06-30"),
            ("Livrat — 21 august 2026 (seara)", "2026-08-21"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn what_only_resembles_a_day_is_text() {
        for text in [
            "2026.39.1",
            "5.0.1",
            "2026-10",
            "2026-10-02-draft",
            "until 2026-10-02",
            "14:55",
            "13-14 august 2026 retreat",
            "Marching 3 2026",
            "3 tasks",
            "",
        ] {
            check(text, "");
        }
        assert_eq!(leading("Feb 21, 13:00", None), Leading::Nothing);
    }

    #[test]
    fn a_day_to_come_that_a_heading_sets_off_is_no_day_of_its_notes() {
        let read_on = Some(jiff::civil::date(2026, 11, 30));
        for (text, expected) in [
            ("Wedding Ana & Joris – 5 June 2027", None),
            ("Talk (2027-03-10)", None),
            ("Gartenfest, 20. Juni 2027", None),
            ("Réunion | 15 mars 2027", None),
            ("Boda - 5 de junio de 2027", None),
            ("Nuntă — 5 iunie 2027", None),
            ("Retro (2026-11-20)", Some("2026-11-20")),
            ("Begehung – 30. November 2026", Some("2026-11-30")),
            ("1.2.0 - 2026-06-30", Some("2026-06-30")),
            // The day it is for comes first; it was talked about on the other.
            ("Talk (2027-03-10), 20 November 2026", Some("2026-11-20")),
            // A page of a diary keeps its day.
            ("2027-03-10", Some("2027-03-10")),
            ("10 March 2027: talk", Some("2027-03-10")),
        ] {
            let found = of_heading(text, None, read_on).day().map(|day| day.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn an_impossible_day_is_distinguished() {
        check("2026-02-30 review", "impossible 2026-02-30");
        check("31. April 2026", "impossible 31. April 2026");
    }

    #[test]
    fn times_of_day_are_known() {
        assert!(begins_with_time("07:30am - first report"));
        assert!(begins_with_time("9h15 appel"));
        assert!(begins_with_time("2X:XX (nobody looked)"));
        assert!(!begins_with_time("3 tasks"));
        assert!(!begins_with_time("1:1 meeting"));
        assert!(!begins_with_time(""));
    }
}
