//! A schedule in words as a series.

use std::collections::BTreeSet;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::due::{Occurrence, Position};
use super::error::RuleError;
use super::property;
use super::rule::{End, Frequency, NthWeekday, RecurrenceRule, RuleParts, Until};
use super::schedule_error::{FEWEST_MINUTES, ScheduleError};
use super::sentence::{Description, Part, describe};
use super::series::Series;
use super::zone::{self, Clock, Person};
use crate::when::{
    self, Assumption, ENGLISH, Found, Kind, Moment, MonthDay, NotUnderstood, Reader, Recurrence,
    Rule, Weekday, When, Zone,
};

/// What the words of a schedule mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// When it happens. Without a zone in the words it follows the person's clock; without a time, whole days.
    pub series: Series,
    /// The first day, if the words give one.
    pub from: Option<Date>,
    /// Times before 7:00 that are written without a half of the day. A date would have them in the afternoon; a schedule
    /// takes them literally, and a preview says so.
    pub early: Vec<Time>,
}

impl Schedule {
    fn new(series: Series, from: Option<Date>, assumed: &[Assumption]) -> Self {
        let early = |it: &Assumption| match it {
            Assumption::Hour(time) if (1..7).contains(&time.hour()) => Some(*time),
            _ => None,
        };
        let early = if series.rule().is_some() {
            assumed.iter().filter_map(early).collect()
        } else {
            Vec::new()
        };
        Self { series, from, early }
    }

    /// What it says.
    pub fn description(&self) -> Description {
        let mut description = describe(&self.series);
        if let Some(from) = self.from {
            let is_zone = |part: &Part| matches!(part, Part::Zone(_));
            let place = description.parts.iter().position(is_zone);
            let place = place.unwrap_or(description.parts.len());
            description.parts.insert(place, Part::From(from));
        }
        description
    }
}

/// How many dates a person is shown before a schedule is saved.
pub const PREVIEWED: usize = 5;

/// What a person is shown before a schedule is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// What the schedule says, for a catalogue; [`super::english`] has the words.
    pub description: Description,
    /// The next times, at most [`PREVIEWED`]. Without one nothing would ever happen.
    pub next: Vec<Occurrence>,
}

impl Preview {
    /// Looks at a series from an instant on.
    pub fn new(series: &Series, now: Timestamp, person: &Person) -> Self {
        let begin = Position::new(now, person);
        let next = series.upcoming(&begin, person).take(PREVIEWED).collect();
        Self { description: describe(series), next }
    }
}

/// Reads when something is to happen: once ("fri 3pm"), or again and again ("every weekday at 9", "last
/// Friday of the month").
///
/// The words are those of the reader's language, or English. What is read is that of [`when::explain`]; for what
/// happens again, also the name of a time zone, which the
/// series keeps ("every day at 9 Europe/London"), and a rule of RFC 5545 with or without `DTSTART`. The first time can be in the past, if the words say so ("daily at
/// 9", said at 10): the position of the series decides what is due.
///
/// Errors: words that are none of these, or that no rule can say; each says what to write instead.
pub fn read_schedule(text: &str, reader: &Reader) -> Result<Schedule, ScheduleError> {
    let read = read_in_language(text, reader);
    if !matches!(read, Err(ScheduleError::NotRead { .. }))
        || reader.language.code() == ENGLISH.code()
    {
        return read;
    }
    match read_in_language(text, &Reader { language: ENGLISH, ..reader.clone() }) {
        // What is understood in neither language is refused in that of the reader.
        Err(ScheduleError::NotRead { .. } | ScheduleError::Words(_)) => read,
        in_english => in_english,
    }
}

fn read_in_language(text: &str, reader: &Reader) -> Result<Schedule, ScheduleError> {
    let person = Person { zone: reader.zone.clone(), day_due_at: Time::midnight() };
    if property::is_rule(text) {
        let series = property::read_rule(text, reader, &person)?;
        return Ok(Schedule::new(series, None, &[]));
    }
    let folded = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    if reader.language.schedule().now.contains(&&*folded) {
        return Err(ScheduleError::Now { text: text.trim().to_owned() });
    }
    let found = match explain(text, reader) {
        Ok(found) => found,
        Err(error) => match in_named_zone(text, reader, &person)? {
            Some(schedule) => return Ok(schedule),
            None => return Err(not_read(error, reader)),
        },
    };
    let text = text.trim().to_owned();
    if found.kind == Kind::Past {
        return Err(match is_of_month(&text, reader) {
            true => ScheduleError::OneDay { text },
            false => ScheduleError::Past { text },
        });
    }
    let series = match &found.when {
        When::Day(day) => Series::once(day.at(0, 0, 0, 0), Clock::Day),
        When::At(moment) => once(moment)?,
        When::Span(_) => return Err(ScheduleError::Span { text }),
        When::Recurring(recurrence) => {
            let (start, clock) = first(recurrence, reader);
            let rule = rule_of(recurrence, start, reader.week_starts)?;
            let rule = rule.map_err(|source| ScheduleError::Rule { text: text.clone(), source })?;
            let series = Series::new(start, clock, rule, &person)
                .map_err(|source| ScheduleError::Rule { text, source })?;
            return Ok(Schedule::new(series, recurrence.from, &found.assumed));
        }
    };
    Ok(Schedule::new(series, None, &found.assumed))
}

/// What happens again on the clock of a zone that the words name; `None` if they name none, or mean nothing
/// without it.
///
/// Errors: the database has no such zone, or the words have no time of day.
fn in_named_zone(
    text: &str,
    reader: &Reader,
    person: &Person,
) -> Result<Option<Schedule>, ScheduleError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some((place, n_words, name)) = zone::find(&words) else { return Ok(None) };
    let mut rest = [&words[..place], &words[place + n_words..]].concat();
    if place > 0 && rest.get(place - 1).is_some_and(|word| word.eq_ignore_ascii_case("in")) {
        rest.remove(place - 1);
    }
    let clock = Clock::named(&name);
    // What is today and the next full hour is so on the clock of the zone.
    let there = match &clock {
        Ok(clock) => {
            let zone = clock.zone(person).clone();
            let now = zone::resolve(&reader.zone, reader.now, false).to_zoned(zone.clone());
            Reader { now: now.datetime(), zone, ..reader.clone() }
        }
        Err(_) => reader.clone(),
    };
    let text = text.trim().to_owned();
    let Ok(Found { when: When::Recurring(recurrence), assumed, .. }) =
        explain(&rest.join(" "), &there)
    else {
        return Ok(None);
    };
    let clock = clock.map_err(ScheduleError::Zone)?;
    let (start, own) = first(&recurrence, &there);
    if own == Clock::Day {
        return Err(ScheduleError::ZoneWithoutTime { zone: clock.to_string() });
    }
    let rule = rule_of(&recurrence, start, there.week_starts)?;
    let refuse = |source| ScheduleError::Rule { text: text.clone(), source };
    let series = Series::new(start, clock, rule.map_err(refuse)?, person).map_err(refuse)?;
    Ok(Some(Schedule::new(series, recurrence.from, &assumed)))
}

/// What a schedule says as it is written, else what it may be short for.
fn explain(text: &str, reader: &Reader) -> Result<Found, NotUnderstood> {
    let found = explain_as_written(text, reader);
    if found.is_ok() {
        return found;
    }
    let written_out = written_out(text, reader).into_iter();
    let mut read = written_out.filter_map(|text| explain_as_written(&text, reader).ok());
    read.find(has_named_days).map_or(found, Ok)
}

/// Whether something happens again on days that are named, or each day: a number beside these is a time.
fn has_named_days(found: &Found) -> bool {
    match &found.when {
        When::Recurring(recurrence) => match &recurrence.rule {
            Rule::Days | Rule::WorkingDays => true,
            Rule::Weeks(days) => !days.is_empty(),
            Rule::Minutes | Rule::Hours | Rule::Months(_) | Rule::Years(_) => false,
        },
        When::Day(_) | When::At(_) | When::Span(_) => false,
    }
}

/// What words may be short for: "daily 9" for "daily at 9", "every day at 9.30" for 9:30, "Monday mornings" for every
/// Monday morning.
fn written_out(text: &str, reader: &Reader) -> Vec<String> {
    let words = reader.language.schedule();
    let among = |list: &[(&'static str, &'static str)], word: &str| {
        list.iter().find(|(one, _)| word.eq_ignore_ascii_case(one)).map(|(_, usual)| *usual)
    };
    let spell = |word: &str| match among(words.spellings, word) {
        Some(usual) => usual.to_owned(),
        None => with_colon(word),
    };
    let spelt: Vec<String> = text.split_whitespace().map(spell).collect();
    let mut all = vec![spelt.join(" ")];
    if let Some((last, rest)) = spelt.split_last()
        && is_bare_time(last)
    {
        all.push(format!("{} {} {last}", rest.join(" "), words.at));
    }
    if spelt.iter().any(|word| among(words.plural_parts, word).is_some()) {
        let singular = spelt.iter().map(|word| among(words.plural_parts, word).unwrap_or(word));
        all.push(format!("{} {}", words.each, singular.collect::<Vec<_>>().join(" ")));
    }
    all
}

/// A time with a point, such as `9.30`, with a colon.
fn with_colon(word: &str) -> String {
    let is_number = |text: &str, below: u8| text.parse::<u8>().is_ok_and(|n| n < below);
    match word.split_once('.') {
        Some((hour, minute))
            if minute.len() == 2 && is_number(hour, 24) && is_number(minute, 60) =>
        {
            format!("{hour}:{minute}")
        }
        _ => word.to_owned(),
    }
}

/// `9`, `9:30`, `9h` or `9h30`.
fn is_bare_time(word: &str) -> bool {
    let is_number = |text: &str| (1..=2).contains(&text.len()) && text.parse::<u8>().is_ok();
    match word.split_once([':', 'h']) {
        Some((hour, minute)) => is_number(hour) && (minute.is_empty() || is_number(minute)),
        None => is_number(word),
    }
}

/// "Last Friday of the month" and "the first of the month" alone are one day, and "Monday to Friday" one week; as a schedule they are those of
/// every month and every week. "7am and 7pm" is no date, and neither is "on the 1st and 15th"; as a schedule they
/// are those of every day and every month.
fn explain_as_written(text: &str, reader: &Reader) -> Result<Found, NotUnderstood> {
    let found = when::explain(text, reader);
    if found.as_ref().is_ok_and(|found| matches!(found.when, When::Recurring(_))) {
        return found;
    }
    let words = reader.language.schedule();
    let text = text.trim().to_lowercase();
    let bare = words.dropped.iter().find_map(|on| text.strip_prefix(on)).unwrap_or(&text);
    let has_month = text.split_whitespace().any(|word| words.months.contains(&word));
    let is_day_of_month = words.of_month.iter().any(|month| text.contains(month));
    // "Le lundi à 9h" is said of each Monday.
    let is_weekly = words.weekly.iter().any(|form| {
        text.strip_prefix(form).is_some_and(|rest| form.ends_with(' ') || rest.starts_with(' '))
            || text == *form
    });
    let is_meant = |found: &Found| match &found.when {
        When::Recurring(recurrence) => match recurrence.rule {
            Rule::Months(MonthDay::Weekday(..) | MonthDay::WorkingDay(_)) => has_month,
            // "The first of next month" is one day.
            Rule::Months(_) => is_day_of_month,
            // "Monday to Friday at 7:45", "sat and sun 11am"
            Rule::WorkingDays => true,
            Rule::Weeks(ref days) => days.len() > 1 || is_weekly && !days.is_empty(),
            _ => false,
        },
        When::Day(_) | When::At(_) | When::Span(_) => false,
    };
    // "9am mon-fri": the time comes first.
    let after_time = || {
        let tail_at = text.match_indices(' ').take(3).map(|(at, _)| at);
        let mut explained = tail_at.filter_map(|at| {
            let (time, days) = (&text[..at], text[at..].trim_start());
            if !time.contains(|sign: char| sign.is_ascii_digit()) {
                return None;
            }
            let days = words.dropped.iter().find_map(|on| days.strip_prefix(on)).unwrap_or(days);
            let again = |time: &str| {
                let again = when::explain(&format!("{time} {} {days}", words.each), reader).ok();
                again.filter(is_meant)
            };
            again(time).or_else(|| again(&format!("{} {time}", words.at)))
        });
        explained.next()
    };
    let again = when::explain(&format!("{} {bare}", words.each), reader).ok();
    let is_list = |found: &Found| match &found.when {
        When::Recurring(Recurrence { rule: Rule::Months(MonthDay::Numbers(days)), .. }) => {
            days.len() > 1
        }
        When::Recurring(recurrence) => recurrence.at.len() > 1,
        When::Day(_) | When::At(_) | When::Span(_) => false,
    };
    let list = || {
        let is_led =
            words.lists.iter().flat_map(|(_, begins)| *begins).any(|it| text.starts_with(it));
        let mut explained = words.lists.iter().filter_map(|(lead, begins)| {
            let own = begins.iter().find_map(|begin| text.strip_prefix(begin));
            let list = own.or((!is_led).then_some(&*text))?;
            when::explain(&format!("{lead} {list}"), reader).ok()
        });
        explained.find(is_list).filter(|_| found.is_err())
    };
    again.filter(is_meant).or_else(list).or_else(after_time).map_or(found, Ok)
}

fn once(moment: &Moment) -> Result<Series, ScheduleError> {
    let clock = match &moment.zone {
        Zone::Reader => Clock::Floating,
        Zone::Named(name) => Clock::named(name).map_err(ScheduleError::Zone)?,
        Zone::Offset(_) => {
            // A distance from UTC is no zone: what is left is the instant.
            let at = moment.timestamp(&TimeZone::UTC);
            return Ok(Series::once(TimeZone::UTC.to_datetime(at), Clock::utc()));
        }
    };
    Ok(Series::once(moment.at, clock))
}

/// The first start, and the clock it is on.
fn first(recurrence: &Recurrence, reader: &Reader) -> (DateTime, Clock) {
    let now = reader.now;
    let day = recurrence.first_from(now.date()).unwrap_or(now.date());
    match (&recurrence.rule, recurrence.at.first().copied()) {
        (_, Some(at)) => (day.to_datetime(at), Clock::Floating),
        (Rule::Minutes | Rule::Hours, None) if day > now.date() => {
            (day.at(0, 0, 0, 0), Clock::Floating)
        }
        (Rule::Minutes | Rule::Hours, None) => {
            (next_round(now, &recurrence.rule, recurrence.every), Clock::Floating)
        }
        (_, None) => (day.at(0, 0, 0, 0), Clock::Day),
    }
}

/// The next full hour; for minutes that divide an hour, the next time the clock shows a multiple of them.
fn next_round(now: DateTime, rule: &Rule, every: u16) -> DateTime {
    let is_minutes = *rule == Rule::Minutes;
    let step = match every {
        every if is_minutes && 60_u16.is_multiple_of(every) => i64::from(every),
        every if is_minutes && !every.is_multiple_of(60) => 1,
        _ => 60,
    };
    let minute = i64::from(now.minute());
    let full = now.date().at(now.hour(), 0, 0, 0);
    full.saturating_add(((minute / step + 1) * step).minutes())
}

/// The rule that words mean for a start. The inner error is that of the rule's parts.
fn rule_of(
    recurrence: &Recurrence,
    start: DateTime,
    week_start: Weekday,
) -> Result<Result<RecurrenceRule, RuleError>, ScheduleError> {
    if recurrence.times > 1 {
        return Err(so_often(recurrence));
    }
    let every = |frequency, n: u16| RuleParts::every(frequency, n.into());
    let n = recurrence.every;
    let each = |days: &[Weekday]| days.iter().copied().map(NthWeekday::each).collect();
    let mut parts = match &recurrence.rule {
        Rule::Minutes if n < FEWEST_MINUTES => return Err(ScheduleError::TooOften { every: n }),
        Rule::Minutes => every(Frequency::Minutely, n),
        Rule::Hours => every(Frequency::Hourly, n),
        Rule::Days => every(Frequency::Daily, n),
        Rule::WorkingDays if n == 1 => {
            RuleParts { weekdays: each(&Weekday::WORKING), ..every(Frequency::Weekly, 1) }
        }
        // Five working days are a week.
        Rule::WorkingDays if n.is_multiple_of(5) => every(Frequency::Weekly, n / 5),
        Rule::WorkingDays => return Err(ScheduleError::WorkingDays { every: n }),
        Rule::Weeks(days) => RuleParts { weekdays: each(days), ..every(Frequency::Weekly, n) },
        Rule::Months(on) => of_months(on, start.date(), every(Frequency::Monthly, n)),
        Rule::Years(None) => every(Frequency::Yearly, n),
        Rule::Years(Some(on)) => RuleParts {
            months: vec![on.month.into()],
            month_days: vec![on.day.into()],
            ..every(Frequency::Yearly, n)
        },
    };
    // Which days share a week matters only where weeks are left out.
    if parts.frequency == Frequency::Weekly && parts.interval > 1 && parts.weekdays.len() > 1 {
        parts.week_start = week_start;
    }
    if recurrence.at.len() > 1 {
        (parts.hours, parts.minutes) = hours_and_minutes(&recurrence.at)?;
    }
    parts.end = recurrence.until.map_or(End::Never, |day: Date| End::Until(Until::Day(day)));
    Ok(RecurrenceRule::new(parts))
}

/// The hours and minutes of a rule; none where those of the start do. It has each hour with each minute, so
/// times with different minutes are several rules.
fn hours_and_minutes(times: &[Time]) -> Result<(Vec<i16>, Vec<i16>), ScheduleError> {
    let sorted = |part: fn(&Time) -> i8| {
        let parts: BTreeSet<i16> = times.iter().map(|time| i16::from(part(time))).collect();
        parts.into_iter().collect::<Vec<_>>()
    };
    let (hours, minutes) = (sorted(|time| time.hour()), sorted(|time| time.minute()));
    if hours.len() * minutes.len() != times.len() {
        let times = times.iter().map(|time| time.strftime("%H:%M").to_string());
        return Err(ScheduleError::Times { times: times.collect::<Vec<_>>().join(", ") });
    }
    let several = |parts: Vec<i16>| if parts.len() > 1 { parts } else { Vec::new() };
    Ok((several(hours), several(minutes)))
}

/// Whether words name a month and not which: "two days before the end of the month".
fn is_of_month(text: &str, reader: &Reader) -> bool {
    let text = text.to_lowercase();
    reader.language.schedule().of_month.iter().any(|month| text.contains(month))
}

/// Why words are no schedule.
fn not_read(error: NotUnderstood, reader: &Reader) -> ScheduleError {
    match error.part() {
        Some(part) => ScheduleError::NotRead {
            part: part.to_owned(),
            example: reader.language.schedule().example,
        },
        None => ScheduleError::Words(error),
    }
}

/// Why "three times a week" is no schedule, with one that happens about as often.
fn so_often(recurrence: &Recurrence) -> ScheduleError {
    let (unit, example) = match recurrence.rule {
        Rule::Minutes | Rule::Hours => ("hour", "every 20 minutes"),
        Rule::Days | Rule::WorkingDays => ("day", "every day at 9:00 and 18:00"),
        Rule::Weeks(_) => ("week", "every Monday and Thursday"),
        Rule::Months(_) => ("month", "every month on the 1st and the 15th"),
        Rule::Years(_) => ("year", "every 6 months"),
    };
    ScheduleError::SoOften { times: recurrence.times, unit, example }
}

fn of_months(on: &MonthDay, start: Date, month: RuleParts) -> RuleParts {
    match on {
        // A month that is too short has it on its last day, as "every month" means it.
        MonthDay::Same if start.day() > 28 => RuleParts {
            month_days: (28..=i16::from(start.day())).collect(),
            positions: vec![-1],
            ..month
        },
        MonthDay::Same => RuleParts { month_days: vec![start.day().into()], ..month },
        MonthDay::Numbers(days) => {
            RuleParts { month_days: days.iter().map(|day| i16::from(*day)).collect(), ..month }
        }
        MonthDay::Weekday(nth, day) => {
            RuleParts { weekdays: vec![NthWeekday { nth: Some(*nth), day: *day }], ..month }
        }
        MonthDay::WorkingDay(nth) => RuleParts {
            weekdays: Weekday::WORKING.map(NthWeekday::each).to_vec(),
            positions: vec![i16::from(*nth)],
            ..month
        },
    }
}
