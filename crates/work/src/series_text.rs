//! A series as text: the properties that an event of iCalendar has, one on a line.
//!
//! `DTSTART` says the first time and its clock, `RRULE` how it goes on:
//!
//! ```text
//! DTSTART;TZID=Europe/Berlin:20260302T090000
//! RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR
//! ```

use dormouse_formats::recurrence::{Clock, Person, RecurrenceRule, RuleError, Series, UnknownZone};
use jiff::civil::{Date, DateTime};

/// A text that is no series.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeriesTextError {
    /// It has no start.
    #[error("the schedule has no DTSTART")]
    NoStart,
    /// The start cannot be read.
    #[error("`{text}` is no start: write 20260302T090000, or 20260302 for whole days")]
    Start {
        /// What is written.
        text: String,
    },
    /// A line is neither.
    #[error("`{line}` is neither DTSTART nor RRULE")]
    Unknown {
        /// The line.
        line: String,
    },
    /// The zone is unknown.
    #[error(transparent)]
    Zone(#[from] UnknownZone),
    /// The rule cannot be used.
    #[error(transparent)]
    Rule(#[from] RuleError),
}

const DAY: &str = "%Y%m%d";
const TIME: &str = "%Y%m%dT%H%M%S";

/// Writes a series. Exceptions and suspensions are not part of it.
pub fn write(series: &Series) -> String {
    let start = series.start();
    let start = match series.clock() {
        Clock::Day => format!("DTSTART;VALUE=DATE:{}", start.strftime(DAY)),
        Clock::Floating => format!("DTSTART:{}", start.strftime(TIME)),
        Clock::Zone(zone) => format!("DTSTART;TZID={}:{}", zone.name(), start.strftime(TIME)),
    };
    match series.rule() {
        Some(rule) => format!("{start}\nRRULE:{rule}"),
        None => start,
    }
}

/// Reads a series that [`write`] wrote.
///
/// Errors: a line that is no such property, an unknown zone, a rule that does not hold.
pub fn read(text: &str, person: &Person) -> Result<Series, SeriesTextError> {
    let (mut start, mut rule) = (None, None);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(value) = line.strip_prefix("RRULE:") {
            rule = Some(value.parse::<RecurrenceRule>()?);
        } else if let Some(rest) = line.strip_prefix("DTSTART") {
            start = Some(read_start(rest)?);
        } else {
            return Err(SeriesTextError::Unknown { line: line.chars().take(60).collect() });
        }
    }
    let (start, clock) = start.ok_or(SeriesTextError::NoStart)?;
    Ok(match rule {
        Some(rule) => Series::new(start, clock, rule, person)?,
        None => Series::once(start, clock),
    })
}

fn read_start(rest: &str) -> Result<(DateTime, Clock), SeriesTextError> {
    let wrong = || SeriesTextError::Start { text: rest.chars().take(60).collect() };
    let (params, value) = rest.rsplit_once(':').ok_or_else(wrong)?;
    let time = || DateTime::strptime(TIME, value).map_err(|_| wrong());
    match params.strip_prefix(';').and_then(|param| param.split_once('=')) {
        None if params.is_empty() => Ok((time()?, Clock::Floating)),
        Some(("VALUE", "DATE")) => {
            let day = Date::strptime(DAY, value).map_err(|_| wrong())?;
            Ok((day.at(0, 0, 0, 0), Clock::Day))
        }
        Some(("TZID", "UTC")) => Ok((time()?, Clock::utc())),
        Some(("TZID", zone)) => Ok((time()?, Clock::named(zone)?)),
        Some(_) | None => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Time, date};
    use jiff::tz::TimeZone;

    use super::*;

    fn person() -> Person {
        Person { zone: TimeZone::UTC, day_due_at: Time::constant(8, 0, 0, 0) }
    }

    #[test]
    fn a_series_is_read_as_it_was_written() {
        let start = date(2026, 3, 2).at(9, 0, 0, 0);
        let rule = "FREQ=WEEKLY;BYDAY=MO,FR".parse::<RecurrenceRule>().expect("a rule");
        let berlin = Clock::named("europe/berlin").expect("a zone");
        for clock in [Clock::Floating, Clock::Day, berlin, Clock::utc()] {
            let often = Series::new(start, clock.clone(), rule.clone(), &person()).expect("holds");
            for series in [often, Series::once(start, clock)] {
                let text = write(&series);
                assert_eq!(read(&text, &person()).as_ref(), Ok(&series), "{text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let error = |text: &str| read(text, &person()).expect_err(text).to_string();
        assert_eq!(error("RRULE:FREQ=DAILY"), "the schedule has no DTSTART");
        assert_eq!(
            error("DTSTART:tomorrow"),
            "`:tomorrow` is no start: write 20260302T090000, or 20260302 for whole days"
        );
        assert!(error("DTSTART;TZID=Mars/Base:20260302T090000").contains("`Mars/Base`"));
        assert!(error("DTSTART:20260302T090000\nRRULE:FREQ=SECONDLY").contains("SECONDLY"));
        assert!(error("DTSTART:20260302T090000\nSUMMARY:x").contains("neither DTSTART nor RRULE"));
    }
}
