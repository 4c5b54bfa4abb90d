//! Weeks, months, quarters and years, and parts of them.

use jiff::ToSpan;
use jiff::civil::Date;

use super::calendar::{
    Result, date, months_ahead, no_such_day, plus, short, span, working_days_ahead,
};
use super::error::NotUnderstood;
use super::matching::Caught;
use super::recurrence::Weekday;
use super::resolve::{Core, Direction, Resolver};
use super::value::{Assumption, Moment};
use super::words::{Edge, Shift, Unit};

impl Resolver<'_> {
    pub(super) fn ahead(&self, n: i64, unit: Unit) -> Result<Core> {
        Ok(match unit {
            Unit::Minute => self.minutes_ahead(n)?,
            Unit::Hour => self.minutes_ahead(n.saturating_mul(60))?,
            Unit::WorkingDay => Core::Day(working_days_ahead(self.today(), n)?),
            Unit::Weekend => return Err(NotUnderstood::Unknown { text: "weekends".into() }),
            Unit::Day | Unit::Week | Unit::Fortnight | Unit::Month | Unit::Quarter | Unit::Year => {
                Core::Day(plus(self.today(), span(n, unit))?)
            }
        })
    }

    /// N units and half of one. Half a day more is a whole one, so that nothing comes too early.
    pub(super) fn ahead_and_half(&self, n: i64, unit: Unit) -> Option<Result<Core>> {
        let day = |span| plus(self.today(), span).map(Core::Day);
        Some(match unit {
            Unit::Hour => self.minutes_ahead(n.saturating_mul(60).saturating_add(30)),
            Unit::Day => day((n + 1).days()),
            Unit::Week => day(n.weeks().days(4)),
            Unit::Fortnight => day((2 * n + 1).weeks()),
            Unit::Month => day(n.months().days(15)),
            Unit::Year => day(n.years().months(6)),
            Unit::Minute | Unit::WorkingDay | Unit::Weekend | Unit::Quarter => return None,
        })
    }

    /// Counted on the clock of the instant, so that a change of the clock between does not matter.
    pub(super) fn minutes_ahead(&self, minutes: i64) -> Result<Core> {
        let now = Moment::of_reader(self.reader.now).timestamp(&self.reader.zone);
        let then = now.checked_add(minutes.minutes()).map_err(|_| NotUnderstood::TooFar)?;
        let then = self.reader.zone.to_datetime(then);
        let then = then.with().second(0).subsec_nanosecond(0).build().unwrap_or(then);
        Ok(Core::At(Moment::of_reader(then)))
    }

    pub(super) fn day_of_month(
        &mut self,
        shift: Option<Shift>,
        day: i8,
        text: &str,
    ) -> Result<Date> {
        let month = match shift {
            Some(shift) => {
                let (ahead, is_past) = months_ahead(shift);
                self.is_past = is_past;
                plus(self.today().first_of_month(), ahead.months())?
            }
            None => {
                let steps = match self.direction {
                    Direction::Ahead => [0, 1, 2],
                    Direction::Back => [0, -1, -2],
                };
                let fits = |date: &Date| match self.direction {
                    Direction::Ahead => *date >= self.base,
                    Direction::Back => *date <= self.base,
                };
                let found = steps.into_iter().find_map(|ahead| {
                    let month = plus(self.base.first_of_month(), ahead.months()).ok()?;
                    Date::new(month.year(), month.month(), day).ok().filter(fits)
                });
                return found.ok_or_else(|| no_such_day(None, 1, day, text));
            }
        };
        date(month.year(), month.month(), day, text)
    }

    /// The next day with this number that is this weekday, such as a Friday the 13th.
    pub(super) fn weekday_of_number(
        &mut self,
        weekday: Weekday,
        day: i8,
        text: &str,
    ) -> Result<Date> {
        let step = match self.direction {
            Direction::Ahead => 1,
            Direction::Back => -1,
        };
        let is_there = |found: &Date| match self.direction {
            Direction::Ahead => *found >= self.base,
            Direction::Back => *found <= self.base,
        };
        let first = self.base.first_of_month();
        // The weekdays of a day repeat within 28 years, apart from a year such as 2100.
        let found = (0..12 * 40).find_map(|ahead| {
            let month = plus(first, (step * ahead).months()).ok()?;
            let found = Date::new(month.year(), month.month(), day).ok()?;
            (Weekday::of(found) == weekday).then_some(found).filter(is_there)
        });
        let found = found.ok_or_else(|| no_such_day(None, 1, day, text))?;
        if found.year() != self.base.year() {
            self.assumed.push(Assumption::Year(found.year()));
        }
        Ok(found)
    }

    /// The first day of a month by its name.
    pub(super) fn month(
        &mut self,
        year: Option<i16>,
        shift: Option<Shift>,
        month: i8,
        text: &str,
    ) -> Result<Date> {
        let year = match (year, shift) {
            (Some(year), _) => year,
            (None, Some(Shift::Last)) => {
                self.is_past = true;
                let today = self.today();
                if today.month() > month { today.year() } else { today.year() - 1 }
            }
            // "Next March" is the next one that begins; "this March" may have begun.
            (None, Some(Shift::Next)) if self.today().month() >= month => self.today().year() + 1,
            (None, _) => {
                return self
                    .next_year(|year| {
                        let first = Date::new(year, month, 1).ok()?;
                        Some((first, first.last_of_month()))
                    })
                    .ok_or(NotUnderstood::TooFar);
            }
        };
        date(year, month, 1, text)
    }

    pub(super) fn quarter(&mut self, year: Option<i16>, quarter: i64, text: &str) -> Result<Date> {
        let month = i8::try_from(quarter * 3 - 2).unwrap_or(13);
        if !(1..=10).contains(&month) {
            let why = "a year has four quarters".into();
            return Err(NotUnderstood::NoSuchDay { text: short(text), why });
        }
        match year {
            Some(year) => date(year, month, 1, text),
            None => self
                .next_year(|year| {
                    let first = Date::new(year, month, 1).ok()?;
                    Some((first, plus(first, 2.months()).ok()?.last_of_month()))
                })
                .ok_or(NotUnderstood::TooFar),
        }
    }

    /// The first day of the nearest so many months from a month on that are not over.
    pub(super) fn coming_period(&mut self, month: i8, months: i64) -> Option<Date> {
        self.next_year(|year| {
            let first = Date::new(year, month, 1).ok()?;
            Some((first, plus(plus(first, months.months()).ok()?, (-1).days()).ok()?))
        })
    }

    /// The first or the second half of a year, a month, or another period.
    pub(super) fn nth_half(&mut self, caught: &Caught, text: &str) -> Option<Result<Core>> {
        let is_second = match caught.place? {
            1 => false,
            2 | -1 => true,
            _ => return None,
        };
        let whole = match (caught.year, caught.month, caught.unit) {
            (year, Some(month), _) => {
                self.month(year, None, month, text).map(|first| (first, first.last_of_month()))
            }
            (Some(year), None, _) => {
                date(year, 1, 1, text).and_then(|first| Ok((first, date(year, 12, 31, text)?)))
            }
            (None, None, unit) => match self.unit(caught.shift.unwrap_or(Shift::This), unit?)? {
                Ok(Core::Days(from, to)) => Ok((from, to)),
                Ok(Core::Day(_) | Core::At(_)) => return None,
                Err(error) => Err(error),
            },
        };
        Some(whole.and_then(|(from, to)| {
            // Whole months where there is an even number of them, else days.
            let months = (i64::from(to.year()) - i64::from(from.year())) * 12
                + i64::from(to.month())
                - i64::from(from.month())
                + 1;
            let days = from.until(to).map_or(0, |span| i64::from(span.get_days())) + 1;
            let middle = match months % 2 {
                0 if from.day() == 1 => plus(from, (months / 2).months())?,
                _ => plus(from, (days / 2).days())?,
            };
            Ok(match is_second {
                true => Core::Days(middle, to),
                false => Core::Days(from, plus(middle, (-1).days())?),
            })
        }))
    }

    /// Looks for a day of a month that is named, or of the nearest in which the day is not over.
    pub(super) fn in_month(
        &mut self,
        caught: &Caught,
        text: &str,
        pick: impl Fn(Date) -> Option<Date>,
    ) -> Result<Date> {
        let none = || NotUnderstood::NoSuchDay {
            text: short(text),
            why: "that month does not have so many".into(),
        };
        match (caught.month, caught.shift) {
            (Some(month), _) => match caught.year {
                Some(year) => pick(date(year, month, 1, text)?).ok_or_else(none),
                None => self
                    .next_year(|year| {
                        let day = pick(Date::new(year, month, 1).ok()?)?;
                        Some((day, day))
                    })
                    .ok_or_else(none),
            },
            (None, Some(shift)) => {
                let (ahead, is_past) = months_ahead(shift);
                self.is_past = is_past;
                pick(plus(self.today().first_of_month(), ahead.months())?).ok_or_else(none)
            }
            (None, None) => (0..=2)
                .filter_map(|ahead| pick(plus(self.base.first_of_month(), ahead.months()).ok()?))
                .find(|day| *day >= self.base)
                .ok_or_else(none),
        }
    }

    pub(super) fn edge(&mut self, caught: &Caught) -> Option<Result<Core>> {
        // "Mid" is in the pattern itself.
        let edge = caught.edge.unwrap_or(Edge::Middle);
        if let Some(unit) = caught.unit {
            return Some(self.edge_of(edge, unit, caught.shift));
        }
        let ends = match (caught.month, caught.n, caught.year) {
            (Some(month), _, Some(year)) => {
                Date::new(year, month, 1).ok().map(|first| (first, 1))?
            }
            (Some(month), _, None) => (self.next_edge(edge, month, 1)?, 1),
            (None, None, year) if caught.half_year.is_some() => {
                let month = caught.half_year? * 6 - 5;
                match year {
                    Some(year) => (Date::new(year, month, 1).ok()?, 6),
                    None => (self.next_edge(edge, month, 6)?, 6),
                }
            }
            (None, Some(quarter @ 1..=4), year) => {
                let month = i8::try_from(quarter * 3 - 2).ok()?;
                match year {
                    Some(year) => (Date::new(year, month, 1).ok()?, 3),
                    None => (self.next_edge(edge, month, 3)?, 3),
                }
            }
            (None, _, Some(year)) => (Date::new(year, 1, 1).ok()?, 12),
            (None, _, None) => return None,
        };
        Some(self.part_of(edge, ends.0, ends.1))
    }

    fn next_edge(&mut self, edge: Edge, month: i8, months: i64) -> Option<Date> {
        let reached = |first: Date| match part_of(edge, first, months).ok()? {
            Core::Day(day) | Core::Days(_, day) => Some(day),
            Core::At(moment) => Some(moment.at.date()),
        };
        self.next_year(|year| {
            let first = Date::new(year, month, 1).ok()?;
            Some((first, reached(first)?))
        })
    }

    fn part_of(&mut self, edge: Edge, first: Date, months: i64) -> Result<Core> {
        let core = part_of(edge, first, months)?;
        if let (Edge::Middle, Core::Day(day)) = (edge, &core) {
            self.assumed.push(Assumption::PartOfPeriod(*day));
        }
        Ok(core)
    }

    /// The edge of the current or another period; one that has passed already is that of the next.
    pub(super) fn edge_of(&mut self, edge: Edge, unit: Unit, shift: Option<Shift>) -> Result<Core> {
        let today = self.today();
        let periods = match shift {
            None | Some(Shift::This) => 0,
            Some(Shift::Next | Shift::Coming) => 1,
            Some(Shift::Last) => {
                self.is_past = true;
                -1
            }
        };
        let months = match unit {
            Unit::Month => 1,
            Unit::Quarter => 3,
            Unit::Year => 12,
            Unit::Day | Unit::WorkingDay => {
                return Ok(Core::Day(plus(today, periods.days())?));
            }
            Unit::Week => {
                let offset = match edge {
                    Edge::Start | Edge::Early => 0,
                    Edge::Middle => 2,
                    Edge::Late => 3,
                    Edge::End => 4,
                };
                let on = |start: Date| {
                    let monday = i64::from(start.weekday().until(jiff::civil::Weekday::Monday));
                    plus(start, (monday + offset).days())
                };
                let start = plus(self.week_of(today), (7 * periods).days())?;
                let day = on(start)?;
                let day = if shift.is_none() && day < today { plus(day, 7.days())? } else { day };
                self.assumed.push(Assumption::PartOfPeriod(day));
                return Ok(Core::Day(day));
            }
            Unit::Minute | Unit::Hour | Unit::Weekend | Unit::Fortnight => {
                return Err(NotUnderstood::Unknown { text: "part of it".into() });
            }
        };
        let first = period(today, unit)?;
        let core = self.part_of(edge, plus(first, (months * periods).months())?, months)?;
        match core {
            Core::Day(day) | Core::Days(_, day) if shift.is_none() && day < today => {
                self.assumed.clear();
                self.part_of(edge, plus(first, months.months())?, months)
            }
            core @ (Core::Day(_) | Core::At(_) | Core::Days(..)) => Ok(core),
        }
    }

    /// All of this, the next or the last week, month and so on.
    pub(super) fn unit(&mut self, shift: Shift, unit: Unit) -> Option<Result<Core>> {
        let periods = match shift {
            Shift::This => 0,
            Shift::Next | Shift::Coming => 1,
            Shift::Last => {
                self.is_past = true;
                -1
            }
        };
        let today = self.today();
        let whole = |first: Date, length: jiff::Span| {
            Ok(Core::Days(first, plus(plus(first, length)?, (-1).days())?))
        };
        let shifted = |first: Date, length: i64, unit: Unit| plus(first, span(length, unit));
        Some(match unit {
            Unit::Week => {
                shifted(self.week_of(today), periods, unit).and_then(|first| whole(first, 1.week()))
            }
            Unit::Fortnight => shifted(self.week_of(today), periods, Unit::Week)
                .and_then(|first| whole(first, 2.weeks())),
            Unit::Month | Unit::Quarter | Unit::Year => period(today, unit)
                .and_then(|first| shifted(first, periods, unit))
                .and_then(|first| whole(first, span(1, unit))),
            Unit::Weekend => {
                let monday = i64::from(today.weekday().to_monday_zero_offset());
                let saturday = plus(today, (5 - monday).days());
                // "The coming weekend" is this one, unless it has begun.
                let weeks = match shift {
                    Shift::Coming => i64::from(monday >= 5),
                    Shift::This | Shift::Next | Shift::Last => periods,
                };
                saturday
                    .and_then(|day| plus(day, weeks.weeks()))
                    .and_then(|day| whole(day, 2.days()))
            }
            // "The last minute" and "the next day" are about something else.
            Unit::Minute | Unit::Hour | Unit::Day | Unit::WorkingDay => return None,
        })
    }
}

/// The first day of the month, quarter or year of a day.
fn period(day: Date, unit: Unit) -> Result<Date> {
    let first = day.first_of_month();
    let back = match unit {
        Unit::Quarter => (first.month() - 1) % 3,
        Unit::Year => first.month() - 1,
        _ => 0,
    };
    plus(first, (-i64::from(back)).months())
}

/// An edge of the months from `first` on.
fn part_of(edge: Edge, first: Date, months: i64) -> Result<Core> {
    let last = plus(plus(first, months.months())?, (-1).days())?;
    // A third of a month, quarter or year.
    let third = |n: i64| match months {
        1 => plus(first, (10 * n).days()),
        months => plus(first, (months / 3 * n).months()),
    };
    Ok(match edge {
        Edge::Start => Core::Day(first),
        Edge::End => Core::Day(last),
        Edge::Early => Core::Days(first, plus(third(1)?, (-1).days())?),
        Edge::Late => Core::Days(third(2)?, last),
        Edge::Middle => Core::Day(match months {
            1 => plus(first, 14.days())?,
            3 => plus(plus(first, 1.month())?, 14.days())?,
            _ => plus(plus(first, (months / 2).months())?, (-1).days())?,
        }),
    })
}
