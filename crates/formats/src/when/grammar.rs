//! Puts days, times, ranges and recurrences together.

use jiff::civil::{Date, Time};

use super::language::{Again, Lead, Means, TimeMeans, Unit, Where};
use super::matching::{Caught, Match, Matcher};
use super::recurrence::{MonthDay, Recurrence, Rule, YearDay};
use super::resolve::{self, Core, Direction, Resolved, Resolver, plus, weekday};
use super::table::{List, Table};
use super::token::Kind as TokenKind;
use super::value::{Assumption, Kind, Moment, Point, Span, When, Zone};
use super::{NotUnderstood, Reader, zone};

/// A date at a place, in tokens.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    pub start: usize,
    pub end: usize,
    pub when: When,
    pub kind: Kind,
    pub assumed: Vec<Assumption>,
}

/// What stands at a place.
pub(super) enum Outcome {
    Hit(Hit),
    /// The form of a date, but none of the calendar.
    Not {
        start: usize,
        end: usize,
        why: NotUnderstood,
    },
}

/// What the words before and around a date allow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub allowed: Where,
    pub lead: Option<Lead>,
    pub direction: Direction,
}

/// A day, a time or both, with what was seen of it.
#[derive(Debug, Clone)]
pub(super) struct PointHit {
    pub start: usize,
    pub end: usize,
    pub core: Core,
    pub assumed: Vec<Assumption>,
    pub is_past: bool,
    pub means: Option<Means>,
    pub holds: Where,
    pub caught: Caught,
    /// Where its day ends, if it has one.
    pub has_time: bool,
    pub has_weekday_and_date: bool,
}

pub(super) struct Parser<'a> {
    pub matcher: Matcher<'a>,
    pub table: &'a Table,
    pub reader: &'a Reader,
}

type Parsed<T> = Option<Result<T, (usize, NotUnderstood)>>;

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, reader: &'a Reader) -> Self {
        let table: &'a Table = reader.language.0;
        Self { matcher: Matcher::new(text, table), table, reader }
    }

    /// Whether anything can begin with this token. Most words of a text cannot.
    pub fn can_begin(&self, at: usize) -> bool {
        match self.matcher.token(at).map(|token| token.class) {
            Some(TokenKind::Word { id, .. }) => id != 0,
            Some(TokenKind::Mark(_) | TokenKind::Opaque | TokenKind::Break) | None => false,
            Some(
                TokenKind::Number { .. }
                | TokenKind::Ordinal(_)
                | TokenKind::Figure(_)
                | TokenKind::Stamp(_)
                | TokenKind::Clock(_),
            ) => true,
        }
    }

    /// Reads a date with its leading words. Of the ways to read them the one that reaches farthest
    /// counts, and of those the one with fewest leading words.
    pub fn at(&mut self, at: usize, allowed: Where) -> Option<Outcome> {
        self.matcher.tokens.move_to(at);
        if !self.can_begin(at) {
            return None;
        }
        let mut best: Option<Outcome> = None;
        let mut lead = None;
        let mut place = at;
        for _ in 0..3 {
            let setting = Setting { allowed, lead, direction: self.direction(at, lead, allowed) };
            if let Some(outcome) = self.from(at, place, setting)
                && best.as_ref().is_none_or(|best| end_of(&outcome) > end_of(best))
            {
                best = Some(outcome);
            }
            let table: &'a Table = self.table;
            let Some(found) = self.matcher.longest(&table.leads, place, Where::Anywhere) else {
                break;
            };
            // "Due on": the first says more.
            lead = match (lead, found.means) {
                (None | Some(Lead::On), new) => Some(new),
                (Some(old), Lead::On) => Some(old),
                (Some(_), new) => Some(new),
            };
            place = found.end;
        }
        best
    }

    fn from(&mut self, start: usize, at: usize, setting: Setting) -> Option<Outcome> {
        let mut setting = setting;
        let mut found = self.whole(start, at, setting);
        // A sentence about the past means the day before now.
        if let Some(Ok(hit)) = &found
            && setting.direction == Direction::Ahead
            && hit.kind == Kind::Mention
            && setting.allowed != Where::Field
            && self.tells_of_past(start, hit.end)
        {
            setting.direction = Direction::Back;
            found = self.whole(start, at, setting);
        }
        match found? {
            Ok(mut hit) => {
                hit.start = start;
                let table: &'a Table = self.table;
                let tail_at =
                    if self.matcher.is_mark(hit.end, &[',']) { hit.end + 1 } else { hit.end };
                if let Some(tail) = self.matcher.longest(&table.tails, tail_at, Where::Anywhere) {
                    hit.end = tail.end;
                    hit.kind = tail.means;
                }
                Some(Outcome::Hit(hit))
            }
            Err((end, why)) => Some(Outcome::Not { start, end, why }),
        }
    }

    fn whole(&mut self, start: usize, at: usize, setting: Setting) -> Parsed<Hit> {
        let again = self.recurrence(at, setting);
        let points = self.points(at, setting);
        match (again, points) {
            (Some(again), Some(Ok(point))) if point.end > again.end => Some(Ok(point)),
            (Some(again), _) => Some(Ok(again)),
            (None, points) => points,
        }
        .map(|found| found.map(|hit| Hit { start, ..hit }))
    }

    /// One point, or two that are the ends of a range.
    fn points(&mut self, at: usize, setting: Setting) -> Parsed<Hit> {
        if let Some(hit) = self.hours(at, setting) {
            return Some(Ok(self.hit(hit, setting)));
        }
        let base = self.reader.now.date();
        let first = match self.point(at, setting, base)? {
            Ok(first) => first,
            Err(error) => return Some(Err(error)),
        };
        if let Some(range) = self.range(&first, setting) {
            return Some(range);
        }
        if setting.allowed != Where::Field && !self.is_plausible(&first, setting) {
            return None;
        }
        Some(Ok(self.hit_of_point(first, setting)))
    }

    fn hit_of_point(&self, point: PointHit, setting: Setting) -> Hit {
        let mut assumed = point.assumed;
        let today = self.reader.now;
        let (first, last) = match &point.core {
            Core::Day(day) => (*day, day.to_datetime(Time::constant(23, 59, 59, 0))),
            Core::At(moment) => (moment.day_in(&self.reader.zone), moment.at),
            Core::Days(from, to) => (*from, to.to_datetime(Time::constant(23, 59, 59, 0))),
        };
        let kind = match setting.lead {
            // "From 6 to 17 July" is the range, not its begin.
            Some(Lead::Is(Kind::Start)) if point.means == Some(Means::DaysOfMonth) => Kind::Mention,
            Some(Lead::Is(kind)) => kind,
            Some(Lead::Before) => {
                assumed.push(Assumption::Before(first));
                Kind::Due
            }
            Some(Lead::Since) => Kind::Past,
            Some(Lead::On) | None if point.means == Some(Means::Within) => Kind::Due,
            Some(Lead::On) | None if setting.direction == Direction::Back => Kind::Past,
            Some(Lead::On) | None if point.is_past || last < today => Kind::Past,
            Some(Lead::On) | None => Kind::Mention,
        };
        let when = match point.core {
            Core::Day(day) => When::Day(day),
            Core::At(moment) => When::At(moment),
            Core::Days(from, to) => When::Span(Span { from: Point::Day(from), to: Point::Day(to) }),
        };
        Hit { start: point.start, end: point.end, when, kind, assumed }
    }

    fn hit(&self, found: Hours, setting: Setting) -> Hit {
        let kind = match setting.lead {
            Some(Lead::Is(Kind::Due)) | Some(Lead::Before) => Kind::Due,
            Some(Lead::Is(Kind::Start | Kind::Mention | Kind::Past) | Lead::On | Lead::Since)
            | None => Kind::Mention,
        };
        let (from, to) = (found.from, found.to);
        let when = When::Span(Span { from: Point::At(from), to: Point::At(to) });
        Hit { start: found.start, end: found.end, when, kind, assumed: found.assumed }
    }

    /// The second end, after "to" or a dash.
    fn range(&mut self, first: &PointHit, setting: Setting) -> Parsed<Hit> {
        let matcher = &self.matcher;
        let joint = first.end;
        let is_between = first.start > 0 && matcher.is_in(first.start - 1, List::Between);
        let joins = matcher.is_in(joint, List::Through)
            || matcher.is_mark(joint, &['-', '–', '—'])
            || first.means == Some(Means::Stamp) && matcher.is_mark(joint, &['/'])
            || is_between && matcher.is_in(joint, List::And);
        let (from, from_day) = match &first.core {
            Core::Day(day) => (Point::Day(*day), *day),
            Core::At(moment) => (Point::At(moment.clone()), moment.at.date()),
            Core::Days(from, _) => (Point::Day(*from), *from),
        };
        if !joins || first.means == Some(Means::Ahead) {
            return None;
        }
        let signed = Setting {
            lead: Some(Lead::On),
            direction: Direction::Ahead,
            allowed: setting.allowed.max(Where::WithSign),
        };
        let second = self.point(joint + 1, signed, from_day)?;
        let second = match second {
            Ok(second) => second,
            Err(error) => return Some(Err(error)),
        };
        // "15.4 to 16.2" can be anything.
        if setting.allowed != Where::Field
            && matches!(first.means, None | Some(Means::Figure))
            && !self.is_plausible(first, setting)
            && !self.is_plausible(&second, setting)
        {
            return None;
        }
        // "December 10 - 14:00" is a day and its time.
        if matches!((&first.core, &second.core), (Core::Day(_), Core::At(_)))
            && second.means.is_none()
        {
            return None;
        }
        let to = match second.core {
            Core::Day(day) | Core::Days(_, day) => Point::Day(day),
            Core::At(moment) => Point::At(moment),
        };
        let mut from = from;
        let mut assumed = first.assumed.clone();
        // A range that has begun: its first day is before today, and its last is not.
        if let (Point::Day(day), Some(Means::DayMonth | Means::Figure)) = (&from, first.means)
            && first.assumed.iter().any(|one| matches!(one, Assumption::Year(_)))
        {
            let today = self.reader.now.date();
            let again = self.point(joint + 1, signed, today);
            if let Some(Ok(PointHit { core: Core::Day(end), assumed: again, .. })) = again
                && end < *day
                && let Some(year) = again.iter().find_map(|one| match one {
                    Assumption::Year(_) => Some(end.year()),
                    _ => None,
                })
                && let Ok(start) = Date::new(year, day.month(), day.day())
            {
                let start = if start > end {
                    Date::new(year - 1, day.month(), day.day()).unwrap_or(start)
                } else {
                    start
                };
                from = Point::Day(start);
                assumed.retain(|one| !matches!(one, Assumption::Year(_)));
                assumed.push(Assumption::Year(year));
                let when = When::Span(Span { from, to: Point::Day(end) });
                return Some(Ok(Hit {
                    start: first.start,
                    end: second.end,
                    when,
                    kind: self.kind_of_range(setting),
                    assumed,
                }));
            }
        }
        let zone = &self.reader.zone;
        if from.day_in(zone) > to.day_in(zone) {
            let text = resolve::short(self.text(first.start, second.end));
            return (setting.allowed == Where::Field)
                .then_some(Err((second.end, NotUnderstood::EndsBeforeItBegins { text })));
        }
        assumed.extend(second.assumed.into_iter().filter(|one| !first.assumed.contains(one)));
        let when = When::Span(Span { from, to });
        let kind = self.kind_of_range(setting);
        Some(Ok(Hit { start: first.start, end: second.end, when, kind, assumed }))
    }

    fn kind_of_range(&self, setting: Setting) -> Kind {
        match setting.lead {
            Some(Lead::Is(Kind::Due)) | Some(Lead::Before) => Kind::Due,
            Some(Lead::Is(_) | Lead::On | Lead::Since) | None => Kind::Mention,
        }
    }

    fn text(&self, start: usize, end: usize) -> &'a str {
        let tokens = &self.matcher.tokens;
        match (tokens.get(start), tokens.get(end.saturating_sub(1))) {
            (Some(first), Some(last)) if first.start <= last.end => {
                &tokens.text[first.start..last.end]
            }
            (_, _) => "",
        }
    }

    /// A day, a day with a time, a time with a day, or a time.
    fn point(&mut self, at: usize, setting: Setting, base: Date) -> Parsed<PointHit> {
        // "9.30 am" is no day.
        let table: &'a Table = self.table;
        let time_end = self
            .matcher
            .longest(&table.times, at, self.with_lead(setting))
            .map_or(at, |time| time.end);
        match self.day(at, setting, base) {
            Some(Ok(day)) if day.end >= time_end => Some(Ok(self.with_time(day))),
            Some(Err((end, why))) if end >= time_end => Some(Err((end, why))),
            Some(_) | None => self.time_first(at, setting, base).map(Ok),
        }
    }

    fn day(&mut self, at: usize, setting: Setting, base: Date) -> Parsed<PointHit> {
        let table: &'a Table = self.table;
        let allowed = self.with_lead(setting);
        let mut found = self.matcher.longest(&table.days, at, allowed)?;
        let mut has_both = false;
        if found.means == Means::Weekday && found.caught.shift.is_none() {
            // "Friday, 20 March": the date counts, the weekday is compared.
            let skip = usize::from(self.matcher.is_mark(found.end, &[',', '.', '(']));
            let dated = self.matcher.longest(&table.days, found.end + skip, Where::WithSign);
            let is_date = |dated: &Match<Means>| match dated.means {
                Means::DayMonth | Means::Figure => true,
                Means::Stamp => true,
                Means::DayOfMonth => dated.caught.shift.is_none(),
                _ => false,
            };
            if let Some(dated) = dated.filter(is_date) {
                let weekday = found.caught.weekday;
                found = dated;
                found.caught.weekday = weekday;
                found.holds = Where::Anywhere;
                has_both = true;
            }
        }
        let stamp = found.caught.stamp.map_or("", |(_, token)| self.text(token, token + 1));
        let text = self.text(at, found.end);
        let resolver = Resolver::new(self.reader, setting.direction, base);
        match resolver.day(found.means, &found.caught, text, stamp) {
            Ok(Resolved { core, mut assumed, is_past }) => {
                if let (Core::Day(day), true, Some(weekday)) =
                    (&core, has_both, found.caught.weekday.and_then(weekday))
                    && found.means != Means::DayMonth
                    && super::Weekday::of(*day) != weekday
                {
                    assumed.push(Assumption::WeekdayDiffers(*day));
                }
                Some(Ok(PointHit {
                    start: at,
                    end: found.end,
                    core,
                    assumed,
                    is_past,
                    means: Some(found.means),
                    holds: found.holds,
                    caught: found.caught,
                    has_time: false,
                    has_weekday_and_date: has_both,
                }))
            }
            Err(
                why @ (NotUnderstood::NoSuchDay { .. }
                | NotUnderstood::NoSuchTime { .. }
                | NotUnderstood::NoSuchZone { .. }),
            ) => {
                // A figure that is no date is most often none because it was never meant as one.
                let is_meant = setting.allowed == Where::Field
                    || setting.lead.is_some()
                    || match found.caught.figure {
                        Some(figure) => {
                            figure.lengths[2] == 4
                                || figure.lengths[0] == 4
                                || figure.is_closed
                                    && figure.parts[0] <= 31
                                    && figure.parts[1] <= 12
                        }
                        None => matches!(found.means, Means::Stamp | Means::DayMonth),
                    };
                is_meant.then_some(Err((found.end, why)))
            }
            Err(why) => (setting.allowed == Where::Field).then_some(Err((found.end, why))),
        }
    }

    fn with_lead(&self, setting: Setting) -> Where {
        match (setting.allowed, setting.lead) {
            (Where::Anywhere, Some(_)) => Where::WithSign,
            (allowed, _) => allowed,
        }
    }

    /// Adds the time after a day: "friday 3pm", "tomorrow evening at 8".
    fn with_time(&mut self, day: PointHit) -> PointHit {
        let date = match (&day.core, day.means) {
            (Core::Day(date), _) => *date,
            (Core::At(moment), Some(Means::Tonight | Means::PartOfToday)) => moment.at.date(),
            (Core::At(_) | Core::Days(..), _) => return day,
        };
        let table: &'a Table = self.table;
        let mut place = day.end;
        if self.matcher.is_mark(place, &[',', '.']) || self.is_glued_dash(place) {
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
            });
            found = found.filter(|found| found.means == TimeMeans::Part);
        }
        let is_evening = day.means == Some(Means::Tonight)
            || day.caught.part.is_some_and(|part| part.hour() >= 12);
        let Some(mut found) = found else { return day };
        // "In the evening at 8".
        let mut part = (found.means == TimeMeans::Part).then_some(found.caught.part).flatten();
        if part.is_some() {
            let more =
                if self.matcher.is_in(found.end, List::At) { found.end + 1 } else { found.end };
            let wanted = if more > found.end { Where::WithSign } else { Where::Anywhere };
            if let Some(exact) = self.matcher.longest(&table.times, more, wanted)
                && exact.means != TimeMeans::Part
            {
                found = exact;
            }
        } else if is_evening {
            part = Some(Time::constant(19, 0, 0, 0));
        }
        if found.caught.part.is_none() && found.caught.half.is_none() {
            found.caught.part =
                part.filter(|part| part.hour() >= 12 || found.caught.clock.is_some());
        }
        let Some((time, assumption, is_next)) = resolve::time(found.means, &found.caught) else {
            return day;
        };
        let Ok(date) = plus(date, jiff::Span::new().days(i64::from(is_next))) else { return day };
        let mut point = day;
        point.assumed.retain(|one| !matches!(one, Assumption::PartOfDay(_)));
        point.assumed.extend(assumption);
        point.end = found.end;
        let zone = self.zone_after(&mut point.end);
        point.core = Core::At(Moment { at: date.to_datetime(time), zone });
        point.has_time = true;
        point
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
    fn zone_after(&self, end: &mut usize) -> Zone {
        let Some(token) = self.matcher.token(*end) else { return Zone::Reader };
        let text = self.matcher.tokens.text_of(token);
        let found = match token.class {
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
    fn time_first(&mut self, at: usize, setting: Setting, base: Date) -> Option<PointHit> {
        let table: &'a Table = self.table;
        let found = self.matcher.longest(&table.times, at, self.with_lead(setting))?;
        let (time, assumption, is_next) = resolve::time(found.means, &found.caught)?;
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
            has_weekday_and_date: false,
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
            Some(Ok(day)) if matches!(day.core, Core::Day(_)) => Some(day),
            _ => None,
        };
        let date = match day {
            Some(day) => {
                point.end = day.end;
                point.assumed = day.assumed;
                point.means = day.means;
                point.is_past = day.is_past;
                point.holds = Where::Anywhere;
                match day.core {
                    Core::Day(date) => date,
                    Core::At(_) | Core::Days(..) => base,
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

/// A stretch of hours on one day.
pub(super) struct Hours {
    start: usize,
    end: usize,
    from: Moment,
    to: Moment,
    assumed: Vec<Assumption>,
}

impl<'a> Parser<'a> {
    /// "3-5pm", "9:00–17:00 on Friday", "tomorrow from 9 to 11", "Friday 3pm to 5pm".
    fn hours(&mut self, at: usize, setting: Setting) -> Option<Hours> {
        let table: &'a Table = self.table;
        let today = self.reader.now.date();
        let before = match self.day(at, setting, today) {
            Some(Ok(day)) if matches!(day.core, Core::Day(_)) => Some(day),
            Some(_) => return None,
            None => None,
        };
        let mut place = before.as_ref().map_or(at, |day| day.end);
        if before.is_some() && self.matcher.is_mark(place, &[',']) {
            place += 1;
        }
        let is_led =
            self.matcher.is_in(place, List::At) || self.matcher.is_in(place, List::Between);
        if before.is_some() && is_led {
            place += 1;
        }
        let is_signed = is_led || setting.allowed == Where::Field && before.is_some();
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
        if !joins {
            return None;
        }
        let second = self.matcher.longest(&table.times, joint + 1, Where::WithSign)?;
        let is_bare = |found: &Match<TimeMeans>| {
            found.caught.half.is_none()
                && found
                    .caught
                    .clock
                    .is_some_and(|clock| clock.hour_length == 1 && clock.minute == 0)
                && found.holds == Where::WithSign
        };
        if is_bare(&second) && !is_signed
            || is_bare(&first)
                && is_bare(&second)
                && before.is_none()
                && setting.allowed != Where::Field
        {
            return None;
        }
        let (to, _, is_next) = resolve::time(second.means, &second.caught)?;
        let mut caught = first.caught;
        let alike = caught.half.is_none() && second.caught.half.is_some();
        if alike {
            caught.half = second.caught.half;
        }
        let (mut from, _, _) = resolve::time(first.means, &caught)?;
        if alike && from >= to {
            // "11-1pm" begins in the morning.
            caught.half = Some(super::language::Half::Morning);
            from = resolve::time(first.means, &caught)?.0;
        }
        if !alike && is_bare(&first) && from >= to {
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

    fn recurrence(&mut self, at: usize, setting: Setting) -> Option<Hit> {
        let table: &'a Table = self.table;
        let allowed =
            if setting.allowed == Where::Anywhere { Where::WithSign } else { setting.allowed };
        let found = self.matcher.longest(&table.recurrences, at, allowed)?;
        let mut end = found.end;
        let mut assumed = Vec::new();
        let mut recurrence = self.again(&found, &mut end)?;
        let bare_end = end;
        let part = found.caught.part;
        self.limits(&mut recurrence, &mut end, &mut assumed, setting, part);
        if let (None, Some(time)) = (recurrence.at, part) {
            recurrence.at = Some(time);
            assumed.push(Assumption::PartOfDay(time));
        }
        if setting.allowed != Where::Field {
            let stands = end > bare_end || self.stands_alone(end);
            let is_vague = matches!(
                found.caught.unit,
                Some(Unit::Minute | Unit::Hour) if found.caught.n.is_none()
            );
            if found.holds == Where::WithSign && !stands || is_vague {
                return None;
            }
        }
        let kind = match setting.lead {
            Some(Lead::Is(kind)) => kind,
            Some(Lead::Before | Lead::On | Lead::Since) | None => Kind::Mention,
        };
        Some(Hit { start: at, end, when: When::Recurring(recurrence), kind, assumed })
    }

    /// Time, begin and end after a recurrence, in any order.
    fn limits(
        &mut self,
        recurrence: &mut Recurrence,
        end: &mut usize,
        assumed: &mut Vec<Assumption>,
        setting: Setting,
        part: Option<Time>,
    ) {
        let table: &'a Table = self.table;
        let today = self.reader.now.date();
        for _ in 0..3 {
            let mut place = *end;
            if self.matcher.is_mark(place, &[',']) {
                place += 1;
            }
            let is_at = self.matcher.is_in(place, List::At) || self.matcher.is_mark(place, &['@']);
            let after = if is_at { place + 1 } else { place };
            let is_limit = matches!(
                self.matcher.longest(&table.leads, place, Where::Anywhere).map(|lead| lead.means),
                Some(Lead::Is(Kind::Due | Kind::Start) | Lead::Before)
            );
            let allowed = if is_at { Where::WithSign } else { Where::Anywhere };
            let mut time = self.matcher.longest(&table.times, after, allowed);
            if time.is_none() && !is_limit {
                time = self
                    .matcher
                    .longest(&table.times, after, Where::WithSign)
                    .filter(|time| time.means == TimeMeans::Part);
            }
            // "Every evening at 8" is 20:00.
            if let Some(time) = &mut time
                && time.caught.half.is_none()
            {
                time.caught.part = time.caught.part.or(part);
            }
            if recurrence.at.is_none()
                && let Some(time) = time
                && let Some((at, assumption, _)) = resolve::time(time.means, &time.caught)
                && !(is_limit && self.day(after, setting, today).is_some())
            {
                recurrence.at = Some(at);
                assumed.extend(assumption);
                *end = time.end;
                continue;
            }
            let Some(lead) = self.matcher.longest(&table.leads, place, Where::Anywhere) else {
                return;
            };
            let signed = Setting {
                lead: Some(lead.means),
                direction: Direction::Ahead,
                allowed: setting.allowed,
            };
            let Some(Ok(day)) = self.day(lead.end, signed, today) else { return };
            let (first, last) = match &day.core {
                Core::Day(day) => (*day, *day),
                Core::Days(from, to) => (*from, *to),
                Core::At(_) => return,
            };
            match lead.means {
                Lead::Is(Kind::Due) if recurrence.until.is_none() => recurrence.until = Some(last),
                Lead::Is(Kind::Start) if recurrence.from.is_none() => recurrence.from = Some(first),
                Lead::Is(_) | Lead::Before | Lead::On | Lead::Since => return,
            }
            assumed.extend(day.assumed);
            *end = day.end;
        }
    }

    fn again(&mut self, found: &Match<Again>, end: &mut usize) -> Option<Recurrence> {
        let caught = &found.caught;
        let n = u16::try_from(caught.n.unwrap_or(1)).ok().filter(|n| *n > 0)?;
        let on_weekday = caught.weekday.and_then(weekday);
        Some(match found.means {
            Again::Interval => of_unit(n, caught.unit?)?,
            Again::EveryOther => of_unit(2, caught.unit?)?,
            Again::EveryThird => of_unit(3, caught.unit?)?,
            Again::EveryFourth => of_unit(4, caught.unit?)?,
            Again::Periodic => {
                let (n, unit) = caught.periodic?;
                of_unit(n, unit)?
            }
            Again::PeriodicWeekday => {
                let (n, unit) = caught.periodic?;
                if unit != Unit::Week {
                    return None;
                }
                Recurrence::new(n, Rule::Weeks(self.more_weekdays(on_weekday?, end)))
            }
            Again::Weekdays => {
                Recurrence::new(n, Rule::Weeks(self.more_weekdays(on_weekday?, end)))
            }
            Again::OtherWeekday => {
                Recurrence::new(2, Rule::Weeks(self.more_weekdays(on_weekday?, end)))
            }
            Again::WorkingDays => Recurrence::new(1, Rule::WorkingDays),
            Again::EachPart => Recurrence::new(1, Rule::Days),
            Again::MonthWeekday => {
                let every = months(caught)?;
                let on = MonthDay::Weekday(caught.place?, on_weekday?);
                Recurrence::new(every, Rule::Months(on))
            }
            Again::PlaceWeekday => match caught.place? {
                place @ (1 | -1) => {
                    let on = MonthDay::Weekday(place, on_weekday?);
                    Recurrence::new(1, Rule::Months(on))
                }
                weeks => {
                    let weeks = u16::try_from(weeks).ok()?;
                    Recurrence::new(weeks, Rule::Weeks(vec![on_weekday?]))
                }
            },
            Again::MonthDay => {
                let every = if caught.n.is_some() { n } else { months(caught)? };
                Recurrence::new(every, Rule::Months(MonthDay::Number(caught.day?)))
            }
            Again::MonthNthDay => {
                Recurrence::new(months(caught)?, Rule::Months(MonthDay::Number(caught.place?)))
            }
            Again::MonthEnd => Recurrence::new(1, Rule::Months(MonthDay::Number(-1))),
            Again::MonthWorkingDay => {
                Recurrence::new(months(caught)?, Rule::Months(MonthDay::WorkingDay(caught.place?)))
            }
            Again::YearDay => {
                let (month, day) = (caught.month?, caught.day?);
                Date::new(2024, month, day).ok()?;
                Recurrence::new(1, Rule::Years(Some(YearDay { month, day })))
            }
        })
    }

    /// "Monday, Wednesday and Friday", after the first.
    fn more_weekdays(&mut self, first: super::Weekday, end: &mut usize) -> Vec<super::Weekday> {
        let mut days = vec![first];
        for _ in 0..7 {
            let mut place = *end;
            while self.matcher.is_mark(place, &[',', '/', '&', '+'])
                || self.matcher.is_in(place, List::And)
            {
                place += 1;
                if place > *end + 2 {
                    break;
                }
            }
            let named = self.matcher.entry(place).senses.iter().find_map(|sense| match sense {
                super::table::Sense::Weekday(n) | super::table::Sense::WeekdayAgain(n) => {
                    weekday(*n)
                }
                _ => None,
            });
            let Some(day) = named.filter(|_| place > *end) else { break };
            days.push(day);
            *end = place + 1;
        }
        days.sort_unstable();
        days.dedup();
        days
    }
}

fn months(caught: &Caught) -> Option<u16> {
    match caught.periodic {
        None => Some(1),
        Some((n, Unit::Month)) => Some(n),
        Some((n, Unit::Year)) => n.checked_mul(12),
        Some(_) => None,
    }
}

fn of_unit(n: u16, unit: Unit) -> Option<Recurrence> {
    let (n, rule) = match unit {
        Unit::Minute => (n, Rule::Minutes),
        Unit::Hour => (n, Rule::Hours),
        Unit::Day => (n, Rule::Days),
        Unit::WorkingDay => (n, Rule::WorkingDays),
        Unit::Week => (n, Rule::Weeks(Vec::new())),
        Unit::Weekend => (n, Rule::Weeks(vec![super::Weekday::Saturday])),
        Unit::Fortnight => (n.checked_mul(2)?, Rule::Weeks(Vec::new())),
        Unit::Month => (n, Rule::Months(MonthDay::Same)),
        Unit::Quarter => (n.checked_mul(3)?, Rule::Months(MonthDay::Same)),
        Unit::Year => (n, Rule::Years(None)),
    };
    Some(Recurrence::new(n, rule))
}

fn end_of(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Hit(hit) => hit.end,
        Outcome::Not { end, .. } => *end,
    }
}
