//! Parses the values of a body and collects the errors.

use std::fmt::Display;
use std::str::FromStr;

use dormouse_types::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Deserializer};

use crate::Problem;
use crate::problem::Invalid;

/// Parses one body, collecting errors.
#[derive(Default)]
pub(crate) struct Reading {
    invalid: Vec<Invalid>,
}

impl Reading {
    /// Parses a value of a closed list, or records an error.
    pub(crate) fn parse<T: FromStr<Err: Display>>(
        &mut self,
        pointer: &str,
        text: Option<String>,
    ) -> Option<T> {
        self.keep(pointer, T::from_str(&text?))
    }

    /// Looks up a name, or records an error.
    pub(crate) fn one_of<T: Copy>(
        &mut self,
        pointer: &str,
        text: &str,
        known: &[(&str, T)],
    ) -> Option<T> {
        let found = known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let shown: String = text.chars().take(60).collect();
        self.keep(pointer, found.ok_or(format!("`{shown}` is not one of {}", names.join(", "))))
    }

    /// Parses a calendar date, or records an error.
    pub(crate) fn day(&mut self, pointer: &str, text: Option<String>) -> Option<Date> {
        let text = text?;
        let shown: String = text.chars().take(60).collect();
        let message = format!("`{shown}` is not a valid date: write YYYY-MM-DD");
        self.keep(pointer, strict_day(&text).ok_or(message))
    }

    /// Parses a time, or records an error.
    pub(crate) fn time(&mut self, pointer: &str, text: Option<String>) -> Option<Timestamp> {
        let text = text?;
        let shown: String = text.chars().take(60).collect();
        let message =
            format!("`{shown}` is not a valid time: write RFC 3339, such as 2026-03-01T18:00:00Z");
        let time = text.parse().map(Timestamp::from_jiff);
        self.keep(pointer, time.map_err(|_| message))
    }

    /// Parses a value that `null` clears.
    pub(crate) fn clearable<T, U>(
        &mut self,
        value: Option<Option<T>>,
        read: impl FnOnce(&mut Self, Option<T>) -> Option<U>,
    ) -> Option<Option<U>> {
        match value {
            None => None,
            Some(None) => Some(None),
            Some(Some(value)) => Some(read(self, Some(value))),
        }
    }

    /// Records an error.
    pub(crate) fn refuse(&mut self, pointer: &str, message: &str) {
        self.invalid.push(Invalid { pointer: pointer.to_owned(), message: message.to_owned() });
    }

    fn keep<T>(&mut self, pointer: &str, read: Result<T, impl Display>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                self.invalid
                    .push(Invalid { pointer: pointer.to_owned(), message: error.to_string() });
                None
            }
        }
    }

    /// Returns the value built from all parsed fields, or all recorded errors.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Problem> {
        if self.invalid.is_empty() { Ok(value) } else { Err(Problem::all_invalid(self.invalid)) }
    }
}

/// Distinguishes a `null` value from one that is left out.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Parses a date `YYYY-MM-DD`. A date with a time is refused, because the time would be lost.
fn strict_day(text: &str) -> Option<Date> {
    let date: Date = text.parse().ok()?;
    (date.to_string() == text).then_some(date)
}

#[cfg(test)]
mod tests {
    use dormouse_types::task::Status;

    use super::*;

    #[test]
    fn all_wrong_values_are_named_at_once() {
        let mut reading = Reading::default();
        let status: Option<Status> = reading.parse("/status", Some("finished".into()));
        let day = reading.day("/dueOn", Some("2026-02-30".into()));
        assert_eq!((status, day), (None, None));
        let problem = reading.finish(()).unwrap_err();
        assert_eq!(problem.extra["errors"].as_array().map(Vec::len), Some(2));
        assert!(problem.detail.contains("`finished`") && problem.detail.contains("2026-02-30"));
    }

    #[test]
    fn only_a_day_is_a_day() {
        assert_eq!(strict_day("2026-03-20"), Some(jiff::civil::date(2026, 3, 20)));
        for text in ["2026-02-30", "2026-03-20T10:00", "20260320", "tomorrow", ""] {
            assert_eq!(strict_day(text), None, "{text}");
        }
    }
}
