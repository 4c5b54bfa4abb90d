//! From what a pattern caught to days of the calendar.

use jiff::ToSpan;
use jiff::civil::{Date, Time};

use super::calendar::{
    Result, century, date, iso_week, no_such_day, plus, short, span, weekday, working_days_ahead,
};
use super::error::NotUnderstood;
use super::feasts::{easter, orthodox_easter, thanksgiving};
use super::matching::Caught;
use super::reader::Reader;
use super::recurrence::{Weekday, nth_working_day};
use super::value::{Assumption, Moment};
use super::words::{Edge, Means, Shift, Unit};

const SATURDAY: jiff::civil::Weekday = jiff::civil::Weekday::Saturday;

/// A day, a time or several days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Core {
    Day(Date),
    At(Moment),
    Days(Date, Date),
}

#[derive(Debug, Clone)]
pub(super) struct Resolved {
    pub core: Core,
    pub assumed: Vec<Assumption>,
    /// Whether the words themselves say that it has passed: "last Friday", "two days ago".
    pub is_past: bool,
}

/// Where a day without a year is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Ahead,
    Back,
}

pub(super) struct Resolver<'a> {
    pub reader: &'a Reader,
    pub direction: Direction,
    /// The day from which the next such day is looked for; today, or the begin of a range.
    pub base: Date,
    pub assumed: Vec<Assumption>,
    pub is_past: bool,
}

impl<'a> Resolver<'a> {
    pub fn new(reader: &'a Reader, direction: Direction, base: Date) -> Self {
        Self { reader, direction, base, assumed: Vec::new(), is_past: false }
    }

    /// `text` is what the pattern covers, `stamp` the text of its date of ISO 8601.
    pub fn day(
        mut self,
        means: Means,
        caught: &Caught,
        text: &str,
        stamp: &str,
    ) -> Result<Resolved> {
        let core = match caught.year.filter(|_| caught.has_short_year) {
            Some(year) => {
                let year = century(year, self.today().year());
                self.assumed.push(Assumption::Century(year));
                self.core(means, &Caught { year: Some(year), ..*caught }, text, stamp)?
            }
            None => self.core(means, caught, text, stamp)?,
        };
        Ok(Resolved { core, assumed: self.assumed, is_past: self.is_past })
    }

    pub(super) fn today(&self) -> Date {
        self.reader.now.date()
    }

    fn core(&mut self, means: Means, caught: &Caught, text: &str, stamp: &str) -> Result<Core> {
        let misfit = || NotUnderstood::Unknown { text: short(text) };
        let n = i64::from(caught.n.unwrap_or(1));
        Ok(match means {
            Means::Now => Core::Day(self.today()),
            Means::Offset => self.days_from_today(i64::from(caught.offset.ok_or_else(misfit)?))?,
            Means::Days(days) => self.days_from_today(i64::from(days))?,
            Means::Tonight | Means::PartOfToday => {
                let part = caught.part.unwrap_or(Time::constant(19, 0, 0, 0));
                if part > self.reader.now.time() || means == Means::PartOfToday {
                    self.assumed.push(Assumption::PartOfDay(part));
                    Core::At(Moment::of_reader(self.today().to_datetime(part)))
                } else {
                    Core::Day(self.today())
                }
            }
            Means::Ahead | Means::Within => self.ahead(n, caught.unit.ok_or_else(misfit)?)?,
            Means::AheadCouple => self.ahead(2, caught.unit.ok_or_else(misfit)?)?,
            Means::AheadWorking => Core::Day(working_days_ahead(self.today(), n)?),
            Means::AheadFromTomorrow => match self.ahead(n, caught.unit.ok_or_else(misfit)?)? {
                Core::Day(day) => Core::Day(plus(day, 1.day())?),
                other @ (Core::At(_) | Core::Days(..)) => other,
            },
            Means::AheadAndHalf => {
                self.ahead_and_half(n, caught.unit.ok_or_else(misfit)?).ok_or_else(misfit)??
            }
            Means::AheadHalf => {
                self.ahead_and_half(0, caught.unit.ok_or_else(misfit)?).ok_or_else(misfit)??
            }
            Means::Ago => {
                self.is_past = true;
                let unit = caught.unit.ok_or_else(misfit)?;
                let n = if text.contains("couple") { 2 } else { n };
                match unit {
                    Unit::Hour => self.minutes_ahead(-60 * n)?,
                    Unit::Minute => self.minutes_ahead(-n)?,
                    Unit::Weekend => {
                        let last = self.unit(Shift::Last, Unit::Weekend).ok_or_else(misfit)??;
                        match last {
                            Core::Days(from, to) => {
                                let back = (1 - n).weeks();
                                Core::Days(plus(from, back)?, plus(to, back)?)
                            }
                            other @ (Core::Day(_) | Core::At(_)) => other,
                        }
                    }
                    Unit::Day
                    | Unit::WorkingDay
                    | Unit::Week
                    | Unit::Fortnight
                    | Unit::Month
                    | Unit::Quarter
                    | Unit::Year => Core::Day(plus(self.today(), span(-n, unit))?),
                }
            }
            Means::Weekday => Core::Day(self.weekday(caught)?),
            Means::WeekdaysAhead => {
                let day = self.weekday(caught)?;
                self.assumed.clear();
                Core::Day(plus(day, (n - 1).weeks())?)
            }
            Means::WeekdaysAgo => {
                let last = self.weekday(&Caught { shift: Some(Shift::Last), ..*caught })?;
                Core::Day(plus(last, (1 - n).weeks())?)
            }
            Means::WeekdayWeeksAgo => {
                let last = self.weekday(&Caught { shift: Some(Shift::Last), ..*caught })?;
                Core::Day(plus(last, (-n).weeks())?)
            }
            Means::WeekdayBeforeLast => {
                let last = self.weekday(&Caught { shift: Some(Shift::Last), ..*caught })?;
                Core::Day(plus(last, (-1).weeks())?)
            }
            Means::OffsetAndWeek => {
                self.days_from_today(i64::from(caught.offset.ok_or_else(misfit)?) + 7)?
            }
            Means::SameTime => {
                let by = match (caught.offset, caught.unit, caught.shift) {
                    (Some(days), _, _) => i64::from(days).days(),
                    (None, Some(unit), Some(Shift::Next | Shift::Coming)) => span(1, unit),
                    (None, Some(unit), Some(Shift::Last)) => span(-1, unit),
                    (None, _, _) => return Err(misfit()),
                };
                self.is_past = by.is_negative();
                let now = self.reader.now.with().second(0).subsec_nanosecond(0).build();
                let then =
                    plus(self.today(), by)?.to_datetime(now.unwrap_or(self.reader.now).time());
                Core::At(Moment::of_reader(then))
            }
            Means::WeekdayOfWeek => {
                let start = self.week_of(self.today());
                let ahead = match caught.shift.ok_or_else(misfit)? {
                    Shift::This => 0,
                    Shift::Next | Shift::Coming => 7,
                    Shift::Last => {
                        self.is_past = true;
                        -7
                    }
                };
                Core::Day(self.in_week(plus(start, ahead.days())?, caught)?)
            }
            Means::WeekdayAfterNext => {
                let start = plus(self.week_of(self.today()), 14.days())?;
                Core::Day(self.in_week(start, caught)?)
            }
            Means::WeekdayAfterWeeks | Means::WeekdayAfterFortnights => {
                let day = self.weekday(caught)?;
                self.assumed.clear();
                let weeks = if means == Means::WeekdayAfterFortnights { 2 * n } else { n };
                Core::Day(plus(day, weeks.weeks())?)
            }
            Means::Figure => match caught.figure.ok_or_else(misfit)? {
                figure if figure.lengths[1] == 4 => {
                    let [month, year, _] = figure.parts;
                    let first = self.ordered(Some(year), month, 1, text)?;
                    Core::Days(first, first.last_of_month())
                }
                figure => Core::Day(self.figure(figure, text)?),
            },
            Means::Numbers => Core::Day(self.numbers(caught, text).ok_or_else(misfit)??),
            Means::DaysOfFigure => {
                let to = self.figure(caught.figure.ok_or_else(misfit)?, text)?;
                let from = date(to.year(), to.month(), caught.day.ok_or_else(misfit)?, text)?;
                if from >= to {
                    return Err(NotUnderstood::EndsBeforeItBegins { text: short(text) });
                }
                Core::Days(from, to)
            }
            Means::NthWeek => {
                let nth = i64::from(caught.place.ok_or_else(misfit)?);
                let month = caught.month.ok_or_else(misfit)?;
                let first = self.month(caught.year, caught.shift, month, text)?;
                match nth {
                    -1 => {
                        Core::Days(plus(first.last_of_month(), (-6).days())?, first.last_of_month())
                    }
                    1..=4 => {
                        let from = plus(first, (7 * (nth - 1)).days())?;
                        Core::Days(from, plus(from, 6.days())?)
                    }
                    _ => return Err(misfit()),
                }
            }
            Means::Stamp => self.stamp(caught.stamp.ok_or_else(misfit)?.0, stamp)?,
            Means::DayMonth => {
                let month = caught.month.ok_or_else(misfit)?;
                let day = caught.day.ok_or_else(misfit)?;
                let date = self.day_month(caught.year, month, day, text)?;
                Core::Day(self.checked_weekday(date, caught))
            }
            Means::Feast(month, day) => Core::Day(self.day_month(caught.year, month, day, text)?),
            Means::Easter(after) => {
                Core::Day(self.movable(caught.year, |year| easter(year, after)).ok_or_else(misfit)?)
            }
            Means::OrthodoxEaster(after) => {
                let day = self.movable(caught.year, |year| orthodox_easter(year, after));
                Core::Day(day.ok_or_else(misfit)?)
            }
            Means::Thanksgiving(after) => {
                let day = self.movable(caught.year, |year| thanksgiving(year, after));
                Core::Day(day.ok_or_else(misfit)?)
            }
            Means::DaysOfMonth => {
                let month = caught.month.ok_or_else(misfit)?;
                let (from, to) = (caught.day.ok_or_else(misfit)?, caught.day2.ok_or_else(misfit)?);
                let last = self.day_month(caught.year, month, to, text)?;
                // "The 28th to the 2nd of April" begins in March.
                let first = if from >= 20 && to <= 12 { plus(last, (-1).months())? } else { last };
                if first == last && from >= to {
                    return Err(NotUnderstood::EndsBeforeItBegins { text: short(text) });
                }
                Core::Days(date(first.year(), first.month(), from, text)?, last)
            }
            Means::DayOfMonth => {
                let day = caught.day.ok_or_else(misfit)?;
                Core::Day(match (caught.shift, caught.weekday.and_then(weekday)) {
                    (None, Some(weekday)) => self.weekday_of_number(weekday, day, text)?,
                    (shift, _) => self.day_of_month(shift, day, text)?,
                })
            }
            Means::Edge => self.edge(caught).ok_or_else(misfit)??,
            Means::EndOf(unit) => self.edge_of(Edge::End, unit, None)?,
            Means::NthWeekday => {
                let nth = caught.place.ok_or_else(misfit)?;
                let weekday = caught.weekday.and_then(weekday).ok_or_else(misfit)?;
                Core::Day(self.in_month(caught, text, |month| {
                    month.nth_weekday_of_month(nth, weekday.civil()).ok()
                })?)
            }
            Means::NthDay => {
                let nth = caught.place.ok_or_else(misfit)?;
                match caught.unit {
                    Some(unit @ (Unit::Year | Unit::Quarter | Unit::Week)) => {
                        let edge = match nth {
                            1 => Edge::Start,
                            -1 => Edge::End,
                            _ => return Err(misfit()),
                        };
                        self.edge_of(edge, unit, caught.shift)?
                    }
                    _ => Core::Day(self.in_month(caught, text, |month| match nth {
                        -1 => Some(month.last_of_month()),
                        nth => Date::new(month.year(), month.month(), nth).ok(),
                    })?),
                }
            }
            Means::NthWorkingDay => {
                let nth = caught.place.ok_or_else(misfit)?;
                match caught.unit {
                    None | Some(Unit::Month) => {
                        Core::Day(self.in_month(caught, text, |month| nth_working_day(month, nth))?)
                    }
                    Some(Unit::Week) if matches!(nth, 1 | -1) => {
                        let edge = if nth == 1 { Edge::Start } else { Edge::End };
                        self.edge_of(edge, Unit::Week, caught.shift)?
                    }
                    Some(unit @ (Unit::Year | Unit::Quarter)) if nth == -1 => {
                        match self.edge_of(Edge::End, unit, caught.shift)? {
                            Core::Day(day) => {
                                Core::Day(nth_working_day(day, -1).ok_or_else(misfit)?)
                            }
                            other @ (Core::At(_) | Core::Days(..)) => other,
                        }
                    }
                    Some(_) => return Err(misfit()),
                }
            }
            Means::Month => {
                let month = caught.month.ok_or_else(misfit)?;
                let first = self.month(caught.year, caught.shift, month, text)?;
                Core::Days(first, first.last_of_month())
            }
            Means::Quarter | Means::NthQuarter => {
                let quarter = match (means, caught.place, caught.n) {
                    (Means::NthQuarter, Some(-1), _) => 4,
                    (Means::NthQuarter, Some(place), _) => i64::from(place),
                    (_, _, Some(n)) => i64::from(n),
                    (_, _, None) => return Err(misfit()),
                };
                let first = self.quarter(caught.year, quarter, text)?;
                Core::Days(first, plus(first, 2.months())?.last_of_month())
            }
            Means::HalfYear => {
                let half = caught.half_year.ok_or_else(misfit)?;
                let first = match caught.year {
                    Some(year) => date(year, half * 6 - 5, 1, text)?,
                    None => self.coming_period(half * 6 - 5, 6).ok_or(NotUnderstood::TooFar)?,
                };
                Core::Days(first, plus(plus(first, 6.months())?, (-1).days())?)
            }
            Means::NthHalf => self.nth_half(caught, text).ok_or_else(misfit)??,
            Means::WeekendOf => {
                let day = match (caught.month, caught.day.ok_or_else(misfit)?) {
                    (Some(month), day) => self.day_month(caught.year, month, day, text)?,
                    (None, day) => self.day_of_month(None, day, text)?,
                };
                let from = match Weekday::of(day) {
                    Weekday::Sunday => plus(day, (-1).days())?,
                    other => plus(day, i64::from(other.civil().until(SATURDAY)).days())?,
                };
                Core::Days(from, plus(from, 1.day())?)
            }
            Means::NthWeekend => {
                let nth = caught.place.ok_or_else(misfit)?;
                let saturday = self.in_month(caught, text, |month| {
                    month.nth_weekday_of_month(nth, SATURDAY).ok()
                })?;
                Core::Days(saturday, plus(saturday, 1.day())?)
            }
            Means::Year => {
                let year = caught.year.ok_or_else(misfit)?;
                Core::Days(date(year, 1, 1, text)?, date(year, 12, 31, text)?)
            }
            Means::Unit => {
                let shift = caught.shift.unwrap_or(Shift::This);
                self.unit(shift, caught.unit.ok_or_else(misfit)?).ok_or_else(misfit)??
            }
            Means::NextUnit => {
                self.unit(Shift::Next, caught.unit.ok_or_else(misfit)?).ok_or_else(misfit)??
            }
            Means::Weekend | Means::ComingWeekend => {
                let shift = match means {
                    Means::ComingWeekend => Shift::Coming,
                    _ => caught.shift.unwrap_or(Shift::This),
                };
                self.unit(shift, Unit::Weekend).ok_or_else(misfit)??
            }
            Means::UnitAfterNext => {
                let unit = caught.unit.ok_or_else(misfit)?;
                match self.unit(Shift::Next, unit).ok_or_else(misfit)?? {
                    Core::Days(from, to) if unit == Unit::Weekend => {
                        // "Next weekend" and the one after that are counted from the coming one.
                        let coming = self.unit(Shift::Coming, unit).ok_or_else(misfit)??;
                        match coming {
                            Core::Days(from, to) => {
                                Core::Days(plus(from, 7.days())?, plus(to, 7.days())?)
                            }
                            Core::Day(_) | Core::At(_) => Core::Days(from, to),
                        }
                    }
                    Core::Days(from, _) => {
                        let from = plus(from, span(1, unit))?;
                        Core::Days(from, plus(plus(from, span(1, unit))?, (-1).days())?)
                    }
                    other @ (Core::Day(_) | Core::At(_)) => other,
                }
            }
            Means::WeekOf => {
                let day = match (caught.figure, caught.month, caught.day) {
                    (Some(figure), _, _) => self.figure(figure, text)?,
                    (None, Some(month), Some(day)) => {
                        self.day_month(caught.year, month, day, text)?
                    }
                    (None, None, Some(day)) => self.day_of_month(None, day, text)?,
                    (None, _, None) => return Err(misfit()),
                };
                let start = self.week_of(day);
                Core::Days(start, plus(start, 6.days())?)
            }
            Means::WeekNumber => {
                let number = i8::try_from(n).map_err(|_| misfit())?;
                let start = match caught.year {
                    Some(year) => iso_week(year, number, 1, text)?,
                    None => self
                        .next_year(|year| {
                            let start = iso_week(year, number, 1, text).ok()?;
                            Some((start, plus(start, 6.days()).ok()?))
                        })
                        .ok_or_else(|| NotUnderstood::NoSuchDay {
                            text: short(text),
                            why: "a year has 52 or 53 weeks".into(),
                        })?,
                };
                Core::Days(start, plus(start, 6.days())?)
            }
        })
    }

    fn days_from_today(&mut self, days: i64) -> Result<Core> {
        self.is_past = days < 0;
        Ok(Core::Day(plus(self.today(), days.days())?))
    }

    pub(super) fn week_of(&self, day: Date) -> Date {
        let back = i64::from(day.weekday().since(self.reader.week_starts.civil()));
        plus(day, (-back).days()).unwrap_or(day)
    }

    fn in_week(&self, start: Date, caught: &Caught) -> Result<Date> {
        let weekday = self.wanted(caught)?;
        plus(start, i64::from(start.weekday().until(weekday.civil())).days())
    }

    fn wanted(&self, caught: &Caught) -> Result<Weekday> {
        let unknown = || NotUnderstood::Unknown { text: String::new() };
        caught.weekday.and_then(weekday).ok_or_else(unknown)
    }

    /// A weekday alone is the next one after today, never today; back, the last one before.
    fn weekday(&mut self, caught: &Caught) -> Result<Date> {
        let weekday = self.wanted(caught)?.civil();
        let ahead = i64::from(self.base.weekday().until(weekday));
        let coming = if ahead == 0 { 7 } else { ahead };
        let days = match (caught.shift, self.direction) {
            (Some(Shift::This), _) => ahead,
            (Some(Shift::Last), _) => {
                self.is_past = true;
                coming - 7 - if ahead == 0 { 7 } else { 0 }
            }
            (Some(Shift::Next), _) => {
                let start = plus(self.week_of(self.base), 7.days())?;
                let day = self.in_week(start, caught)?;
                if self.base.until(day).is_ok_and(|gap| i64::from(gap.get_days()) > coming) {
                    self.assumed.push(Assumption::NextWeek(day));
                }
                return Ok(day);
            }
            (None, Direction::Back) => coming - 7 - if ahead == 0 { 7 } else { 0 },
            (Some(Shift::Coming) | None, _) => coming,
        };
        let day = plus(self.base, days.days())?;
        if ahead == 0 && caught.shift.is_none() && self.direction == Direction::Ahead {
            self.assumed.push(Assumption::InAWeek(day));
        }
        Ok(day)
    }

    /// The nearest year, from that of today, in which something is not over; back, not yet begun.
    pub(super) fn next_year(
        &mut self,
        in_year: impl Fn(i16) -> Option<(Date, Date)>,
    ) -> Option<Date> {
        let this = self.base.year();
        let found = match self.direction {
            Direction::Ahead => (-1..=8)
                .filter_map(|ahead| in_year(this.checked_add(ahead)?))
                .find(|(_, last)| *last >= self.base),
            Direction::Back => (-8..=1)
                .rev()
                .filter_map(|ahead| in_year(this.checked_add(ahead)?))
                .find(|(first, _)| *first <= self.base),
        };
        let (first, last) = found?;
        self.assumed.push(Assumption::Year(last.year()));
        Some(first)
    }

    pub(super) fn day_month(
        &mut self,
        year: Option<i16>,
        month: i8,
        day: i8,
        text: &str,
    ) -> Result<Date> {
        if let Some(year) = year {
            return date(year, month, day, text);
        }
        self.next_year(|year| Date::new(year, month, day).ok().map(|date| (date, date)))
            .ok_or_else(|| no_such_day(None, month, day, text))
    }

    /// The day of a feast that has another date in each year.
    fn movable(&mut self, year: Option<i16>, day: impl Fn(i16) -> Option<Date>) -> Option<Date> {
        match year {
            Some(year) => day(year),
            None => self.next_year(|year| day(year).map(|day| (day, day))),
        }
    }

    pub(super) fn checked_weekday(&mut self, date: Date, caught: &Caught) -> Date {
        if caught.weekday.and_then(weekday).is_some_and(|weekday| weekday != Weekday::of(date)) {
            self.assumed.push(Assumption::WeekdayDiffers(date));
        }
        date
    }
}
