//! Recurrences, with their time, begin and end.

use jiff::ToSpan as _;
use jiff::civil::{Date, Time};

use super::calendar::weekday;
use super::clock;
use super::grammar::{Hit, Parser, Setting};
use super::matching::{Caught, Match};
use super::recurrence::{MonthDay, Recurrence, Rule, Weekday, YearDay};
use super::resolve::{Core, Direction};
use super::table::{List, Sense, Table};
use super::value::{Assumption, Kind, When};
use super::words::{Again, Half, Lead, TimeMeans, Unit, Where};

/// The times of a day in one list. More are no schedule that a person says.
const MOST_TIMES: usize = 12;

impl<'a> Parser<'a> {
    pub(super) fn recurrence(&mut self, at: usize, setting: Setting) -> Option<Hit> {
        let table: &'a Table = self.table;
        let allowed =
            if setting.allowed == Where::Anywhere { Where::WithSign } else { setting.allowed };
        let early = self.times_before(at);
        let first = early.last().map_or(at, |time| time.end);
        let found = self.matcher.longest(&table.recurrences, first, allowed)?;
        // "The budget of each month" is no schedule.
        if found.means == Again::Interval
            && first.checked_sub(1).is_some_and(|at| self.is_word(at, "of"))
        {
            return None;
        }
        // "The 1st & 3rd Friday of each month" would lose its first day.
        if matches!(found.means, Again::MonthWeekday | Again::PlaceWeekday)
            && self.is_of_list(first)
        {
            return None;
        }
        let mut end = found.end;
        let mut assumed = Vec::new();
        let mut recurrence = self.again(&found, first, &mut end, setting)?;
        let bare_end = end;
        let part = match found.means {
            Again::EachDayAt(hour) => Some(Time::constant(hour, 0, 0, 0)),
            _ => found.caught.part,
        };
        if !early.is_empty() {
            let (times, open) = times_of_day(early, part)?;
            recurrence.at = times;
            assumed.extend(open);
        }
        self.excepted(&mut recurrence, &mut end);
        self.hours_between(&mut recurrence, &mut end, &mut assumed);
        self.limits(&mut recurrence, &mut end, &mut assumed, setting, part);
        self.excepted(&mut recurrence, &mut end);
        if let Some(time) = part.filter(|_| recurrence.at.is_empty()) {
            recurrence.at.push(time);
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
            Some(Lead::After) => Kind::Start,
            Some(Lead::Before | Lead::On | Lead::Since) | None => Kind::Mention,
        };
        let when = When::Recurring(recurrence);
        Some(Hit { start: at, end, date: at..end, when, kind, assumed })
    }

    /// The times before a recurrence: "at 9 every weekday", "7:30 every Monday", "at 7am and 7pm every day".
    fn times_before(&mut self, at: usize) -> Vec<Match<TimeMeans>> {
        let table: &'a Table = self.table;
        let is_at = self.matcher.is_in(at, List::At) || self.matcher.is_mark(at, &['@']);
        let (place, allowed) =
            if is_at { (at + 1, Where::WithSign) } else { (at, Where::Anywhere) };
        let Some(first) = self.matcher.longest(&table.times, place, allowed) else {
            return Vec::new();
        };
        // A recurrence must follow, so the figures between are hours.
        let mut times = self.and_times(first, Where::WithSign);
        if let Some(last) = times.last_mut()
            && self.matcher.is_mark(last.end, &[','])
        {
            last.end += 1;
        }
        times
    }

    /// A time and those that a list adds to it: "7am and 7pm", "9, 12 and 15 Uhr".
    fn and_times(&mut self, first: Match<TimeMeans>, allowed: Where) -> Vec<Match<TimeMeans>> {
        let table: &'a Table = self.table;
        let mut times = vec![first];
        while times.len() < MOST_TIMES {
            let end = times.last().map_or(0, |time| time.end);
            let Some(mut place) = self.after_joint(end) else { break };
            if self.matcher.is_in(place, List::At) || self.matcher.is_mark(place, &['@']) {
                place += 1;
            }
            let Some(time) = self.matcher.longest(&table.times, place, allowed) else { break };
            // "At 9 and in the evening" says when, "at 9 and noon" too; a part alone is no hour of a list.
            if time.caught.clock.is_none() && time.holds != Where::Anywhere {
                break;
            }
            times.push(time);
        }
        times
    }

    /// The place after what joins two members of a list: a comma, "and", or both.
    fn after_joint(&self, end: usize) -> Option<usize> {
        let mut place = end;
        if self.matcher.is_mark(place, &[',', '/', '&', '+']) {
            place += 1;
        }
        if self.matcher.is_in(place, List::And) {
            place += 1;
        }
        (place > end).then_some(place)
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
                Some(Lead::Is(Kind::Due | Kind::Start) | Lead::Before | Lead::After)
            );
            let allowed = if is_at { Where::WithSign } else { Where::Anywhere };
            let mut time = self.matcher.longest(&table.times, after, allowed);
            if time.is_none() && !is_limit {
                time = self
                    .matcher
                    .longest(&table.times, after, Where::WithSign)
                    .filter(|time| time.means == TimeMeans::Part);
            }
            if recurrence.at.is_empty()
                && let Some(time) = time
                && !(is_limit && self.day(after, setting, today).is_some())
            {
                // In a running text a bare figure after "and" counts something else.
                let more = match setting.allowed {
                    Where::Field => Where::WithSign,
                    Where::Anywhere | Where::WithSign => Where::Anywhere,
                };
                let times = self.and_times(time, more);
                let last = times.last().map_or(after, |time| time.end);
                if let Some((times, open)) = times_of_day(times, part) {
                    recurrence.at = times;
                    assumed.extend(open);
                    *end = last;
                    continue;
                }
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
                Lead::Is(Kind::Start) | Lead::After if recurrence.from.is_none() => {
                    recurrence.from = Some(first);
                }
                Lead::Is(_) | Lead::Before | Lead::After | Lead::On | Lead::Since => return,
            }
            assumed.extend(day.assumed);
            *end = day.end;
        }
    }

    fn again(
        &mut self,
        found: &Match<Again>,
        start: usize,
        end: &mut usize,
        setting: Setting,
    ) -> Option<Recurrence> {
        let caught = &found.caught;
        let n = u16::try_from(caught.n.unwrap_or(1)).ok().filter(|n| *n > 0)?;
        let on_weekday = caught.weekday.and_then(weekday);
        Some(match found.means {
            Again::Interval => of_unit(n, caught.unit?)?,
            Again::Times(times) => {
                let times = if times == 0 { n } else { times };
                of_unit(1, caught.unit?)?.so_often(times)
            }
            Again::TimesPeriodic(times) => {
                let (every, unit) = caught.periodic?;
                let times = if times == 0 { n } else { times };
                of_unit(every, unit)?.so_often(times)
            }
            Again::EveryHalf => match caught.unit? {
                Unit::Hour => of_unit(30, Unit::Minute)?,
                Unit::Year => of_unit(6, Unit::Month)?,
                _ => return None,
            },
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
            Again::WeekdayRange => {
                Recurrence::new(1, days_through(weekday(caught.weekday_before?)?, on_weekday?)?)
            }
            Again::IntervalWeekday => {
                let weeks = match caught.unit? {
                    Unit::Week => n,
                    Unit::Day if n.is_multiple_of(7) => n / 7,
                    Unit::Fortnight => n.checked_mul(2)?,
                    _ => return None,
                };
                Recurrence::new(weeks, Rule::Weeks(self.more_weekdays(on_weekday?, end)))
            }
            Again::WeekdayRow => {
                // "Mon-Wed" is a range.
                if (start..*end).any(|at| self.matcher.is_mark(at, &['-', '–'])) {
                    return None;
                }
                let mut days = vec![on_weekday?];
                // The pattern caught the last; those before it are read again.
                let mut place = start;
                while place + 1 < *end {
                    days.extend(self.named_weekday(place));
                    place += 1;
                }
                let has_commas = (start..*end).any(|at| self.matcher.is_mark(at, &[',']));
                while let Some((day, next)) = self.next_in_row(*end) {
                    days.push(day);
                    *end = next;
                }
                days.sort_unstable();
                days.dedup();
                // "Sat sun" is a weekend, "mon tue" two days of this week as well as of each.
                let fewest = if setting.allowed == Where::Field && !has_commas { 2 } else { 3 };
                if days.len() < fewest {
                    return None;
                }
                Recurrence::new(1, Rule::Weeks(days))
            }
            Again::Weekends => {
                Recurrence::new(1, Rule::Weeks(vec![Weekday::Saturday, Weekday::Sunday]))
            }
            Again::OtherWeekday => {
                Recurrence::new(2, Rule::Weeks(self.more_weekdays(on_weekday?, end)))
            }
            Again::WorkingDays => Recurrence::new(n, Rule::WorkingDays),
            Again::EachPart | Again::EachDayAt(_) => Recurrence::new(1, Rule::Days),
            Again::Unclear => return None,
            Again::MonthWeekday => {
                let every = months(caught)?;
                let on = MonthDay::Weekday(caught.place?, on_weekday?);
                Recurrence::new(every, Rule::Months(on))
            }
            Again::MonthWeekdayBeforeLast => {
                Recurrence::new(1, Rule::Months(MonthDay::Weekday(-2, on_weekday?)))
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
                let days = (1..=31).filter(|day| caught.month_days & (1 << day) != 0).collect();
                Recurrence::new(every, Rule::Months(MonthDay::Numbers(days)))
            }
            Again::MonthNthDay => {
                let on = MonthDay::Numbers(vec![caught.place?]);
                Recurrence::new(months(caught)?, Rule::Months(on))
            }
            Again::MonthEnd => Recurrence::new(1, Rule::Months(MonthDay::Numbers(vec![-1]))),
            Again::MonthWorkingDay => {
                Recurrence::new(months(caught)?, Rule::Months(MonthDay::WorkingDay(caught.place?)))
            }
            Again::YearDay => {
                let figure = caught.figure.filter(|it| it.sign == '.').map(|it| it.parts);
                let (month, day) = match (caught.month, caught.day, figure) {
                    (Some(month), Some(day), _) => (month, day),
                    // "Jeden 24.12."
                    (_, _, Some([day, month, 0])) => {
                        (i8::try_from(month).ok()?, i8::try_from(day).ok()?)
                    }
                    (_, _, _) => return None,
                };
                Date::new(2024, month, day).ok()?;
                Recurrence::new(1, Rule::Years(Some(YearDay { month, day })))
            }
        })
    }

    fn named_weekday(&self, at: usize) -> Option<Weekday> {
        self.matcher.entry(at).senses.iter().find_map(|sense| match sense {
            Sense::Weekday(n) | Sense::WeekdayAgain(n) => weekday(*n),
            _ => None,
        })
    }

    /// The next weekday of "mon wed fri", "mon/wed/fri" or "mon, wed and fri", and the place after it.
    fn next_in_row(&self, end: usize) -> Option<(Weekday, usize)> {
        let place = end + usize::from(self.matcher.is_mark(end, &['/', ',', '&', '+']));
        let place = place + usize::from(self.matcher.is_in(place, List::And));
        Some((self.named_weekday(place)?, place + 1))
    }

    /// The place after the word for each, if it is here: "every Monday and every Thursday".
    fn after_each(&self, at: usize) -> usize {
        let mut place = at;
        for word in self.table.words.schedule.each.split(' ') {
            if !self.is_word(place, word) {
                return at;
            }
            place += 1;
        }
        place
    }

    /// The weekdays that a recurrence leaves out: "weekdays except Friday".
    fn excepted(&mut self, recurrence: &mut Recurrence, end: &mut usize) {
        let place = *end + usize::from(self.matcher.is_mark(*end, &[',']));
        let days = match &recurrence.rule {
            Rule::Days if recurrence.every == 1 => Weekday::ALL,
            Rule::WorkingDays if recurrence.every == 1 => &Weekday::WORKING,
            Rule::Weeks(days) if days.len() > 1 => days,
            _ => return,
        };
        if !self.matcher.is_in(place, List::Excepting) || recurrence.times > 1 {
            return;
        }
        let mut first = place + 1;
        while self.matcher.is_lead_on(first)
            || self.matcher.is_in(first, List::Article)
            || self.matcher.is_in(first, List::DayArticle)
        {
            first += 1;
        }
        first = self.after_each(first);
        let (left_out, after) = if let Some(day) = self.named_weekday(first) {
            let mut after = first + 1;
            (self.more_weekdays(day, &mut after), after)
        } else if let Some(after) = self.weekends(place + 1, first) {
            (vec![Weekday::Saturday, Weekday::Sunday], after)
        } else {
            return;
        };
        let left: Vec<Weekday> =
            days.iter().copied().filter(|day| !left_out.contains(day)).collect();
        if left.is_empty() || left.len() == days.len() {
            return;
        }
        recurrence.rule = Rule::Weeks(left);
        *end = after;
    }

    /// The place after "weekends" or "los fines de semana", which begins at one of two places.
    fn weekends(&mut self, before: usize, at: usize) -> Option<usize> {
        let table: &'a Table = self.table;
        let is_unit = |sense: &Sense| *sense == Sense::Unit(Unit::Weekend);
        if self.matcher.entry(at).senses.iter().any(is_unit) {
            return Some(at + 1);
        }
        [before, at].into_iter().find_map(|place| {
            let found = self.matcher.longest(&table.recurrences, place, Where::Field)?;
            (found.means == Again::Weekends).then_some(found.end)
        })
    }

    /// The hours that "every 3 hours between 9 and 18" has: times of each day.
    fn hours_between(
        &mut self,
        recurrence: &mut Recurrence,
        end: &mut usize,
        assumed: &mut Vec<Assumption>,
    ) {
        if recurrence.rule != Rule::Hours || !recurrence.at.is_empty() || recurrence.times > 1 {
            return;
        }
        let table: &'a Table = self.table;
        let place = *end + usize::from(self.matcher.is_mark(*end, &[',']));
        let lead = self.matcher.longest(&table.leads, place, Where::Anywhere);
        let (first, joint) = match lead {
            Some(lead) if self.matcher.is_in(place, List::Between) => (lead.end, List::And),
            Some(lead) if lead.means == Lead::Is(Kind::Start) => (lead.end, List::Through),
            _ if self.matcher.is_in(place, List::Between) => (place + 1, List::And),
            _ => return,
        };
        let Some(from) = self.matcher.longest(&table.times, first, Where::WithSign) else { return };
        let is_joint = self.matcher.is_in(from.end, joint)
            || joint == List::Through && self.matcher.is_mark(from.end, &['-', '–']);
        if !is_joint {
            return;
        }
        let Some(to) = self.matcher.longest(&table.times, from.end + 1, Where::WithSign) else {
            return;
        };
        let after = to.end;
        let is_bare = |caught: &Caught| caught.half.is_none() && caught.part.is_none();
        let are_bare = is_bare(&from.caught) && is_bare(&to.caught);
        let Some((first, open)) = times_of_day(vec![from], None) else { return };
        let Some((last, _)) = times_of_day(vec![to], None) else { return };
        let ([first], [last]) = (&first[..], &last[..]) else { return };
        // "Between 9 and 5" is a day at work, and no night.
        let last = if are_bare && last < first && last.hour() < 12 {
            last.wrapping_add(12.hours())
        } else {
            *last
        };
        let step = i64::from(recurrence.every).hours();
        let mut times = vec![*first];
        while let Some(next) = times.last().and_then(|time| time.checked_add(step).ok())
            && next <= last
        {
            times.push(next);
        }
        if last <= *first {
            return;
        }
        (recurrence.rule, recurrence.every, recurrence.at) = (Rule::Days, 1, times);
        assumed.extend(open);
        *end = after;
    }

    /// "Monday, Wednesday and Friday", after the first.
    fn more_weekdays(&mut self, first: Weekday, end: &mut usize) -> Vec<Weekday> {
        let mut days = vec![first];
        for _ in 0..7 {
            let Some(mut place) = self.after_joint(*end) else { break };
            // "And on Thursday", "et le jeudi", "und jeden Donnerstag"
            if self.matcher.is_lead_on(place) {
                place += 1;
            }
            if self.matcher.is_in(place, List::Article)
                || self.matcher.is_in(place, List::DayArticle)
            {
                place += 1;
            }
            place = self.after_each(place);
            let Some(day) = self.named_weekday(place) else { break };
            days.push(day);
            *end = place + 1;
        }
        days.sort_unstable();
        days.dedup();
        days
    }
}

/// The times of a list, in order, and what was decided about them. A time without a half of the day takes
/// that of the time after it if it then comes before: "7 and 9pm", but "11 and 3pm".
fn times_of_day(
    mut list: Vec<Match<TimeMeans>>,
    part: Option<Time>,
) -> Option<(Vec<Time>, Vec<Assumption>)> {
    let (mut times, mut open): (Vec<Time>, Vec<Assumption>) = (Vec::new(), Vec::new());
    let mut later: Option<(Half, Time)> = None;
    for time in list.iter_mut().rev() {
        let is_bare = |caught: &Caught| {
            let hour = caught.clock.map(|clock| clock.hour);
            caught.half.is_none() && hour.is_some_and(|hour| (1..=12).contains(&hour))
        };
        if let Some((half, end)) = later.filter(|_| is_bare(&time.caught)) {
            time.caught.half = Some(half);
            let comes_before = clock::time(time.means, &time.caught).is_some_and(|it| it.0 < end);
            if !comes_before {
                time.caught.half = Some(Half::Morning);
            }
        }
        hour_of_schedule(&mut time.caught, part);
        let (at, assumption, _) = clock::time(time.means, &time.caught)?;
        later = time.caught.half.map(|half| (half, at));
        times.push(at);
        open.extend(assumption);
    }
    times.sort_unstable();
    times.dedup();
    open.reverse();
    Some((times, open))
}

/// Decides which half of the day a time of a recurrence is in, where the words leave it open.
///
/// "Every evening at 8" is 20:00, and "every night at 2" is 02:00. What happens again happens at any hour, so without
/// a word for a half of the day it is what a clock of 24 hours shows: "every Monday at 3:30" is 03:30.
fn hour_of_schedule(caught: &mut Caught, part: Option<Time>) {
    if caught.half.is_some() || caught.part.is_some() {
        return;
    }
    let Some(clock) = caught.clock else { return };
    match part {
        Some(part) if part.hour() >= 21 && matches!(clock.hour, 1..=5 | 12) => {
            caught.half = Some(Half::Morning);
        }
        Some(part) => caught.part = Some(part),
        None => caught.is_24_hours = true,
    }
}

/// The days from one weekday to the next such other one; `None` for a single day.
fn days_through(first: Weekday, last: Weekday) -> Option<Rule> {
    let place = |day: Weekday| Weekday::ALL.iter().position(|it| *it == day).unwrap_or(0);
    let n = (7 + place(last) - place(first)) % 7;
    if n == 0 {
        return None;
    }
    let mut days: Vec<Weekday> =
        (0..=n).map(|ahead| Weekday::ALL[(place(first) + ahead) % 7]).collect();
    days.sort_unstable();
    Some(if days == Weekday::WORKING { Rule::WorkingDays } else { Rule::Weeks(days) })
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
        Unit::Weekend => (n, Rule::Weeks(vec![Weekday::Saturday, Weekday::Sunday])),
        Unit::Fortnight => (n.checked_mul(2)?, Rule::Weeks(Vec::new())),
        Unit::Month => (n, Rule::Months(MonthDay::Same)),
        Unit::Quarter => (n.checked_mul(3)?, Rule::Months(MonthDay::Same)),
        Unit::Year => (n, Rule::Years(None)),
    };
    Some(Recurrence::new(n, rule))
}
