//! A recurrence rule as values.

use std::fmt;

use dormouse_types::closed_list;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};

use super::error::RuleError;
use crate::when::Weekday;

/// The largest `INTERVAL`. A week has 10,080 minutes, so the usual rules in minutes fit.
pub const MAX_INTERVAL: u32 = 50_000;

/// The largest `COUNT`. Counting is the one thing that may have to begin at the start of a series.
pub const MAX_COUNT: u32 = 100_000;

closed_list! {
    /// How long a period of a rule is.
    pub enum Frequency, "frequency of a rule" {
        /// Minutes that have passed.
        Minutely = "MINUTELY",
        /// Hours that have passed.
        Hourly = "HOURLY",
        /// Days of the calendar.
        Daily = "DAILY",
        /// Weeks, which begin on [`RuleParts::week_start`].
        Weekly = "WEEKLY",
        /// Months of the calendar.
        Monthly = "MONTHLY",
        /// Years of the calendar.
        Yearly = "YEARLY",
    }
}

impl Frequency {
    /// Whether its periods are lengths of time, which a change of the clock does not stretch.
    pub fn is_elapsed(self) -> bool {
        matches!(self, Self::Minutely | Self::Hourly)
    }
}

/// Where a rule ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum End {
    /// Nowhere.
    #[default]
    Never,
    /// After so many occurrences; those that are excluded later count.
    Count(u32),
    /// After this time; an occurrence at the time itself happens.
    Until(Until),
}

/// The last moment of a rule, in any of the three forms that calendars write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// The whole day is part of it.
    Day(Date),
    /// A time on the clock of the series.
    Local(DateTime),
    /// An instant.
    Utc(Timestamp),
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::Local(at) => write!(f, "{}", at.strftime("%Y-%m-%d %H:%M")),
            Self::Utc(at) => write!(f, "{at}"),
        }
    }
}

/// A weekday, or the nth such weekday of a month or a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NthWeekday {
    /// From 1, or from -1 at the end; `None` is each one.
    pub nth: Option<i8>,
    pub day: Weekday,
}

impl NthWeekday {
    /// Each such weekday.
    pub fn each(day: Weekday) -> Self {
        Self { nth: None, day }
    }

    /// The order in a rule: those without a number, those counted from the beginning, those
    /// counted from the end with -1 last; among equal numbers in the order of the week from Monday.
    fn place(self) -> (i32, Weekday) {
        (self.nth.map_or(0, |nth| place(i16::from(nth))), self.day)
    }
}

/// The order of a number in a list: from the beginning first, then those that count from the end.
fn place(n: i16) -> i32 {
    if n < 0 { 1_000 + i32::from(n) } else { i32::from(n) }
}

/// The parts of a [`RecurrenceRule`]. The names in RFC 5545 are given with each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleParts {
    /// `FREQ`.
    pub frequency: Frequency,
    /// `INTERVAL`: every how many periods.
    pub interval: u32,
    /// `COUNT` or `UNTIL`.
    pub end: End,
    /// `BYMONTH`, 1 to 12.
    pub months: Vec<i16>,
    /// `BYWEEKNO`, 1 to 53 or -53 to -1.
    pub weeks: Vec<i16>,
    /// `BYYEARDAY`, 1 to 366 or -366 to -1.
    pub year_days: Vec<i16>,
    /// `BYMONTHDAY`, 1 to 31 or -31 to -1.
    pub month_days: Vec<i16>,
    /// `BYDAY`.
    pub weekdays: Vec<NthWeekday>,
    /// `BYHOUR`, 0 to 23.
    pub hours: Vec<i16>,
    /// `BYMINUTE`, 0 to 59.
    pub minutes: Vec<i16>,
    /// `BYSECOND`, 0 to 59; RFC 5545 reads 60 as 59 where there are no leap seconds.
    pub seconds: Vec<i16>,
    /// `BYSETPOS`, 1 to 366 or -366 to -1.
    pub positions: Vec<i16>,
    /// `WKST`.
    pub week_start: Weekday,
}

impl RuleParts {
    /// Every period, for ever.
    pub fn every(frequency: Frequency, interval: u32) -> Self {
        Self {
            frequency,
            interval,
            end: End::Never,
            months: Vec::new(),
            weeks: Vec::new(),
            year_days: Vec::new(),
            month_days: Vec::new(),
            weekdays: Vec::new(),
            hours: Vec::new(),
            minutes: Vec::new(),
            seconds: Vec::new(),
            positions: Vec::new(),
            week_start: Weekday::Monday,
        }
    }
}

/// A recurrence rule of RFC 5545 whose parts fit together.
///
/// Shape: lists are sorted and hold no value twice, so rules that say the same in another order are
/// equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecurrenceRule(RuleParts);

impl RecurrenceRule {
    /// Checks parts and puts their lists in order.
    ///
    /// Errors: a number that its part does not allow, or parts that RFC 5545 does not allow together.
    pub fn new(mut parts: RuleParts) -> Result<Self, RuleError> {
        in_range(&parts)?;
        fit_together(&parts)?;
        for second in &mut parts.seconds {
            *second = (*second).min(59);
        }
        for list in [
            &mut parts.months,
            &mut parts.weeks,
            &mut parts.year_days,
            &mut parts.month_days,
            &mut parts.hours,
            &mut parts.minutes,
            &mut parts.seconds,
            &mut parts.positions,
        ] {
            list.sort_unstable_by_key(|n| place(*n));
            list.dedup();
        }
        parts.weekdays.sort_unstable_by_key(|day| day.place());
        parts.weekdays.dedup();
        Ok(Self(parts))
    }

    /// What it says.
    pub fn parts(&self) -> &RuleParts {
        &self.0
    }

    /// The same rule with another end.
    ///
    /// Errors: a count that is not allowed.
    pub fn ending(&self, end: End) -> Result<Self, RuleError> {
        Self::new(RuleParts { end, ..self.0.clone() })
    }
}

fn in_range(parts: &RuleParts) -> Result<(), RuleError> {
    let refuse = |name, value, expected| Err(RuleError::OutOfRange { name, value, expected });
    if !(1..=MAX_INTERVAL).contains(&parts.interval) {
        return refuse("INTERVAL", parts.interval.into(), "use 1 to 50000");
    }
    if let End::Count(count) = parts.end
        && !(1..=MAX_COUNT).contains(&count)
    {
        return refuse("COUNT", count.into(), "use 1 to 100000, or leave it out to go on for ever");
    }
    let lists: [(&'static str, &[i16], i16, bool, &'static str); 8] = [
        ("BYMONTH", &parts.months, 12, false, "use 1 to 12"),
        ("BYWEEKNO", &parts.weeks, 53, true, "use 1 to 53, or -53 to -1"),
        ("BYYEARDAY", &parts.year_days, 366, true, "use 1 to 366, or -366 to -1"),
        ("BYMONTHDAY", &parts.month_days, 31, true, "use 1 to 31, or -31 to -1"),
        ("BYSETPOS", &parts.positions, 366, true, "use 1 to 366, or -366 to -1"),
        ("BYHOUR", &parts.hours, 23, false, "use 0 to 23"),
        ("BYMINUTE", &parts.minutes, 59, false, "use 0 to 59"),
        ("BYSECOND", &parts.seconds, 60, false, "use 0 to 60"),
    ];
    for (name, list, most, from_end, expected) in lists {
        let is_time = matches!(name, "BYHOUR" | "BYMINUTE" | "BYSECOND");
        let fits = |n: i16| {
            (n == 0 && is_time) || (1..=most).contains(&(if from_end { n.abs() } else { n }))
        };
        if let Some(n) = list.iter().find(|n| !fits(**n)) {
            return refuse(name, (*n).into(), expected);
        }
    }
    if let Some(nth) =
        parts.weekdays.iter().filter_map(|day| day.nth).find(|nth| !(1..=53).contains(&nth.abs()))
    {
        return refuse("BYDAY", nth.into(), "number weekdays 1 to 53, or -53 to -1");
    }
    Ok(())
}

/// The combinations that section 3.3.10 of RFC 5545 forbids.
fn fit_together(parts: &RuleParts) -> Result<(), RuleError> {
    use Frequency::{Daily, Monthly, Weekly, Yearly};
    let refuse = |name, why| Err(RuleError::NotAllowed { name, why });
    let frequency = parts.frequency;
    if !parts.weeks.is_empty() && frequency != Yearly {
        return refuse("BYWEEKNO", "it needs FREQ=YEARLY");
    }
    if !parts.year_days.is_empty() && matches!(frequency, Daily | Weekly | Monthly) {
        return refuse("BYYEARDAY", "it cannot be used with FREQ=DAILY, WEEKLY or MONTHLY");
    }
    if !parts.month_days.is_empty() && frequency == Weekly {
        return refuse("BYMONTHDAY", "it cannot be used with FREQ=WEEKLY");
    }
    if parts.weekdays.iter().any(|day| day.nth.is_some()) {
        if !matches!(frequency, Monthly | Yearly) {
            return refuse("BYDAY", "numbered weekdays such as 2MO need FREQ=MONTHLY or YEARLY");
        }
        if !parts.weeks.is_empty() {
            return refuse("BYDAY", "a weekday of a week in BYWEEKNO has no number");
        }
    }
    let others = [
        &parts.months,
        &parts.weeks,
        &parts.year_days,
        &parts.month_days,
        &parts.hours,
        &parts.minutes,
        &parts.seconds,
    ];
    if !parts.positions.is_empty()
        && parts.weekdays.is_empty()
        && others.iter().all(|list| list.is_empty())
    {
        return refuse(
            "BYSETPOS",
            "it chooses among what another BY part gives, and there is none",
        );
    }
    Ok(())
}
