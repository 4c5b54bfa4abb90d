//! A day by its distance from another: "two days before Christmas".

use jiff::civil::Date;

use super::calendar::working_days_ahead;
use super::calendar::{plus, span, weekday};
use super::grammar::{Parsed, Parser, PointHit, Setting};
use super::resolve::Core;
use super::table::Table;
use super::words::{Relation, Unit, Where};

impl<'a> Parser<'a> {
    /// A distance and the day that it is counted from. Neither says anything alone: "two days" is a
    /// span, and the day is not the one that is meant.
    pub(super) fn relative_day(
        &mut self,
        at: usize,
        setting: Setting,
        base: Date,
    ) -> Parsed<PointHit> {
        let table: &'a Table = self.table;
        let relation = self.matcher.longest(&table.relations, at, Where::Anywhere)?;
        let signed = Setting { allowed: setting.allowed.max(Where::WithSign), ..setting };
        let found = match self.plain_day(relation.end, signed, base)? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        let n = i64::from(relation.caught.n.unwrap_or(1));
        let unit = match relation.means {
            Relation::Before | Relation::After => relation.caught.unit.unwrap_or(Unit::Day),
            Relation::WorkingBefore | Relation::WorkingAfter => Unit::WorkingDay,
            Relation::WeekdayBefore | Relation::WeekdayAfter => Unit::Week,
        };
        let (first, last) = match &found.core {
            Core::Day(day) => (*day, *day),
            Core::Days(first, last) => (*first, *last),
            Core::At(_) => return None,
        };
        let (from, n) = match relation.means {
            Relation::Before | Relation::WorkingBefore => (first, -n),
            Relation::After | Relation::WorkingAfter => (last, n),
            Relation::WeekdayBefore | Relation::WeekdayAfter => {
                let weekday = relation.caught.weekday.and_then(weekday)?.civil();
                let is_after = relation.means == Relation::WeekdayAfter;
                let day = if is_after { last } else { first };
                // Never the day itself: the nearest such weekday is 1 to 7 days away.
                let ahead = i64::from(day.weekday().until(weekday));
                let nearest = match is_after {
                    true if ahead == 0 => 7,
                    true => ahead,
                    false => ahead - 7,
                };
                let nth = match relation.caught.place {
                    None => 1,
                    Some(place) if place > 0 => i64::from(place),
                    Some(_) => return None,
                };
                (plus(day, span(nearest, Unit::Day)).ok()?, nth - 1)
            }
        };
        let day = match unit {
            Unit::Minute | Unit::Hour | Unit::Weekend => return None,
            Unit::WorkingDay => working_days_ahead(from, n),
            Unit::Day | Unit::Week | Unit::Fortnight | Unit::Month | Unit::Quarter | Unit::Year => {
                plus(from, span(n, unit))
            }
        };
        let day = match day {
            Ok(day) => day,
            Err(error) => return Some(Err((found.end, error))),
        };
        // The distance is the sign that a date is meant.
        Some(Ok(PointHit {
            start: at,
            core: Core::Day(day),
            holds: Where::Anywhere,
            has_sign: true,
            ..found
        }))
    }
}
