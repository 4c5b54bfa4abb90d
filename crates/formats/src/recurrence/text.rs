//! Rules as RFC 5545 writes them.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::error::{PARTS, RuleError};
use super::rule::{End, Frequency, NthWeekday, RecurrenceRule, RuleParts, Until};
use crate::when::Weekday;

/// The longest text that is read as a rule. Units: bytes. One with every list full is shorter.
const LONGEST: usize = 8_192;

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("MO", Weekday::Monday),
    ("TU", Weekday::Tuesday),
    ("WE", Weekday::Wednesday),
    ("TH", Weekday::Thursday),
    ("FR", Weekday::Friday),
    ("SA", Weekday::Saturday),
    ("SU", Weekday::Sunday),
];

/// Reads the value of an `RRULE` property. Letter case, the order of the parts, and `RRULE:` in front
/// do not matter.
impl FromStr for RecurrenceRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(RuleError::TooLong { length: text.len(), most: LONGEST });
        }
        let upper = text.to_ascii_uppercase();
        let value = upper.strip_prefix("RRULE:").unwrap_or(&upper).trim();
        let value = value.strip_suffix(';').unwrap_or(value);
        if value.is_empty() {
            return Err(RuleError::Empty);
        }
        let mut seen: [Option<&str>; PARTS.len()] = [None; PARTS.len()];
        for part in value.split(';') {
            let Some((name, value)) = part.split_once('=') else {
                return Err(RuleError::NotAPart { part: short(part) });
            };
            let Some(at) = PARTS.iter().position(|known| *known == name.trim()) else {
                return Err(RuleError::UnknownPart { name: short(name.trim()) });
            };
            if seen[at].replace(value.trim()).is_some() {
                return Err(RuleError::Twice { name: PARTS[at] });
            }
        }
        let [freq, until, count, interval, rest @ ..] = seen;
        let [month, week, year_day, month_day, day, hour, minute, second, position, week_start] =
            rest;
        let frequency = frequency(freq.ok_or(RuleError::NoFrequency)?)?;
        let end = match (until, count) {
            (Some(_), Some(_)) => {
                return Err(RuleError::NotAllowed {
                    name: "COUNT",
                    why: "a rule ends by COUNT or by UNTIL, not by both",
                });
            }
            (Some(text), None) => End::Until(until_from(text)?),
            (None, Some(text)) => End::Count(number("COUNT", text)?),
            (None, None) => End::Never,
        };
        Self::new(RuleParts {
            end,
            months: numbers("BYMONTH", month)?,
            weeks: numbers("BYWEEKNO", week)?,
            year_days: numbers("BYYEARDAY", year_day)?,
            month_days: numbers("BYMONTHDAY", month_day)?,
            weekdays: nth_weekdays(day)?,
            hours: numbers("BYHOUR", hour)?,
            minutes: numbers("BYMINUTE", minute)?,
            seconds: numbers("BYSECOND", second)?,
            positions: numbers("BYSETPOS", position)?,
            week_start: match week_start {
                Some(text) => weekday("WKST", text)?,
                None => Weekday::Monday,
            },
            ..RuleParts::every(
                frequency,
                match interval {
                    Some(text) => number("INTERVAL", text)?,
                    None => 1,
                },
            )
        })
    }
}

/// Writes the one canonical form: parts in the order of [`PARTS`], numbers in rising order with those that
/// count from the end last (`1,15,-2,-1`), `BYDAY` by number and then by weekday from Monday
/// (`SA,1MO,1FR,-1MO`), `INTERVAL=1` and `WKST=MO` left out.
impl fmt::Display for RecurrenceRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts();
        write!(f, "FREQ={}", parts.frequency)?;
        match parts.end {
            End::Never => {}
            End::Count(count) => write!(f, ";COUNT={count}")?,
            End::Until(Until::Day(day)) => write!(f, ";UNTIL={}", day.strftime("%Y%m%d"))?,
            End::Until(Until::Local(at)) => {
                write!(f, ";UNTIL={}", at.strftime("%Y%m%dT%H%M%S"))?;
            }
            End::Until(Until::Utc(at)) => {
                let at = TimeZone::UTC.to_datetime(at);
                write!(f, ";UNTIL={}Z", at.strftime("%Y%m%dT%H%M%S"))?;
            }
        }
        if parts.interval != 1 {
            write!(f, ";INTERVAL={}", parts.interval)?;
        }
        let list = |f: &mut fmt::Formatter<'_>, name: &str, numbers: &[i16]| {
            for (n, number) in numbers.iter().enumerate() {
                if n == 0 {
                    write!(f, ";{name}={number}")?;
                } else {
                    write!(f, ",{number}")?;
                }
            }
            Ok(())
        };
        list(f, "BYMONTH", &parts.months)?;
        list(f, "BYWEEKNO", &parts.weeks)?;
        list(f, "BYYEARDAY", &parts.year_days)?;
        list(f, "BYMONTHDAY", &parts.month_days)?;
        for (n, day) in parts.weekdays.iter().enumerate() {
            f.write_str(if n == 0 { ";BYDAY=" } else { "," })?;
            if let Some(nth) = day.nth {
                write!(f, "{nth}")?;
            }
            f.write_str(short_name(day.day))?;
        }
        list(f, "BYHOUR", &parts.hours)?;
        list(f, "BYMINUTE", &parts.minutes)?;
        list(f, "BYSECOND", &parts.seconds)?;
        list(f, "BYSETPOS", &parts.positions)?;
        if parts.week_start != Weekday::Monday {
            write!(f, ";WKST={}", short_name(parts.week_start))?;
        }
        Ok(())
    }
}

fn short_name(day: Weekday) -> &'static str {
    WEEKDAYS.iter().find(|(_, known)| *known == day).map_or("MO", |(name, _)| name)
}

fn frequency(value: &str) -> Result<Frequency, RuleError> {
    if value == "SECONDLY" {
        return Err(RuleError::Secondly);
    }
    value.parse().map_err(|_| RuleError::UnknownFrequency { value: short(value) })
}

fn number(name: &'static str, text: &str) -> Result<u32, RuleError> {
    let expected = "write a whole number from 1";
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(RuleError::NotAValue { name, value: short(text), expected });
    }
    // A number that no machine counts to is out of range, whatever it is.
    Ok(text.parse().unwrap_or(u32::MAX))
}

fn numbers(name: &'static str, text: Option<&str>) -> Result<Vec<i16>, RuleError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    text.split(',').map(|one| signed(name, one.trim())).collect()
}

fn signed(name: &'static str, text: &str) -> Result<i16, RuleError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let expected = "write whole numbers with commas between them";
        return Err(RuleError::NotAValue { name, value: short(text), expected });
    }
    let n: i16 = digits.parse().unwrap_or(i16::MAX);
    Ok(if text.starts_with('-') { -n } else { n })
}

fn weekday(name: &'static str, text: &str) -> Result<Weekday, RuleError> {
    let known = WEEKDAYS.iter().find(|(known, _)| *known == text);
    known.map(|(_, day)| *day).ok_or_else(|| RuleError::NotAValue {
        name,
        value: short(text),
        expected: "weekdays are MO, TU, WE, TH, FR, SA and SU",
    })
}

fn nth_weekdays(text: Option<&str>) -> Result<Vec<NthWeekday>, RuleError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let one = |text: &str| {
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let day = weekday("BYDAY", &text[split..])?;
        if split == 0 {
            return Ok(NthWeekday::each(day));
        }
        let value = signed("BYDAY", &text[..split])?;
        let nth = i8::try_from(value).map_err(|_| RuleError::OutOfRange {
            name: "BYDAY",
            value: value.into(),
            expected: "number weekdays 1 to 53, or -53 to -1",
        })?;
        Ok(NthWeekday { nth: Some(nth), day })
    };
    text.split(',').map(|part| one(part.trim())).collect()
}

fn until_from(text: &str) -> Result<Until, RuleError> {
    let refuse = || RuleError::NotAValue {
        name: "UNTIL",
        value: short(text),
        expected: "write a day like 20261231, or a time like 20261231T235900 or 20261231T225900Z",
    };
    let bytes = text.as_bytes();
    let figures = |from: usize, to: usize| -> Option<i16> {
        let part = bytes.get(from..to).filter(|part| part.iter().all(u8::is_ascii_digit))?;
        std::str::from_utf8(part).ok()?.parse().ok()
    };
    let small = |from: usize| figures(from, from + 2).and_then(|n| i8::try_from(n).ok());
    let day = || Date::new(figures(0, 4)?, small(4)?, small(6)?).ok();
    let time = || -> Option<DateTime> {
        // Second 60 is the last one of the minute.
        let second = small(13).filter(|second| *second <= 60)?.min(59);
        (bytes.get(8) == Some(&b'T')).then_some(())?;
        let time = jiff::civil::Time::new(small(9)?, small(11)?, second, 0).ok()?;
        Some(day()?.to_datetime(time))
    };
    match bytes.len() {
        8 => day().map(Until::Day).ok_or_else(refuse),
        15 => time().map(Until::Local).ok_or_else(refuse),
        16 if bytes[15] == b'Z' => {
            let at = time().and_then(|at| TimeZone::UTC.to_timestamp(at).ok());
            at.map(Until::Utc).ok_or_else(refuse)
        }
        _ => Err(refuse()),
    }
}

/// The beginning of a text, for a message.
fn short(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
