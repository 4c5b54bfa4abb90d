//! Stretches of hours on a day.

use jiff::civil::{Date, Time};

use super::calendar::plus;
use super::clock;
use super::grammar::{Hours, Parser, Setting};
use super::matching::Match;
use super::resolve::Core;
use super::table::{List, Table};
use super::value::{Assumption, Kind, Moment};
use super::words::{Half, Lead, Means, TimeMeans, Where};

impl<'a> Parser<'a> {
    /// "3-5pm", "9:00–17:00 on Friday", "tomorrow from 9 to 11", "Friday 3pm to 5pm".
    pub(super) fn hours(&mut self, at: usize, setting: Setting) -> Option<Hours> {
        let table: &'a Table = self.table;
        let today = self.reader.now.date();
        let before = match self.day(at, setting, today) {
            Some(Ok(day)) if matches!(day.core, Core::Day(_)) => Some(day),
            Some(_) => return None,
            None => None,
        };
        let mut place = before.as_ref().map_or(at, |day| day.end);
        if before.is_some() && self.matcher.is_mark(place, &[',', '·']) {
            place += 1;
        }
        let is_led =
            self.matcher.is_in(place, List::At) || self.matcher.is_in(place, List::Between);
        if before.is_some() && is_led {
            place += 1;
        }
        let has_begin = before.is_some() || setting.lead == Some(Lead::Is(Kind::Start));
        // "Wed 9-10": two hours right after a weekday, and nothing that they count.
        let is_weekday = before.as_ref().is_some_and(|day| {
            day.means == Some(Means::Weekday) && day.end == place && !day.has_sign
        });
        let is_signed = is_led || setting.allowed == Where::Field && has_begin;
        let first = self.matcher.longest(&table.times, place, Where::WithSign)?;
        if first.caught.clock.is_none()
            && first.caught.part.is_none()
            && first.means != TimeMeans::Part
        {
            return None;
        }
        let joint = first.end;
        let joins = self.matcher.is_in(joint, List::Through)
            || self.matcher.is_mark(joint, &['-', '–', '—'])
            || self.matcher.is_in(joint, List::And)
                && place > 0
                && self.matcher.is_in(place - 1, List::Between);
        // "Demain soir à 20h": after a part of the day the word says at which hour.
        if first.means == TimeMeans::Part && self.matcher.is_in(joint, List::At) {
            return None;
        }
        if !joins {
            return None;
        }
        let second = self.matcher.longest(&table.times, joint + 1, Where::WithSign)?;
        let is_bare = |found: &Match<TimeMeans>| {
            found.caught.half.is_none()
                && found.caught.clock.is_some_and(|clock| {
                    found.caught.is_digits || clock.hour_length == 1 && clock.minute == 0
                })
                && found.holds == Where::WithSign
        };
        let hour = |found: &Match<TimeMeans>| found.caught.clock.map(|clock| clock.hour);
        let is_stretch = is_weekday
            && is_bare(&first)
            && is_bare(&second)
            && self.matcher.is_mark(joint, &['-', '–'])
            && (hour(&first) < hour(&second)
                || hour(&first) >= Some(9) && hour(&second) >= Some(1))
            && hour(&first) != hour(&second)
            && first.end == place + 1
            && second.end == joint + 2
            && self.stands_alone(second.end)
            && !self.is_word(second.end, "of");
        if is_bare(&second) && !is_signed && !is_stretch
            || is_bare(&first)
                && is_bare(&second)
                && before.is_none()
                && setting.allowed != Where::Field
        {
            return None;
        }
        let (to, _, is_next) = clock::time(second.means, &second.caught)?;
        let mut caught = first.caught;
        let alike = caught.half.is_none() && second.caught.half.is_some();
        if alike {
            caught.half = second.caught.half;
        }
        let (mut from, _, _) = clock::time(first.means, &caught)?;
        if alike && from >= to {
            // "11-1pm" begins in the morning.
            caught.half = Some(Half::Morning);
            from = clock::time(first.means, &caught)?.0;
        }
        if !alike && is_bare(&first) && !caught.is_digits && from >= to {
            let hour = caught.clock?.hour;
            from = Time::new(i8::try_from(hour % 24).ok()?, 0, 0, 0).ok()?;
        }
        let mut end = second.end;
        let zone = self.zone_after(&mut end);
        let mut assumed = Vec::new();
        let date = match before {
            Some(day) => {
                assumed = day.assumed;
                match day.core {
                    Core::Day(date) => date,
                    Core::At(_) | Core::Days(..) => return None,
                }
            }
            None => {
                let leads = self.matcher.longest(&table.leads, end, Where::Anywhere);
                let on = leads.filter(|lead| lead.means == Lead::On).map_or(end, |lead| lead.end);
                match self.day(on, setting, today) {
                    Some(Ok(day)) if matches!(day.core, Core::Day(_)) => {
                        end = day.end;
                        assumed = day.assumed;
                        match day.core {
                            Core::Day(date) => date,
                            Core::At(_) | Core::Days(..) => return None,
                        }
                    }
                    _ if from > self.reader.now.time() => today,
                    _ => {
                        let day = plus(today, jiff::Span::new().days(1)).ok()?;
                        assumed.push(Assumption::NextTime(day));
                        day
                    }
                }
            }
        };
        // A night that ends on the next morning.
        let overnight = i64::from(is_next || to <= from);
        let last = plus(date, jiff::Span::new().days(overnight)).ok()?;
        let moment =
            |day: Date, time: Time| Moment { at: day.to_datetime(time), zone: zone.clone() };
        Some(Hours { start: at, end, from: moment(date, from), to: moment(last, to), assumed })
    }
}
