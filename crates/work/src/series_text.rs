//! A series as text: the properties that an event of iCalendar has, one on a line.
//!
//! `DTSTART` says the first time and its clock, `RRULE` how it goes on:
//!
//! ```text
//! DTSTART;TZID=Europe/Berlin:20260302T090000
//! RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR
//! ```
//!
//! What is known about single occurrences follows. Its original starts are on the clock of the series:
//!
//! ```text
//! EXDATE:20260303T090000
//! RECURRENCE-ID:20260304T090000
//! DTSTART;TZID=Europe/Berlin:20260304T110000
//! RECURRENCE-ID:20260305T090000
//! STATUS:CANCELLED
//! X-DORMOUSE-OFF:2026-08-01T00:00:00Z/2026-08-08T00:00:00Z
//! ```

use dormouse_formats::recurrence::{
    self, Clock, Exception, Person, RecurrenceRule, RuleError, Series, Start, UnknownZone,
};
use jiff::civil::{Date, DateTime};

/// A text that is no series.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeriesTextError {
    #[error("the schedule has no DTSTART")]
    NoStart,
    /// The start cannot be read.
    #[error("`{text}` is no start: write 20260302T090000, or 20260302 for whole days")]
    Start {
        /// What is written.
        text: String,
    },
    /// A line is no property of a series.
    #[error("`{line}` is no property of a schedule")]
    Unknown { line: String },
    #[error(transparent)]
    Zone(#[from] UnknownZone),
    /// The rule cannot be used.
    #[error(transparent)]
    Rule(#[from] RuleError),
}

const DAY: &str = "%Y%m%d";
const TIME: &str = "%Y%m%dT%H%M%S";
/// Marks the second of two times that a clock shows the same.
const SECOND: &str = ";X-DORMOUSE-SECOND=TRUE";

/// Writes a series.
pub fn write(series: &Series) -> String {
    let mut text = format!("DTSTART{}", on(series.clock(), series.start()));
    if let Some(rule) = series.rule() {
        text += &format!("\nRRULE:{rule}");
    }
    for exception in series.exceptions() {
        text += "\n";
        text += &match exception {
            Exception::Added(at) => format!("RDATE{}", start(at)),
            Exception::Excluded(at) => format!("EXDATE{}", start(at)),
            Exception::ExcludedDay(day) => format!("EXDATE;VALUE=DATE:{}", day.strftime(DAY)),
            Exception::Cancelled(original) => {
                format!("RECURRENCE-ID{}\nSTATUS:CANCELLED", start(original))
            }
            Exception::Moved { original, to, clock } => {
                let second = if to.fold { SECOND } else { "" };
                let to = on(&clock, to.civil);
                format!("RECURRENCE-ID{}\nDTSTART{second}{to}", start(original))
            }
            Exception::Suspended { from, until } => {
                let until = until.map(|until| until.to_string()).unwrap_or_default();
                format!("X-DORMOUSE-OFF:{from}/{until}")
            }
        };
    }
    text
}

/// A time with its clock.
fn on(clock: &Clock, at: DateTime) -> String {
    match clock {
        Clock::Day => format!(";VALUE=DATE:{}", at.strftime(DAY)),
        Clock::Floating => format!(":{}", at.strftime(TIME)),
        Clock::Zone(zone) => format!(";TZID={}:{}", zone.name(), at.strftime(TIME)),
    }
}

/// An original start, which is on the clock of the series.
fn start(start: Start) -> String {
    let second = if start.fold { SECOND } else { "" };
    format!("{second}:{}", start.civil.strftime(TIME))
}

/// Until when a series as text is suspended at an instant; `None` if it is not, or for good. It reads no other
/// line.
pub fn suspended_until(text: &str, now: jiff::Timestamp) -> Option<jiff::Timestamp> {
    let spans = text.lines().filter_map(|line| line.strip_prefix("X-DORMOUSE-OFF:"));
    let spans = spans.filter_map(|span| {
        let (from, until) = span.split_once('/')?;
        let until = (!until.is_empty()).then(|| until.parse().ok());
        Some((from.parse().ok()?, until.map_or(Some(None), |until| until.map(Some))?))
    });
    recurrence::suspended_until(spans, now).flatten()
}

/// Reads a series that [`write`] wrote.
///
/// Errors: a line that is no such property, an unknown zone, a rule that does not hold.
pub fn read(text: &str, person: &Person) -> Result<Series, SeriesTextError> {
    let (mut begin, mut rule, mut exceptions) = (None, None, Vec::new());
    // The occurrence that the next line is about.
    let mut original: Option<Start> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let unknown = || SeriesTextError::Unknown { line: line.chars().take(60).collect() };
        let end = line.find([':', ';']).ok_or_else(unknown)?;
        let (name, rest) = line.split_at(end);
        match (name, original.take()) {
            ("DTSTART", None) => begin = Some(read_start(rest)?),
            ("DTSTART", Some(original)) => {
                let (fold, rest) = match rest.strip_prefix(SECOND) {
                    Some(rest) => (true, rest),
                    None => (false, rest),
                };
                let (civil, clock) = read_start(rest)?;
                exceptions.push(Exception::Moved { original, to: Start { civil, fold }, clock });
            }
            ("STATUS", Some(original)) if rest == ":CANCELLED" => {
                exceptions.push(Exception::Cancelled(original));
            }
            ("RRULE", None) => rule = Some(rest[1..].parse::<RecurrenceRule>()?),
            ("RDATE", None) => exceptions.push(Exception::Added(read_original(rest)?)),
            ("EXDATE", None) => exceptions.push(match rest.strip_prefix(";VALUE=DATE:") {
                Some(_) => Exception::ExcludedDay(read_start(rest)?.0.date()),
                None => Exception::Excluded(read_original(rest)?),
            }),
            ("RECURRENCE-ID", None) => original = Some(read_original(rest)?),
            ("X-DORMOUSE-OFF", None) => {
                let (from, until) = rest[1..].split_once('/').ok_or_else(unknown)?;
                let from = from.parse().map_err(|_| unknown())?;
                let until = (!until.is_empty()).then(|| until.parse().map_err(|_| unknown()));
                exceptions.push(Exception::Suspended { from, until: until.transpose()? });
            }
            _ => return Err(unknown()),
        }
    }
    let (start, clock) = begin.ok_or(SeriesTextError::NoStart)?;
    let mut series = match rule {
        Some(rule) => Series::new(start, clock, rule, person)?,
        None => Series::once(start, clock),
    };
    exceptions.into_iter().for_each(|one| series.except(one));
    Ok(series)
}

fn wrong(rest: &str) -> SeriesTextError {
    SeriesTextError::Start { text: rest.chars().take(60).collect() }
}

fn read_original(rest: &str) -> Result<Start, SeriesTextError> {
    let (fold, value) = match rest.strip_prefix(SECOND) {
        Some(value) => (true, value),
        None => (false, rest),
    };
    let value = value.strip_prefix(':').ok_or_else(|| wrong(rest))?;
    let civil = DateTime::strptime(TIME, value).map_err(|_| wrong(rest))?;
    Ok(Start { civil, fold })
}

fn read_start(rest: &str) -> Result<(DateTime, Clock), SeriesTextError> {
    let (params, value) = rest.rsplit_once(':').ok_or_else(|| wrong(rest))?;
    let time = || DateTime::strptime(TIME, value).map_err(|_| wrong(rest));
    match params.strip_prefix(';').and_then(|param| param.split_once('=')) {
        None if params.is_empty() => Ok((time()?, Clock::Floating)),
        Some(("VALUE", "DATE")) => {
            let day = Date::strptime(DAY, value).map_err(|_| wrong(rest))?;
            Ok((day.at(0, 0, 0, 0), Clock::Day))
        }
        Some(("TZID", "UTC")) => Ok((time()?, Clock::utc())),
        Some(("TZID", zone)) => Ok((time()?, Clock::named(zone)?)),
        Some(_) | None => Err(wrong(rest)),
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
    fn what_is_known_about_single_occurrences_is_read_as_it_was_written() {
        let rule = "FREQ=DAILY".parse::<RecurrenceRule>().expect("a rule");
        let berlin = Clock::named("Europe/Berlin").expect("a zone");
        let start = date(2026, 3, 2).at(9, 0, 0, 0);
        let on = |day| Start::at(date(2026, 3, day).at(9, 0, 0, 0));
        let to = Start::at(date(2026, 3, 9).at(0, 0, 0, 0));
        let second = Start { fold: true, ..to };
        let at = |text: &str| text.parse().expect("an instant");
        for clock in [Clock::Floating, Clock::Day, berlin.clone(), Clock::utc()] {
            let mut series =
                Series::new(start, clock.clone(), rule.clone(), &person()).expect("holds");
            for exception in [
                Exception::Added(on(3)),
                Exception::Excluded(on(4)),
                Exception::ExcludedDay(date(2026, 3, 5)),
                Exception::Cancelled(Start { fold: true, ..on(6) }),
                Exception::Moved { original: on(7), to, clock },
                Exception::Moved { original: on(8), to, clock: berlin.clone() },
                Exception::Moved { original: on(10), to: second, clock: berlin.clone() },
                Exception::Moved { original: on(11), to: second, clock: Clock::Floating },
                Exception::Suspended { from: at("2026-04-01T00:00:00.5Z"), until: None },
                Exception::Suspended {
                    from: at("2026-04-01T00:00:00Z"),
                    until: Some(at("2026-04-08T00:00:00Z")),
                },
            ] {
                series.except(exception);
            }
            let text = write(&series);
            assert_eq!(text.lines().count(), 17, "{text}");
            assert_eq!(read(&text, &person()).as_ref(), Ok(&series), "{text}");
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
        assert!(error("DTSTART:20260302T090000\nSUMMARY:x").contains("no property of a schedule"));
    }
}
