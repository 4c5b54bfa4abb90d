//! Days of the calendar, and what is wrong with those that it does not have.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Time};

use super::error::NotUnderstood;
use super::recurrence::{Weekday, is_working};
use super::words::{Shift, Unit};

pub(super) type Result<T> = std::result::Result<T, NotUnderstood>;

/// The year of this century, or of the one before if it is far ahead: '69 has passed in 2026.
pub(super) fn century(year: i16, today: i16) -> i16 {
    const FARTHEST: i16 = 20;
    if year > today + FARTHEST { year - 100 } else { year }
}

pub(super) fn weekday(number: i8) -> Option<Weekday> {
    Weekday::ALL.get(usize::try_from(number).ok()?).copied()
}

pub(super) fn plus(day: Date, by: jiff::Span) -> Result<Date> {
    let sum = day.checked_add(by).map_err(|_| NotUnderstood::TooFar)?;
    if (1..=9998).contains(&sum.year()) { Ok(sum) } else { Err(NotUnderstood::TooFar) }
}

pub(super) fn span(n: i64, unit: Unit) -> jiff::Span {
    // Figures in a pattern have at most four digits.
    let n = n.clamp(-9999, 9999);
    match unit {
        Unit::Minute => n.minutes(),
        Unit::Hour => n.hours(),
        Unit::Day | Unit::WorkingDay => n.days(),
        Unit::Week | Unit::Weekend => n.weeks(),
        Unit::Fortnight => (2 * n).weeks(),
        Unit::Month => n.months(),
        Unit::Quarter => (3 * n).months(),
        Unit::Year => n.years(),
    }
}

pub(super) fn months_ahead(shift: Shift) -> (i64, bool) {
    match shift {
        Shift::This => (0, false),
        Shift::Next | Shift::Coming => (1, false),
        Shift::Last => (-1, true),
    }
}

pub(super) fn iso_week(year: i16, week: i8, day: i8, text: &str) -> Result<Date> {
    let none = || NotUnderstood::NoSuchDay {
        text: short(text),
        why: format!("{year} has no such week, or a week no such day"),
    };
    let weekday = weekday(day - 1).ok_or_else(none)?;
    let date = jiff::civil::ISOWeekDate::new(year, week, weekday.civil()).map_err(|_| none())?;
    Ok(date.date())
}

pub(super) fn time_on(day: Date, hour: u8, minute: u8, second: u8) -> Result<DateTime> {
    let (day, hour) = if hour == 24 { (plus(day, 1.day())?, 0) } else { (day, hour) };
    let part = |n: u8| i8::try_from(n).unwrap_or(0);
    let time = Time::new(part(hour), part(minute), part(second), 0);
    time.map(|time| day.to_datetime(time)).map_err(|_| NotUnderstood::TooFar)
}

pub(super) fn calendar(year: u16, month: u16, day: u16) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

pub(super) fn date(year: i16, month: i8, day: i8, text: &str) -> Result<Date> {
    Date::new(year, month, day).map_err(|_| no_such_day(Some(year), month, day, text))
}

/// Says what is wrong with a day that is not in the calendar.
pub(super) fn no_such_day(year: Option<i16>, month: i8, day: i8, text: &str) -> NotUnderstood {
    let why = match Date::new(year.unwrap_or(2024), month, 1) {
        Err(_) => "there are 12 months".to_owned(),
        Ok(first) if day < 1 => {
            format!("a month has no day 0, and month {} begins with day 1", first.month())
        }
        Ok(first) => {
            let days = first.days_in_month();
            match year {
                Some(year) => format!("month {month} of {year} has {days} days"),
                None => format!("month {month} has {days} days at most"),
            }
        }
    };
    NotUnderstood::NoSuchDay { text: short(text), why }
}

/// The beginning of a text, for a message.
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) fn working_days_ahead(from: Date, n: i64) -> Result<Date> {
    // From a weekend it is counted as from the Friday before; back, from the Monday after.
    let mut start = from;
    while n != 0 && !is_working(start) {
        start = plus(start, if n < 0 { 1.day() } else { (-1).days() })?;
    }
    let (weeks, days) = (n / 5, n % 5);
    let mut day = plus(start, weeks.weeks())?;
    let mut left = days.abs();
    while left > 0 || !is_working(day) {
        day = plus(day, if n < 0 { (-1).days() } else { 1.day() })?;
        left -= i64::from(is_working(day) && left > 0);
    }
    Ok(day)
}
