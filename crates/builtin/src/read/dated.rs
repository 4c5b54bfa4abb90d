//! Days and times at the start of a line or in a heading.
//!
//! They say when the text below happened; deadlines are read elsewhere.

use std::ops::Range;
use std::sync::LazyLock;

use dormouse_formats::when::{
    self, Assumption, DayOrder, LANGUAGES, Leading, Reader, Weekday, When,
};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use regex::Regex;

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
    pub fn rendered(&self) -> Option<String> {
        match (&self.day, &self.time) {
            (Some(day), Some(time)) if day.contains(' ') => Some(format!("{day}, {time}")),
            (Some(day), Some(time)) => Some(format!("{day} {time}")),
            (Some(day), None) => Some(day.clone()),
            (None, Some(time)) => Some(time.clone()),
            (None, None) => None,
        }
    }

    /// Whether its day, written with its year, is after a day: it is when something takes place.
    pub fn is_after(&self, day: Date) -> bool {
        let is_later = self.on.filter(|on| *on > day);
        let written = self.day.as_deref().unwrap_or_default();
        is_later.is_some_and(|on| written.contains(&on.year().to_string()))
    }

    fn is_none(&self) -> bool {
        self.day.is_none() && self.time.is_none()
    }
}

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
    let is_lead = |c: char| " [(*_,@~".contains(c);
    let lead =
        |from: usize, to: usize| head.get(from..to).is_some_and(|gap| gap.chars().all(is_lead));
    let body = head.trim_start_matches(is_lead);
    if let Some((date, len)) = day_at(body, near.year()) {
        stamp.on = Some(date);
        stamp.day = Some(body[..len].to_owned());
        taken = head.len() - body.len() + len;
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
    let day = first_day(text, near.year());
    let after = day.as_ref().map_or(0, |(_, range)| range.end);
    let time = TIME.find(&text[after..]).or_else(|| TIME.find(text));
    Stamp {
        on: day.as_ref().map(|(date, _)| *date),
        day: day.map(|(_, range)| text[range].to_owned()),
        time: time.map(|time| time.as_str().to_owned()),
    }
}

/// Finds the first day of a text, and its place. A day without a year is one of `year`.
fn first_day(text: &str, year: i16) -> Option<(Date, Range<usize>)> {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let begins =
            c.is_alphanumeric() && (before.is_whitespace() || "([*_\"\'~#@—–|:,".contains(before));
        if begins && let Some((date, len)) = day_at(&text[at..], year) {
            return Some((date, at..at + len));
        }
        before = c;
    }
    None
}

/// Reads a day at the beginning of a text in any language, and how many bytes it takes.
fn day_at(text: &str, year: i16) -> Option<(Date, usize)> {
    if !text.starts_with(char::is_alphanumeric) || !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut languages = LANGUAGES.iter();
    let led = languages.find_map(|&language| match when::leading(text, Some(year), language) {
        Leading::Day(date, rest) => {
            let written = &text[..text.len() - rest.len()];
            Some((date, written.trim_end_matches([',', ' ']).len()))
        }
        Leading::Impossible(_) | Leading::Nothing => None,
    });
    led.or_else(|| slashed(text))
}

/// "25/03/2026", where only one order of day and month gives a day.
fn slashed(text: &str) -> Option<(Date, usize)> {
    let len = text.find(|c: char| !(c.is_ascii_digit() || c == '/')).unwrap_or(text.len());
    let figure = &text[..len];
    if figure.len() < 8 || figure.matches('/').count() != 2 {
        return None;
    }
    let reader = Reader {
        now: Date::constant(2000, 1, 1).to_datetime(Time::midnight()),
        zone: TimeZone::UTC,
        order: DayOrder::DayFirst,
        language: when::ENGLISH,
        week_starts: Weekday::Monday,
    };
    let found = when::explain(figure, &reader).ok()?;
    let is_open = |one: &Assumption| {
        matches!(one, Assumption::ReadersOrder(_) | Assumption::Century(_) | Assumption::Year(_))
    };
    match found.when {
        When::Day(day) if !found.assumed.iter().any(is_open) => Some((day, len)),
        _ => None,
    }
}

/// Returns whether a text starts with the name of a month.
pub fn opens_with_month(text: &str) -> bool {
    let name: String =
        text.trim_start().chars().take(12).take_while(|c| c.is_alphabetic()).collect();
    LANGUAGES.iter().any(|language| language.names_a_month(&name))
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
            ("Mon 3 March", Some(date(2018, 3, 3)), Some("Mon 3 March")),
            ("20.03.2026", Some(date(2026, 3, 20)), Some("20.03.2026")),
            ("Version 2.3.4", None, None),
            ("03/04/2026", None, None),
            ("25/03/2026", Some(date(2026, 3, 25)), Some("25/03/2026")),
            ("Montag, 5. März 2018", Some(date(2018, 3, 5)), Some("Montag, 5. März 2018")),
            ("Réunion du 3 avril 2018", Some(date(2018, 4, 3)), Some("3 avril 2018")),
            ("Feb 30", None, None),
        ] {
            let stamp = heading(text, above, date(2026, 1, 1)).unwrap_or_default();
            assert_eq!((stamp.on, stamp.rendered().as_deref()), (on, shown), "{text}");
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
