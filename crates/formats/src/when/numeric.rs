//! Dates in figures, in the order of the reader and in that of ISO 8601.

use dormouse_types::day_order::DayOrder;
use jiff::civil::Date;

use super::calendar::{Result, calendar, date, iso_week, no_such_day, plus, short, time_on};
use super::error::NotUnderstood;
use super::figure::{Figure, Stamp};
use super::matching::Caught;
use super::resolve::{Core, Resolver};
use super::value::{Assumption, Moment, Zone};
use super::zone;
use jiff::ToSpan;

impl Resolver<'_> {
    /// A figure with spaces in it: "3. 11. 2026".
    pub(super) fn numbers(&mut self, caught: &Caught, text: &str) -> Option<Result<Date>> {
        let (day, month, year) = (caught.day?, caught.day2?, caught.year?);
        Some(date(year, month, day, text).map(|date| self.checked_weekday(date, caught)))
    }

    pub(super) fn figure(&mut self, figure: Figure, text: &str) -> Result<Date> {
        let [one, two, three] = figure.parts;
        if figure.lengths[0] == 4 {
            return self.ordered(Some(one), two, three, text);
        }
        let year = match figure.lengths[2] {
            0 => None,
            2 => {
                let year = 2000 + three;
                self.assumed.push(Assumption::Century(i16::try_from(year).unwrap_or(i16::MAX)));
                Some(year)
            }
            _ => Some(three),
        };
        let order = self.reader.order;
        let read = |order: DayOrder| match order {
            DayOrder::DayFirst => (two, one),
            DayOrder::MonthFirst => (one, two),
        };
        let exists = |(month, day): (u16, u16)| match year {
            Some(year) => calendar(year, month, day).is_some(),
            // A leap year has every day there is.
            None => calendar(2024, month, day).is_some(),
        };
        let chosen = match (exists(read(order)), exists(read(order.other()))) {
            (true, other) => {
                match other {
                    _ if one == two => {}
                    true => self.assumed.push(Assumption::ReadersOrder(order)),
                    false => self.assumed.push(Assumption::OnlyOrder(order)),
                }
                order
            }
            (false, true) => {
                self.assumed.push(Assumption::OtherOrder(order.other()));
                order.other()
            }
            // Neither exists. The error is about the order in which the month does.
            (false, false) if read(order).0 > 12 => order.other(),
            (false, false) => order,
        };
        let (month, day) = read(chosen);
        self.ordered(year, month, day, text)
    }

    pub(super) fn ordered(
        &mut self,
        year: Option<u16>,
        month: u16,
        day: u16,
        text: &str,
    ) -> Result<Date> {
        let (Ok(month), Ok(day)) = (i8::try_from(month), i8::try_from(day)) else {
            return Err(no_such_day(None, 13, 1, text));
        };
        let year = year.map(|year| i16::try_from(year).unwrap_or(i16::MAX));
        self.day_month(year, month, day, text)
    }

    pub(super) fn stamp(&mut self, stamp: Stamp, text: &str) -> Result<Core> {
        let number = |from: usize, to: usize| -> i16 {
            text.get(from..to).and_then(|digits| digits.parse().ok()).unwrap_or(0)
        };
        let small = |from, to| i8::try_from(number(from, to)).unwrap_or(0);
        let year = number(0, 4);
        match stamp {
            Stamp::Day => Ok(Core::Day(date(year, small(5, 7), small(8, 10), text)?)),
            Stamp::Month => {
                let first = date(year, small(5, 7), 1, text)?;
                Ok(Core::Days(first, first.last_of_month()))
            }
            Stamp::Week => match small(9, 10) {
                0 if text.len() < 10 => {
                    let start = iso_week(year, small(6, 8), 1, text)?;
                    Ok(Core::Days(start, plus(start, 6.days())?))
                }
                day => Ok(Core::Day(iso_week(year, small(6, 8), day, text)?)),
            },
            Stamp::Time => {
                let day = date(year, small(5, 7), small(8, 10), text)?;
                self.stamp_time(day, text)
            }
        }
    }

    /// The part of `2026-12-10T14:00:30+01:00[Europe/Berlin]` after the day.
    fn stamp_time(&self, day: Date, text: &str) -> Result<Core> {
        let unknown = || NotUnderstood::Unknown { text: short(text) };
        let rest = &text[11..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.'));
        let (time, zone_text) = rest.split_at(end.unwrap_or(rest.len()));
        let whole = time.split('.').next().unwrap_or(time);
        let clock = super::figure::clock(whole)
            .ok_or_else(|| NotUnderstood::NoSuchTime { text: short(text) })?;
        let at = time_on(day, clock.hour, clock.minute, clock.second)?;
        let (offset, name) = match zone_text.split_once('[') {
            Some((offset, name)) => (offset, Some(name.strip_suffix(']').ok_or_else(unknown)?)),
            None => (zone_text, None),
        };
        let zone = match (offset, name) {
            ("", None) => Zone::Reader,
            (_, Some(name)) => {
                zone::named(name).ok_or_else(|| NotUnderstood::NoSuchZone { name: short(name) })?;
                Zone::Named(name.to_owned())
            }
            (offset, None) => Zone::Offset(zone::offset(offset).ok_or_else(unknown)?),
        };
        Ok(Core::At(Moment { at, zone }))
    }
}
