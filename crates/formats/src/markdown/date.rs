//! Dates at the beginning of headings and lines.

use jiff::civil::Date;

/// The result of looking for a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading<'a> {
    /// A day and the text after it.
    Day(Date, &'a str),
    /// Digits in the form of a date that is not in the calendar.
    Impossible(&'a str),
    /// No date.
    Nothing,
}

impl Reading<'_> {
    /// The day, if one was found.
    pub fn day(self) -> Option<Date> {
        match self {
            Self::Day(day, _) => Some(day),
            Self::Impossible(_) | Self::Nothing => None,
        }
    }
}

/// Month names in English, German, French, Spanish and Romanian, by month. Prefixes of at least
/// three letters match too, with or without a full stop.
const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "jänner", "janvier", "enero", "ianuarie"],
    &["february", "februar", "février", "febrero", "februarie"],
    &["march", "märz", "maerz", "mars", "marzo", "martie"],
    &["april", "avril", "abril", "aprilie"],
    &["may", "mai", "mayo"],
    &["june", "juni", "juin", "junio", "iunie"],
    &["july", "juli", "juillet", "julio", "iulie"],
    &["august", "août", "agosto"],
    &["september", "septembre", "septiembre", "septembrie"],
    &["october", "oktober", "octobre", "octubre", "octombrie"],
    &["november", "novembre", "noviembre", "noiembrie"],
    &["december", "dezember", "décembre", "diciembre", "decembrie"],
];

const WEEKDAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
    "sonnabend",
    "sonntag",
    "lundi",
    "mardi",
    "mercredi",
    "jeudi",
    "vendredi",
    "samedi",
    "dimanche",
    "lunes",
    "martes",
    "miércoles",
    "jueves",
    "viernes",
    "sábado",
    "domingo",
    "luni",
    "marți",
    "miercuri",
    "joi",
    "vineri",
    "sâmbătă",
    "duminică",
];

/// Reads the date at the beginning of a text, after a weekday, markup or an emoji.
///
/// `year` completes a day and month without a year, as in headings below a dated one.
pub(super) fn leading(text: &str, year: Option<i16>) -> Reading<'_> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (first, rest) = split_word(text);
    let text = if WEEKDAYS.contains(&first.to_lowercase().as_str()) {
        rest.trim_start_matches([',', '.', ' '])
    } else {
        text
    };
    at(text, year)
}

/// Whether a heading consists only of a day: it says when, not what.
pub(super) fn is_alone(heading: &str) -> bool {
    match leading(heading, None) {
        Reading::Day(_, rest) => !rest.contains(char::is_alphabetic),
        Reading::Impossible(_) | Reading::Nothing => false,
    }
}

/// Reads the date of a heading: at its beginning, or a full date set off by a dash, a comma or a
/// bracket, as in change logs.
pub(super) fn of_heading(text: &str, year: Option<i16>) -> Reading<'_> {
    let found = leading(text, year);
    if found != Reading::Nothing {
        return found;
    }
    for separator in [" - ", " – ", " — ", " (", " [", ", ", " | "] {
        for (before, _) in text.match_indices(separator) {
            let found = at(&text[before + separator.len()..], None);
            if let Reading::Day(..) = found {
                return found;
            }
        }
    }
    Reading::Nothing
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
pub(super) fn heads_note(line: &str) -> bool {
    match leading(line, None) {
        Reading::Day(_, rest) => !line.starts_with(char::is_whitespace) && sets_off(rest),
        Reading::Impossible(_) | Reading::Nothing => false,
    }
}

/// Whether the text after a date separates it, so that the date heads a note.
pub(super) fn sets_off(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '_', ']', ')']).trim_start();
    rest.is_empty() || rest.starts_with([':', '-', '–', '—'])
}

/// Reads a date at the very start.
fn at(text: &str, year: Option<i16>) -> Reading<'_> {
    match numeric(text) {
        Reading::Nothing => named(text, year),
        found => found,
    }
}

/// `2026-10-02`, `2026/10/02`, `2.10.2026`.
fn numeric(text: &str) -> Reading<'_> {
    let Some((a, rest)) = digits(text) else { return Reading::Nothing };
    let Some(separator) = rest.chars().next() else { return Reading::Nothing };
    let year_first = a.len() == 4 && matches!(separator, '-' | '/');
    let day_first = a.len() <= 2 && separator == '.';
    if !year_first && !day_first {
        return Reading::Nothing;
    }
    let gap = |rest: &'_ str| if year_first { 0 } else { rest.len() - rest.trim_start().len() };
    let rest = &rest[1..];
    let Some((b, rest)) = digits(&rest[gap(rest)..]) else { return Reading::Nothing };
    let Some(rest) = rest.strip_prefix(separator) else { return Reading::Nothing };
    let Some((c, rest)) = digits(&rest[gap(rest)..]) else { return Reading::Nothing };
    let (year, day) = if year_first { (a, c) } else { (c, a) };
    if year.len() != 4 || b.len() > 2 || day.len() > 2 || runs_on(rest) {
        return Reading::Nothing;
    }
    match calendar(year, b.parse().unwrap_or(0), day) {
        Some(date) => Reading::Day(date, rest),
        None => Reading::Impossible(&text[..text.len() - rest.len()]),
    }
}

/// `21 August 2026`, `21. August`, `3 de mayo de 2026`, `Feb 20th, 2018`.
fn named(text: &str, year: Option<i16>) -> Reading<'_> {
    let (day, month, rest) = if let Some((day, rest)) = digits(text) {
        let rest = without_ordinal(rest).trim_start_matches('.').trim_start();
        let rest = rest.strip_prefix("de ").unwrap_or(rest);
        let (word, rest) = split_word(rest);
        (day, month(word), rest)
    } else {
        let (word, rest) = split_word(text);
        let rest = rest.trim_start_matches('.').trim_start();
        let Some((day, rest)) = digits(rest) else { return Reading::Nothing };
        (day, month(word), without_ordinal(rest))
    };
    let (Some(month), true) = (month, day.len() <= 2) else { return Reading::Nothing };
    let after = rest.trim_start_matches(['.', ',']).trim_start();
    let after = after.strip_prefix("de ").unwrap_or(after);
    match (digits(after), year) {
        (Some((year, rest)), _) if year.len() == 4 && !runs_on(rest) => {
            match calendar(year, month, day) {
                Some(date) => Reading::Day(date, rest),
                None => Reading::Impossible(&text[..text.len() - rest.len()]),
            }
        }
        (_, Some(year)) if !runs_on(rest) => day
            .parse()
            .ok()
            .and_then(|day| Date::new(year, month, day).ok())
            .map_or(Reading::Nothing, |date| Reading::Day(date, rest)),
        _ => Reading::Nothing,
    }
}

fn calendar(year: &str, month: i8, day: &str) -> Option<Date> {
    Date::new(year.parse().ok()?, month, day.parse().ok()?).ok()
}

fn month(word: &str) -> Option<i8> {
    let word = word.to_lowercase();
    if word.chars().count() < 3 {
        return None;
    }
    let place = MONTHS.iter().position(|names| {
        names
            .iter()
            .any(|name| *name == word || (word.chars().count() <= 4 && name.starts_with(&word)))
    })?;
    i8::try_from(place + 1).ok()
}

fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0).then(|| text.split_at(end))
}

fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    text.split_at(end)
}

fn without_ordinal(rest: &str) -> &str {
    ["st", "nd", "rd", "th", "er"]
        .iter()
        .find_map(|ending| rest.strip_prefix(ending))
        .unwrap_or(rest)
}

/// Whether the number continues, so that it is part of a version, a price or a word.
fn runs_on(rest: &str) -> bool {
    let mut chars = rest.chars();
    match chars.next() {
        Some('T') => !chars.next().is_some_and(|c| c.is_ascii_digit()),
        Some('.' | '-' | '/') => chars.next().is_some_and(|c| c.is_alphanumeric()),
        Some(c) => c.is_alphanumeric() || c == '_',
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = match of_heading(text, Some(2018)) {
            Reading::Day(day, _) => day.to_string(),
            Reading::Impossible(text) => format!("impossible {text}"),
            Reading::Nothing => String::new(),
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
            "May the 4th",
            "Marching 3 2026",
            "3 tasks",
            "",
        ] {
            check(text, "");
        }
        assert_eq!(leading("Feb 21, 13:00", None), Reading::Nothing);
    }

    #[test]
    fn an_impossible_day_is_told_apart() {
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
