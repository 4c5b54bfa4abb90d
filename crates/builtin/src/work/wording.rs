//! Days, lengths of time and texts of tasks in words.

use dormouse_formats::sanitise;
use dormouse_types::work_facts::TaskFacts;
use jiff::civil::{Date, Time};

use crate::lang::work::Say;

/// Units: characters. What is longer is cut in a line.
const LONGEST_TITLE: usize = 120;
/// Units: characters.
const LONGEST_REASON: usize = 160;

/// The words of a language on a day.
#[derive(Debug, Clone, Copy)]
pub struct Wording {
    pub say: &'static Say,
    /// The day of the text.
    pub today: Date,
}

impl Wording {
    /// "Friday, 20 November".
    pub fn long_day(&self, day: Date) -> String {
        self.day_in(self.say.day_long, &self.say.weekdays, &self.say.months, day)
    }

    /// "Fri 20 Nov"; a day of another year as "20 Nov 2025".
    pub fn short_day(&self, day: Date) -> String {
        if day.year() != self.today.year() {
            return self.dated(day);
        }
        let say = self.say;
        self.day_in(say.day_short, &say.weekdays_short, &say.months_short, day)
    }

    /// "20 Nov 2025": for a text that is kept.
    pub fn dated(&self, day: Date) -> String {
        let year = day.year().to_string();
        let text = self.day_in(
            self.say.day_of_year,
            &self.say.weekdays_short,
            &self.say.months_short,
            day,
        );
        fill(&text, &[("year", &year)])
    }

    /// "Today", "tomorrow", "yesterday", else the day.
    pub fn near_day(&self, day: Date) -> String {
        match self.days_until(day) {
            0 => self.say.today.to_owned(),
            1 => self.say.tomorrow.to_owned(),
            -1 => self.say.yesterday.to_owned(),
            _ => self.short_day(day),
        }
    }

    /// "In 3 days", "tomorrow", "2 days ago".
    pub fn distance(&self, day: Date) -> String {
        let days = self.days_until(day);
        let n = usize::try_from(days.unsigned_abs()).unwrap_or(usize::MAX);
        match days {
            -1..=1 => self.near_day(day),
            2.. => self.say.ahead.of(n),
            ..=-2 => self.say.ago.of(n),
        }
    }

    /// How long ago a day is: "4 days".
    pub fn since(&self, day: Date) -> String {
        self.days(self.days_since(day))
    }

    /// "4 days".
    pub fn days(&self, n: i64) -> String {
        self.say.days.of(usize::try_from(n).unwrap_or_default())
    }

    /// How long it has lasted since a day: "(4 days)"; nothing if that is today.
    pub fn lasted(&self, since: Date) -> Option<String> {
        let days = usize::try_from(self.days_since(since)).unwrap_or_default();
        (days > 0).then(|| self.say.lasted.of(days))
    }

    /// Days from today to a day; negative if it has passed.
    pub fn days_until(&self, day: Date) -> i64 {
        days_between(self.today, day)
    }

    /// Days from a day to today.
    pub fn days_since(&self, day: Date) -> i64 {
        days_between(day, self.today)
    }

    /// "2 h 30 min".
    pub fn minutes(&self, minutes: u64) -> String {
        let (h, m) = ((minutes / 60).to_string(), (minutes % 60).to_string());
        let template = match (minutes / 60, minutes % 60) {
            (0, _) => self.say.minutes,
            (_, 0) => self.say.hours,
            (_, _) => self.say.hours_minutes,
        };
        fill(template, &[("h", &h), ("m", &m)])
    }

    /// "One, two and three".
    pub fn joined(&self, parts: &[String]) -> String {
        match parts {
            [] => String::new(),
            [one] => one.clone(),
            [rest @ .., last] => format!("{} {} {last}", rest.join(", "), self.say.and),
        }
    }

    /// A title as it is shown: one line, cut if it is long, never empty.
    pub fn title(&self, title: &str) -> String {
        let title = cut(&sanitise::line(title), LONGEST_TITLE);
        if title.is_empty() { self.say.untitled.to_owned() } else { title }
    }

    fn day_in(
        &self,
        template: &str,
        weekdays: &[&str; 7],
        months: &[&str; 12],
        day: Date,
    ) -> String {
        let weekday = usize::from(day.weekday().to_monday_zero_offset().unsigned_abs()) % 7;
        let month = usize::from(day.month().unsigned_abs()).saturating_sub(1) % 12;
        let number = day.day().to_string();
        let parts =
            [("weekday", weekdays[weekday]), ("day", number.as_str()), ("month", months[month])];
        fill(template, &parts)
    }
}

/// What a blocked task waits for, and how long it has.
pub fn wait(task: &TaskFacts, words: Wording) -> Vec<String> {
    let why = task.status_reason.as_deref().map(reason).filter(|why| !why.is_empty());
    let parts: Vec<String> = why.into_iter().chain(words.lasted(task.status_since)).collect();
    vec![parts.join(" ")]
}

/// A reason or a question as it is shown: one line, cut if it is long.
pub fn reason(text: &str) -> String {
    cut(&sanitise::line(text), LONGEST_REASON)
}

/// "07:30".
pub fn clock(time: Time) -> String {
    time.strftime("%H:%M").to_string()
}

/// Days between two, negative if the second is earlier.
pub fn days_between(from: Date, to: Date) -> i64 {
    from.until(to).map_or(0, |span| i64::from(span.get_days()))
}

/// Fills a template. A value is never searched for placeholders.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        rest = &rest[open..];
        let close = rest.find('}');
        let value = close.and_then(|close| {
            let name = &rest[1..close];
            values.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value, close))
        });
        match value {
            Some((value, close)) => {
                text.push_str(value);
                rest = &rest[close + 1..];
            }
            None => {
                text.push('{');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

fn cut(text: &str, longest: usize) -> String {
    let text = text.trim();
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::lang::work;

    #[test]
    fn days_and_lengths_are_said_as_people_say_them() {
        let english = Wording { say: &work::of("en").say, today: date(2026, 11, 20) };
        let german = Wording { say: &work::of("de-AT").say, ..english };
        assert_eq!(english.long_day(date(2026, 11, 20)), "Friday, 20 November");
        assert_eq!(german.long_day(date(2026, 11, 20)), "Freitag, 20. November");
        assert_eq!(english.short_day(date(2025, 3, 1)), "1 Mar 2025");
        assert_eq!(english.distance(date(2026, 11, 16)), "4 days ago");
        assert_eq!(german.distance(date(2026, 11, 23)), "in 3 Tagen");
        assert_eq!([90, 60, 5].map(|n| english.minutes(n)), ["1 h 30 min", "1 h", "5 min"]);
        let names = ["a", "b", "c"].map(ToOwned::to_owned);
        assert_eq!(english.joined(&names), "a, b and c");
    }

    #[test]
    fn a_value_with_braces_is_not_filled_again() {
        assert_eq!(fill("{a} of {b}", &[("a", "{b}"), ("b", "2")]), "{b} of 2");
        assert_eq!(fill("{unknown} {", &[]), "{unknown} {");
    }
}
