//! Who reads a date.

use dormouse_types::day_order::DayOrder;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::language::Language;
use super::recurrence::Weekday;

/// The person who reads, and when.
#[derive(Debug, Clone)]
pub struct Reader {
    /// What the reader's clock shows.
    pub now: DateTime,
    /// The reader's time zone.
    pub zone: TimeZone,
    /// The order of day and month in figures.
    pub order: DayOrder,
    /// The language that dates are written in.
    pub language: Language,
    /// The first day of the week.
    pub week_starts: Weekday,
}
