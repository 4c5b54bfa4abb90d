//! Days and times at the start of a line or in a heading.
//!
//! They say when the text below happened; deadlines are read elsewhere.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use super::fold::fold;
use crate::lang;

/// When a piece of text was written, or what time it is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The day, if it can be determined.
    pub on: Option<Date>,
    /// The day as written.
    pub day: Option<String>,
    /// The time of day as written.
    pub time: Option<String>,
}

impl Stamp {
    /// Combines what a line says with the lines above it: a bare time keeps the day, a new day
    /// drops the time.
    pub fn under(self, above: &Self) -> Self {
        if self.day.is_some() {
            return self;
        }
        match self.time {
            Some(time) => Self { on: above.on, day: above.day.clone(), time: Some(time) },
            None => above.clone(),
        }
    }

    /// Formats it the way it would follow a sentence.
    pub fn shown(&self) -> Option<String> {
        match (&self.day, &self.time) {
            (Some(day), Some(time)) if day.contains(' ') => Some(format!("{day}, {time}")),
            (Some(day), Some(time)) => Some(format!("{day} {time}")),
            (Some(day), None) => Some(day.clone()),
            (None, Some(time)) => Some(time.clone()),
            (None, None) => None,
        }
    }

    fn is_none(&self) -> bool {
        self.day.is_none() && self.time.is_none()
    }
}

static NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(\d{4})-(\d{2})-(\d{2})\b|\b(\d{1,2})([./])(\d{1,2})[./](\d{4})\b")
        .expect("a fixed pattern")
});
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:(\d{1,2})(?:\.|st|nd|rd|th|er)?\s+(?:of\s+|de\s+)?([[:alpha:]]{3,10})\.?|([[:alpha:]]{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?)\b(?:,?\s+(?:de\s+)?(\d{4})\b)?",
    )
    .expect("a fixed pattern")
});
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b([01]?\d|2[0-3]):[0-5]\d(?::\d\d)?(?:\s?[ap]m\b|\b)")
        .expect("a fixed pattern")
});

/// Reads the day and time of a heading.
///
/// A day without a year takes the year of the day above, or else of `on`.
pub fn heading(text: &str, above: Option<Date>, on: Date) -> Option<Stamp> {
    let text: String = text.chars().take(200).collect();
    let stamp = stamp(&text, above.unwrap_or(on));
    (!stamp.is_none()).then_some(stamp)
}

/// Reads the day and time at the start of a line, and how many bytes they take.
pub fn opening(text: &str, above: Option<Date>, on: Date) -> Option<(Stamp, usize)> {
    let end = text.char_indices().nth(40).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let near = above.unwrap_or(on);
    let mut stamp = Stamp::default();
    let mut taken = 0;
    let lead = |from: usize, to: usize| {
        head.get(from..to).is_some_and(|gap| gap.chars().all(|c| " [(*_,@~".contains(c)))
    };
    if let Some((day, date, range)) = first_day(head, near)
        && lead(0, range.0)
    {
        stamp.on = Some(date);
        stamp.day = Some(day);
        taken = range.1;
    }
    if let Some(time) = TIME.find(head)
        && time.start() >= taken
        && lead(taken, time.start())
    {
        stamp.time = Some(time.as_str().to_owned());
        taken = time.end();
    }
    if stamp.is_none() {
        return None;
    }
    // "2024-03-02: called", "14:05 - called", "[2024-03-02] called"; not "3 May be late".
    let following = &text[taken..];
    let rest =
        following.trim_start_matches([' ', ']', ')', '*', '_', ':', '-', '–', '—', '|', ',']);
    let separated = rest.len() < following.len() || following.is_empty();
    separated.then(|| (stamp, text.len() - rest.len()))
}

fn stamp(text: &str, near: Date) -> Stamp {
    let day = first_day(text, near);
    let after = day.as_ref().map_or(0, |(_, _, range)| range.1);
    let time = TIME.find(&text[after..]).or_else(|| TIME.find(text));
    Stamp {
        on: day.as_ref().map(|(_, date, _)| *date),
        day: day.map(|(day, _, _)| day),
        time: time.map(|time| time.as_str().to_owned()),
    }
}

/// Finds the first day of a text: as written, as a date, and its position.
fn first_day(text: &str, near: Date) -> Option<(String, Date, (usize, usize))> {
    let number = NUMBERS.captures(text).and_then(|found| {
        let whole = found.get(0)?;
        let part = |n: usize| found.get(n).and_then(|part| part.as_str().parse::<i16>().ok());
        let date = match (part(1), part(4)) {
            (Some(year), _) => day_of(year, part(2)?, part(3)?),
            (None, Some(first)) => {
                let (second, year) = (part(6)?, part(7)?);
                let dotted = found.get(5).is_some_and(|sign| sign.as_str() == ".");
                match (first > 12, second > 12) {
                    (true, _) => day_of(year, second, first),
                    (_, true) => day_of(year, first, second),
                    // 03/04 may be either order; with dots the day always comes first.
                    _ if dotted => day_of(year, second, first),
                    _ => None,
                }
            }
            (None, None) => None,
        }?;
        Some((whole.as_str().to_owned(), date, (whole.start(), whole.end())))
    });
    let named = first_named(text, near);
    match (number, named) {
        (Some(one), Some(other)) => Some(if one.2.0 <= other.2.0 { one } else { other }),
        (one, other) => one.or(other),
    }
}

/// Returns whether a text starts with the name of a month.
pub fn opens_with_month(text: &str) -> bool {
    let name: String =
        text.trim_start().chars().take(11).take_while(|c| c.is_alphabetic()).collect();
    month(&name).is_some()
}

/// Finds the first day that names its month.
fn first_named(text: &str, near: Date) -> Option<(String, Date, (usize, usize))> {
    let mut from = 0;
    loop {
        let found = NAMED.captures_at(text, from)?;
        let whole = found.get(0)?;
        if let Some(date) = named_day(&found, near) {
            return Some((whole.as_str().to_owned(), date, (whole.start(), whole.end())));
        }
        // "Mon 3 March": the word before the number is not a month.
        let following = text[whole.start()..].find(|c: char| !c.is_alphanumeric())?;
        from = whole.start() + following;
    }
}

fn named_day(found: &regex::Captures<'_>, near: Date) -> Option<Date> {
    let (day, name) = match (found.get(1), found.get(2)) {
        (Some(day), Some(name)) => (day, name),
        _ => (found.get(4)?, found.get(3)?),
    };
    let month = month(name.as_str())?;
    let day = day.as_str().parse().ok()?;
    let year = found.get(5).and_then(|year| year.as_str().parse().ok()).unwrap_or(near.year());
    day_of(year, month.into(), day)
}

fn day_of(year: i16, month: i16, day: i16) -> Option<Date> {
    Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()
}

fn month(name: &str) -> Option<i8> {
    let name = fold(name);
    lang::ALL.iter().flat_map(|lang| lang.months).find(|(known, _)| *known == name).map(|(_, n)| *n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn headings_tell_day_and_time() {
        let above = Some(date(2018, 2, 20));
        for (text, on, shown) in [
            ("2018-07-08 ca. 18:30", Some(date(2018, 7, 8)), Some("2018-07-08 18:30")),
            ("Feb 21, 13:00", Some(date(2018, 2, 21)), Some("Feb 21, 13:00")),
            ("Feb 20 2018 14:17", Some(date(2018, 2, 20)), Some("Feb 20 2018, 14:17")),
            ("3rd of March 2024", Some(date(2024, 3, 3)), Some("3rd of March 2024")),
            ("07:30am - First report", None, Some("07:30am")),
            ("[1.4.0] - 2024-05-06", Some(date(2024, 5, 6)), Some("2024-05-06")),
            ("Mon 3 March", Some(date(2018, 3, 3)), Some("3 March")),
            ("20.03.2026", Some(date(2026, 3, 20)), Some("20.03.2026")),
            ("Version 2.3.4", None, None),
            ("03/04/2026", None, None),
            ("Feb 30", None, None),
        ] {
            let stamp = heading(text, above, date(2026, 1, 1)).unwrap_or_default();
            assert_eq!((stamp.on, stamp.shown().as_deref()), (on, shown), "{text}");
        }
    }

    #[test]
    fn a_line_opens_with_a_day_only_when_it_stands_apart() {
        let on = date(2026, 1, 1);
        for (text, rest) in [
            ("2026-02-03: called them", Some("called them")),
            ("[14:05] called them", Some("called them")),
            ("12 March - called", Some("called")),
            ("Called on 2026-02-03", None),
            ("3 people came", None),
        ] {
            let opened = opening(text, None, on).map(|(_, taken)| &text[taken..]);
            assert_eq!(opened, rest, "{text}");
        }
    }
}
