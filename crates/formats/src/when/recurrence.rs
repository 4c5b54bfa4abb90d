//! What happens again and again.

use dormouse_types::closed_list;
use jiff::ToSpan;
use jiff::civil::{self, Date, Time};
use serde::{Deserialize, Serialize};

closed_list! {
    /// A day of the week.
    pub enum Weekday, "day of the week" {
        Monday = "monday",
        Tuesday = "tuesday",
        Wednesday = "wednesday",
        Thursday = "thursday",
        Friday = "friday",
        Saturday = "saturday",
        Sunday = "sunday",
    }
}

impl Weekday {
    /// Monday to Friday.
    pub const WORKING: [Self; 5] =
        [Self::Monday, Self::Tuesday, Self::Wednesday, Self::Thursday, Self::Friday];

    /// The same day as jiff has it.
    pub fn civil(self) -> civil::Weekday {
        match self {
            Self::Monday => civil::Weekday::Monday,
            Self::Tuesday => civil::Weekday::Tuesday,
            Self::Wednesday => civil::Weekday::Wednesday,
            Self::Thursday => civil::Weekday::Thursday,
            Self::Friday => civil::Weekday::Friday,
            Self::Saturday => civil::Weekday::Saturday,
            Self::Sunday => civil::Weekday::Sunday,
        }
    }

    /// The weekday of a date.
    pub fn of(date: Date) -> Self {
        Self::ALL[usize::from(date.weekday().to_monday_zero_offset().unsigned_abs()) % 7]
    }
}

/// A rule by which something happens again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recurrence {
    /// How many units of the rule lie between two times; at least 1.
    pub every: u16,
    /// How often it happens in that time. More than once is on no fixed days: "twice a week".
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u16,
    /// The unit, and the days in it.
    pub rule: Rule,
    /// The times of day, in order; none if the text gives none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<Time>,
    /// The first day on which it can happen, if one is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
    /// The last day on which it can happen, if one is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
}

/// The unit of a [`Recurrence`], and the days in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rule {
    Minutes,
    Hours,
    Days,
    /// Monday to Friday. An interval counts working days.
    WorkingDays,
    /// Weeks, on these days in the order of the week; without any, on the weekday it begins.
    Weeks(Vec<Weekday>),
    Months(MonthDay),
    /// Years, on this day; without one, on the day it begins.
    Years(Option<YearDay>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MonthDay {
    /// The day on which the recurrence begins.
    Same,
    /// These, at least one, in order; a month leaves out those that it does not have. -1 is the last day, and
    /// stands alone.
    Numbers(Vec<i8>),
    /// The nth such weekday; -1 is the last.
    Weekday(i8, Weekday),
    /// The nth day from Monday to Friday; -1 is the last. Holidays are not known.
    WorkingDay(i8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct YearDay {
    /// The month, from 1.
    pub month: i8,
    /// The day, from 1.
    pub day: i8,
}

fn once() -> u16 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_once(times: &u16) -> bool {
    *times == 1
}

impl Recurrence {
    pub(super) fn new(every: u16, rule: Rule) -> Self {
        Self { every: every.max(1), times: 1, rule, at: Vec::new(), from: None, until: None }
    }

    pub(super) fn so_often(self, times: u16) -> Self {
        Self { times: times.max(1), ..self }
    }

    /// The first day on or after `day` on which it happens; the interval counts from there. None if
    /// it happens on no fixed days.
    pub fn first_from(&self, day: Date) -> Option<Date> {
        if self.times > 1 {
            return None;
        }
        let day = self.from.map_or(day, |from| from.max(day));
        let found = match &self.rule {
            Rule::Minutes | Rule::Hours | Rule::Days => Some(day),
            Rule::WorkingDays => on_or_after(day, 7, is_working),
            Rule::Weeks(on) if on.is_empty() => Some(day),
            Rule::Weeks(on) => on_or_after(day, 7, |day| on.contains(&Weekday::of(day))),
            Rule::Months(MonthDay::Same) => Some(day),
            Rule::Months(on) => months_from(day, 1).find_map(|month| on.in_month(month, day)),
            Rule::Years(None) => Some(day),
            Rule::Years(Some(on)) => (0..=8).find_map(|ahead| {
                let date = Date::new(day.year().checked_add(ahead)?, on.month, on.day).ok();
                date.filter(|date| *date >= day)
            }),
        };
        found.filter(|found| self.until.is_none_or(|until| *found <= until))
    }

    /// The next day after one on which it happened. A rule of minutes or hours answers the same
    /// day, because it happens on it again.
    pub fn following(&self, day: Date) -> Option<Date> {
        let every = i64::from(self.every);
        let found = match &self.rule {
            Rule::Minutes | Rule::Hours => Some(day),
            Rule::Days => day.checked_add(every.days()).ok(),
            Rule::WorkingDays => {
                (0..every).try_fold(day, |day, _| on_or_after(day.tomorrow().ok()?, 7, is_working))
            }
            Rule::Weeks(on) if on.len() < 2 => day.checked_add(every.weeks()).ok(),
            Rule::Weeks(on) => {
                let place = on.iter().position(|weekday| *weekday == Weekday::of(day))?;
                match on.get(place + 1) {
                    Some(next) => ahead_to(day, *next),
                    None => {
                        let weeks = (every - 1).weeks();
                        ahead_to(day, on[0])?.checked_add(weeks).ok()
                    }
                }
            }
            Rule::Months(MonthDay::Same) => day.checked_add(every.months()).ok(),
            Rule::Months(on) => {
                let later = day.tomorrow().ok().filter(|next| next.month() == day.month());
                later.and_then(|next| on.in_month(day, next)).or_else(|| {
                    let first = day.first_of_month().checked_add(every.months()).ok()?;
                    months_from(first, every).find_map(|month| on.in_month(month, month))
                })
            }
            Rule::Years(_) => (1..=8).find_map(|n| {
                let ahead = i16::try_from(every * n).ok()?;
                Date::new(day.year().checked_add(ahead)?, day.month(), day.day()).ok()
            }),
        };
        found.filter(|found| self.until.is_none_or(|until| *found <= until))
    }
}

impl MonthDay {
    /// The first such day in the month of `month` that is not before `earliest`.
    fn in_month(&self, month: Date, earliest: Date) -> Option<Date> {
        let date = match self {
            Self::Same => Some(month),
            Self::Numbers(days) => {
                let in_month = |day: &i8| match day {
                    -1 => Some(month.last_of_month()),
                    day => Date::new(month.year(), month.month(), *day).ok(),
                };
                days.iter().filter_map(in_month).find(|date| *date >= earliest)
            }
            Self::Weekday(nth, weekday) => month.nth_weekday_of_month(*nth, weekday.civil()).ok(),
            Self::WorkingDay(nth) => nth_working_day(month, *nth),
        };
        date.filter(|date| *date >= earliest)
    }
}

/// The nth day from Monday to Friday of a month; -1 is the last.
pub(super) fn nth_working_day(month: Date, nth: i8) -> Option<Date> {
    let first = month.first_of_month();
    let days = (0..first.days_in_month())
        .filter_map(|ahead| first.checked_add(i64::from(ahead).days()).ok())
        .filter(|day| is_working(*day));
    if nth < 0 {
        days.rev().nth(usize::from(nth.unsigned_abs()) - 1)
    } else {
        days.clone().nth(usize::from(nth.unsigned_abs()).checked_sub(1)?)
    }
}

pub(super) fn is_working(day: Date) -> bool {
    Weekday::WORKING.contains(&Weekday::of(day))
}

/// Months in steps of `every`, long enough to meet any day of a month that exists.
fn months_from(day: Date, every: i64) -> impl Iterator<Item = Date> {
    let first = day.first_of_month();
    (0..60_i64).map_while(move |n| first.checked_add((n * every).months()).ok())
}

fn on_or_after(day: Date, days: i64, fits: impl Fn(Date) -> bool) -> Option<Date> {
    (0..days).filter_map(|ahead| day.checked_add(ahead.days()).ok()).find(|day| fits(*day))
}

fn ahead_to(day: Date, weekday: Weekday) -> Option<Date> {
    on_or_after(day.tomorrow().ok()?, 7, |day| Weekday::of(day) == weekday)
}
