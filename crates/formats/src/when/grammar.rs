//! Puts days, times, ranges and recurrences together.

use std::ops::Range;

use jiff::civil::{Date, Time};

use super::calendar::weekday;
use super::error::NotUnderstood;
use super::matching::{Caught, Match, Matcher};
use super::reader::Reader;
use super::recurrence::Weekday;
use super::resolve::{Core, Direction, Resolved, Resolver};
use super::table::{List, Table};
use super::token::Kind as TokenKind;
use super::value::{Assumption, Kind, Moment, Point, Span, When};
use super::words::{Lead, Means, Shift, Where};

/// A date at a place, in tokens.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    pub start: usize,
    pub end: usize,
    /// The date itself, without words that lead to it or follow it.
    pub date: Range<usize>,
    pub when: When,
    pub kind: Kind,
    pub assumed: Vec<Assumption>,
}

/// What is at a place.
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
    /// Whether the word before its time makes it a deadline: "tomorrow by 5".
    pub is_due: bool,
    /// Whether something in it says that a date is meant: a weekday with its date, a distance.
    pub has_sign: bool,
}

/// A stretch of hours on one day.
pub(super) struct Hours {
    pub start: usize,
    pub end: usize,
    pub from: Moment,
    pub to: Moment,
    pub assumed: Vec<Assumption>,
}

pub(super) struct Parser<'a> {
    pub matcher: Matcher<'a>,
    pub table: &'a Table,
    pub reader: &'a Reader,
}

pub(super) type Parsed<T> = Option<Result<T, (usize, NotUnderstood)>>;

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, reader: &'a Reader) -> Self {
        let table: &'a Table = reader.language.0;
        let matcher = Matcher::new(text, table, reader.now.date().year());
        Self { matcher, table, reader }
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
                (Some(old), Lead::On) | (Some(old @ Lead::Since), _) => Some(old),
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
                if hit.kind == Kind::Due
                    && setting.allowed != Where::Field
                    && self.tells_how_long(start, hit.end)
                {
                    hit.kind = Kind::Mention;
                }
                if hit.kind == Kind::Due
                    && setting.allowed != Where::Field
                    && (self.forbids(start, setting.lead) || self.is_condition(start, hit.end))
                {
                    hit.kind = Kind::Start;
                }
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
        .map(|found| found.map(|hit| Hit { start, date: hit.start..hit.end, ..hit }))
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
            Some(Lead::After) => {
                assumed.push(Assumption::After(last.date()));
                Kind::Start
            }
            Some(Lead::Since) => Kind::Past,
            Some(Lead::On) | None if point.is_due => Kind::Due,
            Some(Lead::On) | None if point.means == Some(Means::Within) => Kind::Due,
            Some(Lead::On) | None if setting.direction == Direction::Back => Kind::Past,
            Some(Lead::On) | None if point.is_past || last < today => Kind::Past,
            Some(Lead::On) | None => Kind::Mention,
        };
        let is_before = matches!(setting.lead, Some(Lead::Before));
        let when = match point.core {
            // "Before March" ends when March begins; "before the end of March" names its day.
            Core::Days(from, _) if is_before && point.means != Some(Means::Edge) => {
                When::Day(from.yesterday().unwrap_or(from))
            }
            Core::Day(day) => When::Day(day),
            Core::At(moment) => When::At(moment),
            Core::Days(from, to) => When::Span(Span { from: Point::Day(from), to: Point::Day(to) }),
        };
        let date = point.start..point.end;
        Hit { start: point.start, end: point.end, date, when, kind, assumed }
    }

    fn hit(&self, found: Hours, setting: Setting) -> Hit {
        let kind = match setting.lead {
            Some(Lead::Is(Kind::Due)) | Some(Lead::Before) => Kind::Due,
            Some(
                Lead::Is(Kind::Start | Kind::Mention | Kind::Past)
                | Lead::After
                | Lead::On
                | Lead::Since,
            )
            | None => Kind::Mention,
        };
        let (from, to) = (found.from, found.to);
        let when = When::Span(Span { from: Point::At(from), to: Point::At(to) });
        let date = found.start..found.end;
        Hit { start: found.start, end: found.end, date, when, kind, assumed: found.assumed }
    }

    pub(super) fn text(&self, start: usize, end: usize) -> &'a str {
        let tokens = &self.matcher.tokens;
        match (tokens.get(start), tokens.get(end.saturating_sub(1))) {
            (Some(first), Some(last)) if first.start <= last.end => {
                &tokens.text[first.start..last.end]
            }
            (_, _) => "",
        }
    }

    /// A day, a day with a time, a time with a day, or a time.
    pub(super) fn point(&mut self, at: usize, setting: Setting, base: Date) -> Parsed<PointHit> {
        // "9.30 am" is no day.
        let table: &'a Table = self.table;
        let time_end = self
            .matcher
            .longest(&table.times, at, self.with_lead(setting))
            .map_or(at, |time| time.end);
        // "14h tomorrow" is an hour of a day, not so many hours from then.
        let hour = self.matcher.longest(&table.times, at, Where::WithSign);
        if hour.is_some_and(|hour| self.is_hour_of_day(&hour, at))
            && let Some(point) = self.time_first(at, setting, base)
        {
            return Some(Ok(point));
        }
        match self.day(at, setting, base) {
            Some(Ok(day)) if day.end >= time_end => Some(Ok(self.with_time(day))),
            Some(Err((end, why))) if end >= time_end => Some(Err((end, why))),
            Some(_) | None => self.time_first(at, setting, base).map(Ok),
        }
    }

    pub(super) fn day(&mut self, at: usize, setting: Setting, base: Date) -> Parsed<PointHit> {
        if let Some(day) = self.end_of_work(at, setting, base) {
            return Some(Ok(day));
        }
        let plain = self.plain_day(at, setting, base);
        let relative = self.relative_day(at, setting, base);
        match (plain, relative) {
            (Some(Ok(plain)), Some(Ok(relative))) if plain.end < relative.end => Some(Ok(relative)),
            (None | Some(Err(_)), Some(relative)) => Some(relative),
            (plain, _) => plain,
        }
    }

    pub(super) fn plain_day(
        &mut self,
        at: usize,
        setting: Setting,
        base: Date,
    ) -> Parsed<PointHit> {
        let table: &'a Table = self.table;
        let allowed = self.with_lead(setting);
        let mut found = self.matcher.longest(&table.days, at, allowed)?;
        let mut has_both = false;
        let is_coming = matches!(found.caught.shift, Some(Shift::Next | Shift::Coming));
        if found.means == Means::Weekday && (found.caught.shift.is_none() || is_coming) {
            // "Friday, 20 March": the date counts, the weekday is compared.
            let skip = usize::from(self.matcher.is_mark(found.end, &[',', '.', '(']));
            let dated = self.matcher.longest(&table.days, found.end + skip, Where::WithSign);
            let is_date = |dated: &Match<Means>| match dated.means {
                Means::DayMonth | Means::Figure | Means::Numbers | Means::Stamp => !is_coming,
                Means::DayOfMonth => dated.caught.shift.is_none(),
                _ => false,
            };
            let mut dated = dated.filter(is_date);
            // "Freitag, den 11.12.", "vendredi, le 11 décembre".
            let article = found.end + skip;
            if dated.is_none() && self.matcher.is_in(article, List::DayArticle) {
                let after = self.matcher.longest(&table.days, article + 1, Where::WithSign);
                dated = after.filter(|dated| is_date(dated) && dated.means != Means::DayOfMonth);
            }
            let weekday_of = found.caught.weekday.and_then(weekday);
            let is_time = |dated: &Match<Means>| {
                self.is_time_of_weekday(dated, weekday_of, setting.direction, base)
            };
            if let Some(dated) = dated.filter(|dated| !is_time(dated)) {
                let weekday = found.caught.weekday;
                found = dated;
                found.caught.weekday = weekday;
                found.holds = Where::Anywhere;
                has_both = true;
            }
        }
        if found.means == Means::Weekday
            && found.caught.shift.is_none()
            && !has_both
            && let Some(day) = self.number_of_weekday(&found, at, setting, base)
        {
            return Some(Ok(day));
        }
        let stamp = found.caught.stamp.map_or("", |(_, token)| self.text(token, token + 1));
        let text = self.text(at, found.end);
        let resolver = Resolver::new(self.reader, setting.direction, base);
        match resolver.day(found.means, &found.caught, text, stamp) {
            Ok(Resolved { core, mut assumed, is_past }) => {
                if let (Core::Day(day), true, Some(weekday)) =
                    (&core, has_both, found.caught.weekday.and_then(weekday))
                    && found.means != Means::DayMonth
                    && Weekday::of(*day) != weekday
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
                    is_due: false,
                    has_sign: has_both,
                }))
            }
            Err(
                why @ (NotUnderstood::NoSuchDay { .. }
                | NotUnderstood::NoSuchTime { .. }
                | NotUnderstood::NoSuchZone { .. }),
            ) => {
                // A figure that is no date is most often none because it was never meant as one.
                let is_meant = setting.allowed == Where::Field
                    || setting.lead.is_some() && !self.is_place_or_amount(at, found.caught.figure)
                    || match found.caught.figure {
                        Some(figure) => {
                            figure.lengths[2] == 4
                                || figure.lengths[0] == 4
                                || figure.is_closed
                                    && figure.parts[0] <= 31
                                    && figure.parts[1] <= 12
                        }
                        None => {
                            matches!(found.means, Means::Stamp | Means::DayMonth | Means::Numbers)
                        }
                    };
                is_meant.then_some(Err((found.end, why)))
            }
            Err(why) => (setting.allowed == Where::Field).then_some(Err((found.end, why))),
        }
    }

    pub(super) fn with_lead(&self, setting: Setting) -> Where {
        match (setting.allowed, setting.lead) {
            (Where::Anywhere, Some(_)) => Where::WithSign,
            (allowed, _) => allowed,
        }
    }
}

fn end_of(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Hit(hit) => hit.end,
        Outcome::Not { end, .. } => *end,
    }
}
