//! Days with a time, and times with a day.

use jiff::civil::{Date, Time};

use super::calendar::{plus, weekday};
use super::clock;
use super::figure::Figure;
use super::grammar::{Parser, PointHit, Setting};
use super::matching::{Caught, Match};
use super::recurrence::Weekday;
use super::resolve::{Core, Direction, Resolved, Resolver};
use super::table::{List, Sense, Table};
use super::token::Kind as TokenKind;
use super::value::{Assumption, Kind, Moment, Zone};
use super::words::{Lead, Means, TimeMeans, Unit, Where};
use super::zone;

impl<'a> Parser<'a> {
    /// Adds the time after a day: "friday 3pm", "tomorrow evening at 8".
    pub(super) fn with_time(&mut self, day: PointHit) -> PointHit {
        let date = match (&day.core, day.means) {
            (Core::Day(date), _) => *date,
            (Core::At(moment), Some(Means::Tonight | Means::PartOfToday)) => moment.at.date(),
            (Core::At(_) | Core::Days(..), _) => return day,
        };
        let table: &'a Table = self.table;
        let day = self.with_end_of_work(day);
        let mut place = day.end;
        if self.matcher.is_mark(place, &[',', '.', '·']) || self.is_glued_dash(place) {
            place += 1;
        }
        let is_at = self.matcher.is_in(place, List::At) || self.matcher.is_mark(place, &['@']);
        let after = if is_at { place + 1 } else { place };
        let allowed = if is_at { Where::WithSign } else { Where::Anywhere };
        let mut found = self.matcher.longest(&table.times, after, allowed);
        if found.is_none() {
            found = self.matcher.longest(&table.times, after, Where::WithSign).filter(|found| {
                found.means == TimeMeans::Part
                    || found.caught.clock.is_some_and(|c| c.hour_length == 2)
                    || self.is_hour_of_day(found, after)
            });
            // "Friday 0730": no year and no amount begins with a zero.
            let is_digits = self.matcher.token(after).is_some_and(|token| {
                matches!(token.class, TokenKind::Number { digits: 4, value: 0..1000 })
            });
            found = found.filter(|found| {
                found.means == TimeMeans::Part
                    || is_digits && found.end == after + 1
                    || self.is_hour_of_day(found, after)
            });
        }
        // "Tonight 8": after a part of the day, a number alone is its hour.
        let is_part = matches!(day.means, Some(Means::Tonight | Means::PartOfToday));
        if found.is_none() && is_part {
            found = self.bare_hour(after);
        }
        let is_evening = day.means == Some(Means::Tonight)
            || day.caught.part.is_some_and(|part| part.hour() >= 12);
        // "Tomorrow at 9 people": the number is no hour.
        let found = found.filter(|found| {
            found.holds != Where::WithSign
                || found.means == TimeMeans::Part
                || !self.matcher.is_in(found.end, List::Counter)
        });
        // "24/7 at 1200 rpm": nor are four figures before a word.
        let found = found.filter(|found| !found.caught.is_digits || self.stands_alone(found.end));
        let Some(mut found) = found else { return day };
        // "Mon 9.30"; "Mon 9.30 kg" is an amount.
        let is_weekday = matches!(day.means, Some(Means::Weekday)) && !day.has_sign
            || day.means == Some(Means::DayMonth) && day.caught.weekday.is_some();
        if is_weekday
            && let Some(TokenKind::Figure(figure)) =
                self.matcher.token(after).map(|token| token.class)
            && is_dotted_time(figure)
            && found.end == after + 1
            && !self.is_counted(found.end)
            && let Some(clock) = &mut found.caught.clock
        {
            clock.is_dotted = false;
        }
        // "In the evening at 8".
        let mut part = (found.means == TimeMeans::Part).then_some(found.caught.part).flatten();
        if part.is_some() {
            let more =
                if self.matcher.is_in(found.end, List::At) { found.end + 1 } else { found.end };
            let wanted = if more > found.end { Where::WithSign } else { Where::Anywhere };
            let exact = self.matcher.longest(&table.times, more, wanted);
            if let Some(exact) = exact.or_else(|| self.bare_hour(more))
                && exact.means != TimeMeans::Part
            {
                found = exact;
            }
        } else if is_evening {
            // "This afternoon at 2" is in that part of the day.
            let own = day.caught.part.filter(|part| part.hour() >= 12);
            part = own.or(Some(Time::constant(19, 0, 0, 0)));
        }
        if found.caught.part.is_none() && found.caught.half.is_none() {
            found.caught.part =
                part.filter(|part| part.hour() >= 12 || found.caught.clock.is_some());
        }
        let Some((time, assumption, is_next)) = clock::time(found.means, &found.caught) else {
            return day;
        };
        let Ok(date) = plus(date, jiff::Span::new().days(i64::from(is_next))) else { return day };
        let lead = self.matcher.longest(&table.leads, place, Where::Anywhere);
        let is_due = is_at
            && !self.matcher.is_in(place, List::Lasting)
            && lead.is_some_and(|lead| matches!(lead.means, Lead::Is(Kind::Due) | Lead::Before));
        let mut point = day;
        point.is_due = is_due;
        point.assumed.retain(|one| !matches!(one, Assumption::PartOfDay(_)));
        point.assumed.extend(assumption);
        point.end = found.end;
        let zone = self.zone_after(&mut point.end);
        point.core = Core::At(Moment { at: date.to_datetime(time), zone });
        point.has_time = true;
        point
    }

    /// "Mon 9.30": after a weekday, two numbers that are no date which falls on it are a time, if they can be one.
    pub(super) fn is_time_of_weekday(
        &self,
        dated: &Match<Means>,
        weekday: Option<Weekday>,
        direction: Direction,
        base: Date,
    ) -> bool {
        let is_clock = dated.means == Means::Figure
            && dated
                .caught
                .figure
                .is_some_and(|figure| !figure.is_closed && is_dotted_time(figure));
        if !is_clock {
            return false;
        }
        let resolver = Resolver::new(self.reader, direction, base);
        let text = self.text(dated.end.saturating_sub(1), dated.end);
        match resolver.day(dated.means, &dated.caught, text, "") {
            Ok(Resolved { core: Core::Day(day), .. }) => weekday != Some(Weekday::of(day)),
            Ok(_) | Err(_) => true,
        }
    }

    /// "Friday 11", "Freitag 11.": the next such day of a month, if it comes within a year; a number that can be an
    /// hour, within two months. The number is none that counts what is after it, and no hour of a list or a range.
    pub(super) fn number_of_weekday(
        &mut self,
        found: &Match<Means>,
        start: usize,
        setting: Setting,
        base: Date,
    ) -> Option<PointHit> {
        let number = found.end;
        let TokenKind::Number { value, digits: 1..=2 } = self.matcher.token(number)?.class else {
            return None;
        };
        let dot = self.matcher.is_mark(number + 1, &['.'])
            && self.matcher.token(number + 1).is_some_and(|mark| mark.is_glued);
        let end = number + 1 + usize::from(dot);
        let is_joined = self.matcher.is_mark(end, &['-', '–', '—', '/', '&', ':', '+', '*'])
            || self.matcher.is_in(end, List::Through)
            || self.matcher.is_in(end, List::And)
            || self.is_word(end, "of");
        let table: &'a Table = self.table;
        let hour = self.matcher.longest(&table.times, number, Where::WithSign);
        let is_hour = hour.is_some_and(|hour| hour.end > number + 1);
        if is_joined || is_hour || !self.stands_alone(end) || setting.direction == Direction::Back {
            return None;
        }
        let weekday = found.caught.weekday.and_then(weekday)?;
        let day = i8::try_from(value).ok().filter(|day| (1..=31).contains(day))?;
        let mut resolver = Resolver::new(self.reader, setting.direction, base);
        let text = self.text(start, end);
        let date = resolver.weekday_of_number(weekday, day, text).ok()?;
        let months = if day <= 12 && !dot { 2 } else { 12 };
        let last = plus(base, jiff::Span::new().months(months)).ok()?;
        let caught = Caught { day: Some(day), ..found.caught };
        (date <= last).then_some(PointHit {
            start,
            end,
            core: Core::Day(date),
            assumed: resolver.assumed,
            is_past: false,
            means: Some(Means::Weekday),
            holds: found.holds,
            caught,
            has_time: false,
            is_due: false,
            has_sign: !found.caught.is_ambiguous,
        })
    }

    /// "14h": an hour of a clock of 24, and no length of time that fits into a day. Where hours are not counted with
    /// this letter, any hour: "mardi 9h".
    pub(super) fn is_hour_of_day(&self, found: &Match<TimeMeans>, at: usize) -> bool {
        let counts = self.matcher.entry(at + 1).senses.contains(&Sense::Unit(Unit::Hour));
        let least = if counts { 13 } else { 1 };
        found.end == at + 2
            && found.caught.clock.is_some_and(|clock| (least..=23).contains(&clock.hour))
            && self.matcher.token(at + 1).is_some_and(|token| {
                token.is_glued && self.matcher.tokens.text_of(token).eq_ignore_ascii_case("h")
            })
    }

    /// A number from 1 to 12 that counts nothing and is no part of a list or a range.
    fn bare_hour(&mut self, at: usize) -> Option<Match<TimeMeans>> {
        let table: &'a Table = self.table;
        let is_figure = self
            .matcher
            .token(at)
            .is_some_and(|token| matches!(token.class, TokenKind::Number { value: 1..=12, .. }));
        let found = self.matcher.longest(&table.times, at, Where::WithSign)?;
        let after = found.end;
        let is_free = self.stands_alone(after)
            && !self.is_word(after, "of")
            && !self.matcher.is_mark(after, &['-', '–', '/', '&', ':'])
            && !self.is_counted(after);
        (is_figure && found.end == at + 1 && is_free).then_some(found)
    }

    /// Whether a word makes the number after it the number of a thing: "room 7".
    fn refers(&self, before: usize) -> bool {
        self.matcher.is_in(before, List::Reference)
            || self.matcher.is_in(before, List::Article)
            || self.matcher.is_mark(before, &['#', '€', '$', '£'])
    }

    /// Whether the word before a number says that it counts: "for 2", but not "moved for 2".
    fn is_counted_for(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.matcher.is_in(before, List::Counted))
            && !at.checked_sub(2).is_some_and(|moved| self.matcher.is_in(moved, List::Moved))
    }

    /// The second full stop of "p.m."
    fn is_dot_of_short_form(&self, at: usize) -> bool {
        self.matcher.is_mark(at, &['.'])
            && at.checked_sub(1).and_then(|before| self.matcher.token(before)).is_some_and(
                |before| {
                    matches!(before.class, TokenKind::Word { .. })
                        && self.matcher.tokens.text_of(before).contains('.')
                },
            )
    }

    fn is_glued_dash(&self, at: usize) -> bool {
        self.matcher.is_mark(at, &['-', '–'])
            && self
                .matcher
                .token(at + 1)
                .is_some_and(|token| matches!(token.class, TokenKind::Clock(_)))
    }

    /// `UTC` or a name of the IANA database after a time.
    pub(super) fn zone_after(&self, end: &mut usize) -> Zone {
        let Some(token) = self.matcher.token(*end) else { return Zone::Reader };
        let text = self.matcher.tokens.text_of(token);
        // "-0500" is a mark and a number.
        if token.is_mark('-')
            && let Some(after) = self.matcher.token(*end + 1).filter(|after| after.is_glued)
            && let Some(east) = distance(&self.matcher.tokens.text[token.start..after.end])
        {
            *end += 2;
            return Zone::Offset(east);
        }
        let found = match token.class {
            TokenKind::Opaque if matches!(text, "Z" | "z") && token.is_glued => {
                Some(Zone::Offset(0))
            }
            TokenKind::Opaque if text.starts_with('+') => distance(text).map(Zone::Offset),
            _ if text.eq_ignore_ascii_case("utc") || text.eq_ignore_ascii_case("gmt") => {
                Some(Zone::Offset(0))
            }
            TokenKind::Opaque if text.contains('/') && text.len() < 40 => {
                zone::named(text).map(|_| Zone::Named(text.to_owned()))
            }
            _ => None,
        };
        match found {
            Some(zone) => {
                *end += 1;
                zone
            }
            None => Zone::Reader,
        }
    }

    /// "3pm on Friday", "9:00 tomorrow", "noon".
    pub(super) fn time_first(
        &mut self,
        at: usize,
        setting: Setting,
        base: Date,
    ) -> Option<PointHit> {
        let table: &'a Table = self.table;
        let wanted = self.with_lead(setting);
        let mut is_bare_hour = false;
        let found = self.matcher.longest(&table.times, at, wanted).or_else(|| {
            // "14h tomorrow", "7 tonight": what follows says that it is an hour.
            is_bare_hour = true;
            let found = self.matcher.longest(&table.times, at, Where::WithSign)?;
            let is_hour = self.is_hour_of_day(&found, at)
                || found.end == at + 1
                    && !found.caught.is_digits
                    && found.caught.clock.is_some_and(|clock| (5..=11).contains(&clock.hour))
                    && !at.checked_sub(1).is_some_and(|before| self.refers(before));
            is_hour.then_some(found)
        })?;
        // "Dinner for 2 on Friday": how many, not when. "Moved for 2" says when.
        let counts_hours = found.end == at + 2
            && self.matcher.entry(at + 1).senses.contains(&Sense::Unit(Unit::Hour));
        let is_number = found.holds == Where::WithSign && (found.end == at + 1 || counts_hours);
        if is_number && setting.allowed != Where::Field && self.is_counted_for(at) {
            return None;
        }
        let mut end = found.end + usize::from(self.is_dot_of_short_form(found.end));
        let zone = self.zone_after(&mut end);
        let mut point = PointHit {
            start: at,
            end,
            core: Core::Day(base),
            assumed: Vec::new(),
            is_past: false,
            means: None,
            holds: found.holds,
            caught: found.caught,
            has_time: true,
            is_due: false,
            has_sign: false,
        };
        let mut skip = end;
        if self.matcher.is_mark(skip, &[',']) {
            skip += 1;
        }
        let leads = self.matcher.longest(&table.leads, skip, Where::Anywhere);
        let after_lead = leads.filter(|lead| lead.means == Lead::On).map(|lead| lead.end);
        let signed = Setting { lead: after_lead.map(|_| Lead::On), ..setting };
        let day = self.day(after_lead.unwrap_or(skip), signed, base);
        let day = match day {
            Some(Ok(day)) if matches!(day.core, Core::Day(_)) || is_part_of_day(&day) => Some(day),
            _ => None,
        };
        if is_bare_hour {
            let is_tonight = day.as_ref().is_some_and(is_part_of_day);
            let has_day = day.as_ref().is_some_and(|day| !day.is_past);
            let is_hour = self.is_hour_of_day(&found, at);
            if !(is_tonight || has_day && is_hour) {
                return None;
            }
        }
        // "Half past seven tonight": the hour is one of that part of the day.
        let mut caught = found.caught;
        if let Some(day) = day.as_ref().filter(|day| is_part_of_day(day))
            && caught.part.is_none()
            && caught.half.is_none()
        {
            caught.part = day.caught.part.or(Some(Time::constant(19, 0, 0, 0)));
        }
        // "At 7 tomorrow evening", "halb elf heute Abend": the part of the day follows the day.
        let mut day = day;
        if let Some(day) = &mut day
            && matches!(day.core, Core::Day(_))
            && caught.part.is_none()
            && caught.half.is_none()
            && let Some(part) = self.matcher.longest(&table.times, day.end, Where::WithSign)
            && part.means == TimeMeans::Part
        {
            caught.part = part.caught.part;
            day.end = part.end;
        }
        let (time, assumption, is_next) = clock::time(found.means, &caught)?;
        // "Up to 3 luni": a number before a word that is also a weekday counts the other thing.
        let is_count = found.holds == Where::WithSign
            && after_lead.is_none()
            && day.as_ref().is_some_and(|day| day.caught.is_ambiguous);
        if is_count {
            return None;
        }
        let date = match day {
            Some(day) => {
                point.end = day.end;
                point.assumed = day.assumed;
                point.means = day.means;
                point.is_past = day.is_past;
                point.holds = Where::Anywhere;
                match day.core {
                    Core::Day(date) => date,
                    Core::At(moment) => moment.at.date(),
                    Core::Days(..) => base,
                }
            }
            None if base != self.reader.now.date() => base,
            None if time > self.reader.now.time() || is_next => base,
            None => {
                let day = plus(base, jiff::Span::new().days(1)).ok()?;
                point.assumed.push(Assumption::NextTime(day));
                day
            }
        };
        let date = plus(date, jiff::Span::new().days(i64::from(is_next))).ok()?;
        point.assumed.extend(assumption);
        point.core = Core::At(Moment { at: date.to_datetime(time), zone });
        Some(point)
    }
}

/// The distance from UTC after a time, in full: "+0100", "-05:30".
fn distance(text: &str) -> Option<i32> {
    matches!(text.len(), 5 | 6).then(|| zone::offset(text)).flatten()
}

/// Whether two numbers with a full stop between them are written as people write a time: "9.30". Few appointments
/// are at 9.12.
fn is_dotted_time(figure: Figure) -> bool {
    let [hour, minute, _] = figure.parts;
    let is_short = figure.sign == '.' && figure.lengths[1] == 2 && figure.lengths[2] == 0;
    is_short && hour < 24 && minute < 60 && minute % 5 == 0
}

/// Whether a day is a part of today that has a time of its own: "tonight", "this evening".
fn is_part_of_day(day: &PointHit) -> bool {
    matches!(day.core, Core::At(_))
        && matches!(day.means, Some(Means::Tonight | Means::PartOfToday))
}
