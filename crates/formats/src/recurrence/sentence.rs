//! What a series says, as parts that a catalogue puts into words, and those words in English.

use std::fmt::Write as _;

use jiff::civil::{Date, DateTime, Time};

use super::rule::{End, Frequency, NthWeekday, RuleParts, Until};
use super::series::Series;
use super::zone::Clock;
use crate::when::Weekday;

/// What a series says, one part after the other. It says all that the rule does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// How often, or once.
    pub every: Every,
    /// What narrows that down.
    pub parts: Vec<Part>,
}

/// How often something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// Once, on a day.
    Once(Date),
    /// From Monday to Friday.
    WorkingDay,
    /// Every so many periods; at least 1.
    Periods(u32, Frequency),
}

/// A part of a [`Description`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// On these weekdays.
    Weekdays(Vec<Weekday>),
    /// On these numbered weekdays of a month, or of a year if `of_year`; one without a number is each.
    NthWeekdays {
        /// In the order of the rule.
        days: Vec<NthWeekday>,
        /// Whether they are counted in a year.
        of_year: bool,
    },
    /// On the nth day from Monday to Friday of a month; -1 is the last.
    WorkingDay(i16),
    /// On these days of a month; -1 is the last.
    MonthDays(Vec<i16>),
    /// On this day of a month, or on the last of a month that is shorter.
    DayOrLast(i16),
    /// On one day of one month.
    YearDay(i16, i16),
    /// On these days of a year; -1 is the last.
    DaysOfYear(Vec<i16>),
    /// In these weeks of a year; -1 is the last.
    Weeks(Vec<i16>),
    /// In these months.
    Months(Vec<i16>),
    /// At these times of day.
    Times(Vec<Time>),
    /// In these hours of the clock.
    Hours(Vec<i16>),
    /// At these minutes of an hour.
    Minutes(Vec<i16>),
    /// At these seconds of a minute.
    Seconds(Vec<i16>),
    /// Only these of what one period has; -1 is the last.
    Only(Vec<i16>),
    /// Weeks begin on this day; said where weeks are left out.
    WeekStart(Weekday),
    /// From this day on.
    From(Date),
    /// Up to this day, with it.
    UntilDay(Date),
    /// Up to this time of the clock, with it.
    Until(DateTime),
    /// Up to this instant, with it, as the clock of UTC shows it.
    UntilUtc(DateTime),
    /// So many times.
    Count(u32),
    /// On the clock of this zone; without it the person's clock is meant.
    Zone(String),
}

/// More times of day than this are written as hours and minutes.
const MOST_TIMES: usize = 12;

/// What a series says.
pub fn describe(series: &Series) -> Description {
    let start = series.start();
    let zone = match series.clock() {
        Clock::Zone(zone) => Some(Part::Zone(zone.name().to_owned())),
        Clock::Day | Clock::Floating => None,
    };
    let is_day = *series.clock() == Clock::Day;
    let Some(rule) = series.rule() else {
        let times = (!is_day).then(|| Part::Times(vec![start.time()]));
        let parts = times.into_iter().chain(zone).collect();
        return Description { every: Every::Once(start.date()), parts };
    };
    let rule = rule.parts();
    let mut left = rule.clone();
    let mut parts = Vec::new();
    let mut every = Every::Periods(rule.interval, rule.frequency);
    let days: Vec<Weekday> =
        rule.weekdays.iter().filter(|day| day.nth.is_none()).map(|day| day.day).collect();
    let is_plain = days.len() == rule.weekdays.len();
    let is_working = is_plain && days == Weekday::WORKING;
    if is_working && rule.frequency == Frequency::Weekly && rule.interval == 1 {
        every = Every::WorkingDay;
        left.weekdays.clear();
    } else if is_working
        && rule.frequency == Frequency::Monthly
        && rule.positions.len() == 1
        && only_weekdays(rule)
    {
        parts.push(Part::WorkingDay(rule.positions[0]));
        left.weekdays.clear();
        left.positions.clear();
    } else if let Some(day) = day_or_last(rule) {
        parts.push(Part::DayOrLast(day));
        left.month_days.clear();
        left.positions.clear();
    } else if let ([month], [day], Frequency::Yearly) =
        (&rule.months[..], &rule.month_days[..], rule.frequency)
    {
        parts.push(Part::YearDay(*month, *day));
        left.months.clear();
        left.month_days.clear();
    }
    parts.extend(implied(rule, start));
    if !left.weekdays.is_empty() {
        let of_year = rule.frequency == Frequency::Yearly && rule.months.is_empty();
        parts.push(if is_plain {
            Part::Weekdays(days)
        } else {
            Part::NthWeekdays { days: left.weekdays.clone(), of_year }
        });
    }
    let mut list = |numbers: Vec<i16>, part: fn(Vec<i16>) -> Part| {
        if !numbers.is_empty() {
            parts.push(part(numbers));
        }
    };
    list(left.month_days, Part::MonthDays);
    list(left.year_days, Part::DaysOfYear);
    list(left.weeks, Part::Weeks);
    list(left.months, Part::Months);
    parts.extend(times(rule, start, is_day));
    if !left.positions.is_empty() {
        parts.push(Part::Only(left.positions));
    }
    let leaves_out = rule.interval > 1 && rule.frequency == Frequency::Weekly;
    if leaves_out && rule.weekdays.len() > 1 && rule.week_start != Weekday::Monday {
        parts.push(Part::WeekStart(rule.week_start));
    }
    parts.extend(match rule.end {
        End::Never => None,
        End::Count(count) => Some(Part::Count(count)),
        End::Until(Until::Day(day)) => Some(Part::UntilDay(day)),
        End::Until(Until::Local(at)) => Some(Part::Until(at)),
        End::Until(Until::Utc(at)) => Some(Part::UntilUtc(jiff::tz::TimeZone::UTC.to_datetime(at))),
    });
    parts.extend(zone);
    Description { every, parts }
}

/// Whether weekdays and a position are all that a rule says of its days.
fn only_weekdays(rule: &RuleParts) -> bool {
    rule.months.is_empty() && rule.month_days.is_empty() && has_one_time(rule)
}

fn has_one_time(rule: &RuleParts) -> bool {
    [&rule.hours, &rule.minutes, &rule.seconds].iter().all(|list| list.len() < 2)
}

/// The day of a rule such as `BYMONTHDAY=28,29,30;BYSETPOS=-1`.
fn day_or_last(rule: &RuleParts) -> Option<i16> {
    let day = *rule.month_days.last()?;
    let is_row = (29..=31).contains(&day) && rule.month_days.iter().copied().eq(28..=day);
    let is_last = rule.positions == [-1];
    let is_month = rule.frequency == Frequency::Monthly && rule.months.is_empty();
    (is_row && is_last && is_month && rule.weekdays.is_empty() && has_one_time(rule)).then_some(day)
}

/// What a rule takes from its start.
fn implied(rule: &RuleParts, start: DateTime) -> Option<Part> {
    let date = start.date();
    let has_day = !rule.month_days.is_empty() || !rule.weekdays.is_empty();
    match rule.frequency {
        Frequency::Yearly if has_day || !rule.year_days.is_empty() => None,
        Frequency::Yearly if !rule.weeks.is_empty() => {
            Some(Part::Weekdays(vec![Weekday::of(date)]))
        }
        Frequency::Yearly if rule.months.is_empty() => {
            Some(Part::YearDay(date.month().into(), date.day().into()))
        }
        Frequency::Yearly | Frequency::Monthly if !has_day => {
            Some(Part::MonthDays(vec![date.day().into()]))
        }
        Frequency::Weekly if !has_day => Some(Part::Weekdays(vec![Weekday::of(date)])),
        Frequency::Yearly
        | Frequency::Monthly
        | Frequency::Weekly
        | Frequency::Daily
        | Frequency::Hourly
        | Frequency::Minutely => None,
    }
}

/// The times of a rule: as times of day where it has few, else as the lists it has.
fn times(rule: &RuleParts, start: DateTime, is_day: bool) -> Vec<Part> {
    if is_day {
        return Vec::new();
    }
    let lists = [&rule.hours, &rule.minutes, &rule.seconds];
    if !rule.frequency.is_elapsed() {
        let parts = [start.hour(), start.minute(), start.second()];
        let full = |n: usize| {
            if lists[n].is_empty() { vec![i16::from(parts[n])] } else { lists[n].clone() }
        };
        let (hours, minutes, seconds) = (full(0), full(1), full(2));
        if hours.len() * minutes.len() * seconds.len() <= MOST_TIMES {
            let small = |n: i16| i8::try_from(n).unwrap_or(0);
            let mut times = Vec::new();
            for hour in &hours {
                for minute in &minutes {
                    let at = |second: &i16| {
                        Time::constant(small(*hour), small(*minute), small(*second), 0)
                    };
                    times.extend(seconds.iter().map(at));
                }
            }
            return vec![Part::Times(times)];
        }
        return vec![Part::Hours(hours), Part::Minutes(minutes), Part::Seconds(seconds)];
    }
    let named: [fn(Vec<i16>) -> Part; 3] = [Part::Hours, Part::Minutes, Part::Seconds];
    let some = lists.into_iter().zip(named).filter(|(list, _)| !list.is_empty());
    some.map(|(list, part)| part(list.clone())).collect()
}

/// A description in English. What `read_schedule` understands is written as it understands it.
pub fn english(description: &Description) -> String {
    let mut text = match description.every {
        Every::Once(day) => day_in_words(day),
        Every::WorkingDay => "every weekday".to_owned(),
        Every::Periods(1, frequency) => format!("every {}", unit(frequency)),
        Every::Periods(n, frequency) => format!("every {n} {}s", unit(frequency)),
    };
    let mut parts = &description.parts[..];
    if let [Part::WorkingDay(nth), rest @ ..] = parts {
        text = format!("{} working day of {text}", ordinal(*nth));
        parts = rest;
    }
    for part in parts {
        text.push(' ');
        part_in_words(&mut text, part);
    }
    text
}

fn unit(frequency: Frequency) -> &'static str {
    match frequency {
        Frequency::Minutely => "minute",
        Frequency::Hourly => "hour",
        Frequency::Daily => "day",
        Frequency::Weekly => "week",
        Frequency::Monthly => "month",
        Frequency::Yearly => "year",
    }
}

fn part_in_words(text: &mut String, part: &Part) {
    // Writing to a String cannot fail.
    let _ = match part {
        Part::Weekdays(days) => write!(text, "on {}", joined(days.iter().map(|day| name(*day)))),
        Part::NthWeekdays { days, of_year } => {
            let of = if *of_year { " of the year" } else { "" };
            let day = |day: &NthWeekday| match day.nth {
                None => format!("each {}", name(day.day)),
                Some(nth) => format!("the {} {}", ordinal(nth.into()), name(day.day)),
            };
            write!(text, "on {}{of}", joined(days.iter().map(day)))
        }
        Part::WorkingDay(nth) => write!(text, "on the {} working day", ordinal(*nth)),
        Part::MonthDays(days) => write!(text, "on {}", joined(days.iter().map(|n| day_of(*n, "")))),
        Part::DayOrLast(day) => {
            write!(text, "on the {}, or the last day of a shorter month", ordinal(*day))
        }
        Part::YearDay(month, day) if *day > 0 => write!(text, "on {day} {}", month_name(*month)),
        Part::YearDay(month, day) => {
            write!(text, "on {} of {}", day_of(*day, ""), month_name(*month))
        }
        Part::DaysOfYear(days) => {
            write!(text, "on {} of the year", joined(days.iter().map(|n| day_of(*n, "day"))))
        }
        Part::Weeks(weeks) => {
            write!(text, "in {} of the year", joined(weeks.iter().map(|n| day_of(*n, "week"))))
        }
        Part::Months(months) => {
            write!(text, "in {}", joined(months.iter().map(|n| month_name(*n))))
        }
        Part::Times(times) => write!(text, "at {}", joined(times.iter().map(|at| clock(*at)))),
        Part::Hours(hours) => write!(text, "in hour {}", joined(hours.iter())),
        Part::Minutes(minutes) => write!(text, "at minute {}", joined(minutes.iter())),
        Part::Seconds(seconds) => write!(text, "at second {}", joined(seconds.iter())),
        Part::Only(places) => {
            write!(text, "(only the {} of these)", joined(places.iter().map(|n| ordinal(*n))))
        }
        Part::WeekStart(day) => write!(text, "(weeks begin on {})", name(*day)),
        Part::From(day) => write!(text, "from {}", day_in_words(*day)),
        Part::UntilDay(day) => write!(text, "until {}", day_in_words(*day)),
        Part::Until(at) => {
            write!(text, "until {} at {}", day_in_words(at.date()), clock(at.time()))
        }
        Part::UntilUtc(at) => {
            write!(text, "until {} at {} UTC", day_in_words(at.date()), clock(at.time()))
        }
        Part::Count(1) => write!(text, "once"),
        Part::Count(count) => write!(text, "{count} times"),
        Part::Zone(zone) => write!(text, "{zone}"),
    };
}

fn joined(words: impl Iterator<Item = impl ToString>) -> String {
    let words: Vec<String> = words.map(|word| word.to_string()).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

fn name(day: Weekday) -> String {
    let mut name = day.name().to_owned();
    name[..1].make_ascii_uppercase();
    name
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn month_name(month: i16) -> &'static str {
    let place = usize::try_from(month - 1).ok();
    place.and_then(|place| MONTHS.get(place)).copied().unwrap_or("?")
}

fn day_in_words(day: Date) -> String {
    format!("{} {} {}", day.day(), month_name(day.month().into()), day.year())
}

/// "The 15th", "the last day", "week 20", "the last week".
fn day_of(n: i16, unit: &str) -> String {
    match (n, unit) {
        (1.., "") => format!("the {}", ordinal(n)),
        (1.., _) => format!("{unit} {n}"),
        (_, "") => format!("the {} day", ordinal(n)),
        (_, _) => format!("the {} {unit}", ordinal(n)),
    }
}

/// "1st", "22nd", "last", "second to last", "3rd last".
fn ordinal(n: i16) -> String {
    let size = n.unsigned_abs();
    let ending = match (size % 10, size % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    match n {
        -1 => "last".to_owned(),
        -2 => "second to last".to_owned(),
        ..=0 => format!("{size}{ending} last"),
        1.. => format!("{size}{ending}"),
    }
}

fn clock(time: Time) -> String {
    let form = if time.second() == 0 { "%H:%M" } else { "%H:%M:%S" };
    time.strftime(form).to_string()
}
