//! Which days a rule allows, and the periods that its frequency steps through.

use jiff::civil::{Date, DateTime, Time};
use jiff::{SignedDuration, ToSpan};

use super::rule::{Frequency, NthWeekday, RuleParts};
use crate::when::Weekday;

/// The calendar repeats after 400 years: if no day fits in as many, none ever does.
pub(super) const DAYS_OF_400_YEARS: i64 = 146_097;

const EPOCH: Date = Date::constant(1970, 1, 1);

/// Days since 1 January 1970.
pub(super) fn day_number(date: Date) -> i64 {
    date.duration_since(EPOCH).as_secs() / 86_400
}

/// The day with a number; `None` outside of the years -9999 to 9999.
pub(super) fn numbered_day(number: i64) -> Option<Date> {
    EPOCH.checked_add(SignedDuration::from_hours(number.checked_mul(24)?)).ok()
}

/// Days and times that a rule allows, with what its start adds to it.
#[derive(Debug, Clone)]
pub(super) struct DayFilter {
    /// Bit n is month n; none at all is all of them.
    months: u16,
    /// Bit n is day n of a month; bit n of `month_ends` is day -n.
    month_days: u32,
    month_ends: u32,
    /// Bit n is the nth day of the week, from Monday.
    weekdays: u8,
    nth: Vec<(i16, Weekday)>,
    /// Whether numbered weekdays are those of a month; otherwise those of a year.
    nth_in_month: bool,
    year_days: Vec<i16>,
    weeks: Vec<i16>,
    week_start: Weekday,
    is_empty: bool,
}

impl DayFilter {
    /// The days that a rule with this start allows. What a rule leaves open is as in its start.
    pub(super) fn new(parts: &RuleParts, start: Date) -> Self {
        let bits = |list: &[i16], sign: i16| {
            list.iter().filter(|n| **n * sign > 0).fold(0_u32, |bits, n| bits | 1 << n.abs())
        };
        let plain = parts.weekdays.iter().filter(|day| day.nth.is_none());
        let mut filter = Self {
            months: parts.months.iter().fold(0, |bits, n| bits | 1 << n),
            month_days: bits(&parts.month_days, 1),
            month_ends: bits(&parts.month_days, -1),
            weekdays: plain.fold(0, |bits, day| bits | bit(day.day)),
            nth: parts.weekdays.iter().filter_map(nth).collect(),
            nth_in_month: parts.frequency == Frequency::Monthly || !parts.months.is_empty(),
            year_days: parts.year_days.clone(),
            weeks: parts.weeks.clone(),
            week_start: parts.week_start,
            is_empty: false,
        };
        let has_month_day = !parts.month_days.is_empty();
        let has_weekday = !parts.weekdays.is_empty();
        let same_day = 1_u32 << start.day();
        match parts.frequency {
            Frequency::Yearly if has_month_day || has_weekday || !parts.year_days.is_empty() => {}
            Frequency::Yearly if !parts.weeks.is_empty() => {
                filter.weekdays = bit(Weekday::of(start));
            }
            Frequency::Yearly => {
                filter.month_days = same_day;
                if filter.months == 0 {
                    filter.months = 1 << start.month();
                }
            }
            Frequency::Monthly if !has_month_day && !has_weekday => filter.month_days = same_day,
            Frequency::Weekly if !has_weekday => filter.weekdays = bit(Weekday::of(start)),
            Frequency::Minutely
            | Frequency::Hourly
            | Frequency::Daily
            | Frequency::Weekly
            | Frequency::Monthly => {}
        }
        filter.leave_out_months_without_the_day();
        filter
    }

    /// Whether no day of any year fits, which 30 February shows without a look at the calendar.
    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    fn leave_out_months_without_the_day(&mut self) {
        if self.month_days == 0 && self.month_ends == 0 {
            return;
        }
        let fits = |month: &i8| {
            // A leap year has every day that a month can have.
            let days = Date::constant(2024, *month, 1).days_in_month();
            let longest = (1_u64 << (days + 1)) - 2;
            self.has_month(*month) && u64::from(self.month_days | self.month_ends) & longest != 0
        };
        self.months = (1..=12).filter(fits).fold(0, |bits, month| bits | 1 << month);
        self.is_empty = self.months == 0;
    }

    /// Whether a month has any day that fits, as far as the name of the month says.
    pub(super) fn has_month(&self, month: i8) -> bool {
        self.months == 0 || self.months & 1 << month != 0
    }

    /// Whether a day fits.
    pub(super) fn fits(&self, date: Date) -> bool {
        if !self.has_month(date.month()) {
            return false;
        }
        if self.month_days != 0 || self.month_ends != 0 {
            let from_end = date.days_in_month() - date.day() + 1;
            if self.month_days & 1 << date.day() == 0 && self.month_ends & 1 << from_end == 0 {
                return false;
            }
        }
        if (self.weekdays != 0 || !self.nth.is_empty()) && !self.fits_weekday(date) {
            return false;
        }
        if !self.year_days.is_empty() {
            let day = date.day_of_year();
            let from_end = day - date.days_in_year() - 1;
            if !self.year_days.iter().any(|n| *n == day || *n == from_end) {
                return false;
            }
        }
        self.weeks.is_empty() || self.fits_week(date)
    }

    fn fits_weekday(&self, date: Date) -> bool {
        let weekday = Weekday::of(date);
        if self.weekdays & bit(weekday) != 0 {
            return true;
        }
        let (day, days) = if self.nth_in_month {
            (i16::from(date.day()), i16::from(date.days_in_month()))
        } else {
            (date.day_of_year(), date.days_in_year())
        };
        let (nth, from_end) = ((day - 1) / 7 + 1, -((days - day) / 7 + 1));
        self.nth.iter().any(|(n, on)| *on == weekday && (*n == nth || *n == from_end))
    }

    /// The number of the week that a day is in. Week 1 is the first with four days of its year, so
    /// the first days of January can be in the last week of the year before.
    fn fits_week(&self, date: Date) -> bool {
        let into_week = (7 + place(Weekday::of(date)) - place(self.week_start)) % 7;
        let Ok(middle) = date.checked_add((3 - into_week).days()) else { return false };
        let day = middle.day_of_year();
        let first_middle = (day - 1) % 7 + 1;
        let weeks = (middle.days_in_year() - first_middle) / 7 + 1;
        let week = (day - 1) / 7 + 1;
        self.weeks.iter().any(|n| *n == week || *n == week - weeks - 1)
    }
}

fn nth(day: &NthWeekday) -> Option<(i16, Weekday)> {
    day.nth.map(|nth| (i16::from(nth), day.day))
}

fn place(day: Weekday) -> i64 {
    i64::from(day.civil().to_monday_zero_offset())
}

fn bit(day: Weekday) -> u8 {
    1 << place(day)
}

/// Numbers the periods of a frequency, so that an interval is a matter of division.
#[derive(Debug, Clone, Copy)]
pub(super) struct Periods {
    frequency: Frequency,
    week_start: Weekday,
}

impl Periods {
    pub(super) fn new(parts: &RuleParts) -> Self {
        Self { frequency: parts.frequency, week_start: parts.week_start }
    }

    /// The number of the period that a day is in.
    pub(super) fn of(self, date: Date) -> i64 {
        match self.frequency {
            Frequency::Yearly => date.year().into(),
            Frequency::Monthly => i64::from(date.year()) * 12 + i64::from(date.month()) - 1,
            // 1 January 1970 was a Thursday, day 3 of a week from Monday.
            Frequency::Weekly => (day_number(date) + 3 - place(self.week_start)).div_euclid(7),
            Frequency::Daily | Frequency::Hourly | Frequency::Minutely => day_number(date),
        }
    }

    /// The first and the last day of a period; `None` beyond the calendar.
    pub(super) fn days(self, number: i64) -> Option<(Date, Date)> {
        match self.frequency {
            Frequency::Yearly => {
                let first = Date::new(i16::try_from(number).ok()?, 1, 1).ok()?;
                Some((first, first.last_of_year()))
            }
            Frequency::Monthly => {
                let year = i16::try_from(number.div_euclid(12)).ok()?;
                let month = i8::try_from(number.rem_euclid(12)).ok()? + 1;
                let first = Date::new(year, month, 1).ok()?;
                Some((first, first.last_of_month()))
            }
            Frequency::Weekly => {
                let first = number.checked_mul(7)? - 3 + place(self.week_start);
                Some((numbered_day(first)?, numbered_day(first + 6)?))
            }
            Frequency::Daily | Frequency::Hourly | Frequency::Minutely => {
                let day = numbered_day(number)?;
                Some((day, day))
            }
        }
    }

    /// The days of the longest period.
    pub(super) fn most_days(self) -> usize {
        match self.frequency {
            Frequency::Yearly => 366,
            Frequency::Monthly => 31,
            Frequency::Weekly => 7,
            Frequency::Daily | Frequency::Hourly | Frequency::Minutely => 1,
        }
    }

    /// After so many periods in a row without a day, all that follow are without one.
    pub(super) fn until_the_calendar_repeats(self) -> i64 {
        match self.frequency {
            Frequency::Yearly => 400,
            Frequency::Monthly => 4_800,
            Frequency::Weekly => DAYS_OF_400_YEARS / 7,
            Frequency::Daily | Frequency::Hourly | Frequency::Minutely => DAYS_OF_400_YEARS,
        }
    }
}

/// The times of a day that a rule allows, in order, without a list of them: three full lists make 86,400.
#[derive(Debug, Clone)]
pub(super) struct Times {
    hours: Vec<i16>,
    minutes: Vec<i16>,
    seconds: Vec<i16>,
}

impl Times {
    pub(super) fn new(parts: &RuleParts, start: Time) -> Self {
        let or_start = |list: &[i16], start: i8| {
            if list.is_empty() { vec![i16::from(start)] } else { list.to_vec() }
        };
        Self {
            hours: or_start(&parts.hours, start.hour()),
            minutes: or_start(&parts.minutes, start.minute()),
            seconds: or_start(&parts.seconds, start.second()),
        }
    }

    /// Midnight alone: the time of a day without a time.
    pub(super) fn midnight() -> Self {
        Self { hours: vec![0], minutes: vec![0], seconds: vec![0] }
    }

    pub(super) fn len(&self) -> usize {
        self.hours.len() * self.minutes.len() * self.seconds.len()
    }

    /// The nth time of a day.
    pub(super) fn on(&self, date: Date, n: usize) -> DateTime {
        let (rest, second) = (n / self.seconds.len(), n % self.seconds.len());
        let (hour, minute) = (rest / self.minutes.len(), rest % self.minutes.len());
        let part =
            |list: &[i16], n: usize| list.get(n).map_or(0, |n| i8::try_from(*n).unwrap_or(0));
        date.at(
            part(&self.hours, hour),
            part(&self.minutes, minute),
            part(&self.seconds, second),
            0,
        )
    }
}
