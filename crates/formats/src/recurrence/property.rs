//! A schedule that is written as iCalendar writes it: a rule, and where it begins.

use jiff::civil::{Date, DateTime};

use super::rule::{End, Frequency, RecurrenceRule, RuleParts};
use super::schedule_error::{FEWEST_MINUTES, ScheduleError};
use super::series::Series;
use super::zone::{Clock, Person};
use crate::when::Reader;

/// Whether a text is meant as a rule of RFC 5545 and not as words.
pub fn is_rule(text: &str) -> bool {
    let upper = text.trim_start().to_ascii_uppercase();
    upper.starts_with("RRULE") || upper.starts_with("DTSTART") || upper.contains("FREQ=")
}

/// Reads `FREQ=WEEKLY;BYDAY=MO`, with or without `RRULE:` in front and a `DTSTART` before or after it; they are
/// on lines of their own, or have a space between them. Without `DTSTART` the series begins at the reader's time,
/// on the reader's clock; it has whole days if no part of the rule is about times.
///
/// Errors: a rule that does not hold, never happens or has times too close to each other; another property.
pub(super) fn read_rule(
    text: &str,
    reader: &Reader,
    person: &Person,
) -> Result<Series, ScheduleError> {
    let (mut rule, mut begin) = (String::new(), None);
    let (mut n_rules, mut n_starts) = (0, 0);
    for word in &words(text) {
        if is_end_of_block(word) {
            continue;
        }
        let name_ends = word.find([':', ';', '=']).unwrap_or(word.len());
        let name = word[..name_ends].to_ascii_uppercase();
        if let "EXDATE" | "RDATE" | "EXRULE" = &*name {
            return Err(single_dates(&name));
        }
        if name == "DTSTART" {
            n_starts += 1;
            begin = Some(start(&word[name_ends..])?);
        } else if word[name_ends..].starts_with('=') || !rule.is_empty() && name != "RRULE" {
            rule += &**word;
        } else if name == "RRULE" && word[name_ends..].starts_with(':') {
            n_rules += 1;
            rule += &word[name_ends + 1..];
        } else {
            return Err(ScheduleError::Property { name: short(word) });
        }
    }
    if n_rules > 1 || n_starts > 1 {
        let name = if n_rules > 1 { "a second RRULE" } else { "a second DTSTART" };
        return Err(ScheduleError::Property { name: name.to_owned() });
    }
    let refuse = |source| ScheduleError::Rule { text: short(text.trim()), source };
    let rule: RecurrenceRule = rule.parse().map_err(refuse)?;
    if is_too_often(rule.parts()) {
        return Err(ScheduleError::TooClose);
    }
    let (start, clock) = begin.unwrap_or_else(|| from_now(rule.parts(), reader.now));
    Series::new(start, clock, rule, person).map_err(refuse)
}

/// The parts of a text between spaces. The parameters of a property keep theirs, in quotes or without:
/// `DTSTART;TZID=W. Europe Standard Time:20261201T090000`.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let begins_property =
            ["DTSTART", "RRULE", "EXDATE", "RDATE", "EXRULE", "BEGIN", "END"].iter().any(|name| {
                word.split([':', ';']).next().is_some_and(|it| it.eq_ignore_ascii_case(name))
            });
        match words.last_mut().filter(|last| !begins_property && has_open_parameters(last)) {
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// Whether a property has parameters and no value so far.
fn has_open_parameters(property: &str) -> bool {
    let dates = ["DTSTART;", "EXDATE;", "RDATE;"];
    let has_parameters = dates
        .iter()
        .any(|name| property.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name)));
    has_parameters && value_at(property).is_none()
}

/// Where the colon before the value of a property is: the first outside of quotes.
fn value_at(property: &str) -> Option<usize> {
    outside_quotes(property).find(|(_, sign)| *sign == ':').map(|(at, _)| at)
}

fn outside_quotes(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().scan(false, |is_quoted, (at, sign)| {
        *is_quoted ^= sign == '"';
        Some((at, if *is_quoted { '"' } else { sign }))
    })
}

/// `BEGIN:VEVENT` and `END:VEVENT` around what is pasted.
fn is_end_of_block(word: &str) -> bool {
    ["BEGIN:VEVENT", "END:VEVENT"].iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// Why a pasted block is refused that names single dates.
fn single_dates(name: &str) -> ScheduleError {
    ScheduleError::SingleDates { name: name.to_owned(), is_added: name == "RDATE" }
}

/// What follows `DTSTART`: parameters, a colon and a time.
fn start(text: &str) -> Result<(DateTime, Clock), ScheduleError> {
    let refuse = || ScheduleError::Start { text: short(&format!("DTSTART{text}")) };
    let colon = value_at(text).ok_or_else(refuse)?;
    let (parameters, value) = (&text[..colon], &text[colon + 1..]);
    let mut zone = None;
    let mut from = 0;
    let ends = outside_quotes(parameters).filter(|(_, sign)| *sign == ';').map(|(at, _)| at);
    for end in ends.chain([parameters.len()]).collect::<Vec<_>>() {
        let parameter = &parameters[from..end];
        from = parameters.len().min(end + 1);
        if parameter.is_empty() {
            continue;
        }
        match parameter.split_once('=') {
            Some((name, id)) if name.eq_ignore_ascii_case("TZID") => {
                zone = Some(Clock::named(id.trim_matches('"')).map_err(ScheduleError::Zone)?);
            }
            Some((name, _)) if name.eq_ignore_ascii_case("VALUE") => {}
            _ => return Err(refuse()),
        }
    }
    let value = value.to_ascii_uppercase();
    let day = |text: &str| Date::strptime("%Y%m%d", text).map_err(|_| refuse());
    let time = |text: &str| DateTime::strptime("%Y%m%dT%H%M%S", text).map_err(|_| refuse());
    match (value.len(), value.strip_suffix('Z'), zone) {
        (8, None, None) => Ok((day(&value)?.at(0, 0, 0, 0), Clock::Day)),
        (15, None, zone) => Ok((time(&value)?, zone.unwrap_or(Clock::Floating))),
        (16, Some(value), None) => Ok((time(value)?, Clock::utc())),
        _ => Err(refuse()),
    }
}

/// The start of a rule that is written without one.
fn from_now(rule: &RuleParts, now: DateTime) -> (DateTime, Clock) {
    let today = now.date();
    let small =
        |list: &[i16], or: i8| list.first().and_then(|n| i8::try_from(*n).ok()).unwrap_or(or);
    let (minute, second) = (small(&rule.minutes, 0), small(&rule.seconds, 0));
    if rule.frequency.is_elapsed() {
        let hour = now.date().at(now.hour(), 0, 0, 0);
        let minute = hour.date().at(now.hour(), now.minute(), 0, 0);
        let start = if rule.frequency == Frequency::Hourly { hour } else { minute };
        return (start, Clock::Floating);
    }
    if [&rule.hours, &rule.minutes, &rule.seconds].iter().all(|list| list.is_empty()) {
        return (today.at(0, 0, 0, 0), Clock::Day);
    }
    let start = today.at(small(&rule.hours, 0), minute, second, 0);
    // What has passed already would be counted and never happen.
    let is_counted = matches!(rule.end, End::Count(_));
    let is_over = rule.hours.len() < 2 && start <= now;
    let day = if is_counted && is_over { today.tomorrow().unwrap_or(today) } else { today };
    (day.to_datetime(start.time()), Clock::Floating)
}

/// Whether two times of a rule can be closer to each other than [`FEWEST_MINUTES`].
fn is_too_often(rule: &RuleParts) -> bool {
    let fewest = i32::from(FEWEST_MINUTES);
    if rule.seconds.len() > 1 {
        return true;
    }
    if rule.minutes.is_empty() {
        return rule.frequency == Frequency::Minutely && rule.interval < u32::from(FEWEST_MINUTES);
    }
    if rule.frequency == Frequency::Minutely && rule.interval >= u32::from(FEWEST_MINUTES) {
        return false;
    }
    let minutes: Vec<i32> = rule.minutes.iter().map(|minute| i32::from(*minute)).collect();
    let is_close = minutes.windows(2).any(|pair| pair[1] - pair[0] < fewest);
    let follows = |hour: &i16| rule.hours.contains(&((hour + 1) % 24));
    let has_hours_in_a_row = match &rule.hours[..] {
        [] => rule.frequency.is_elapsed(),
        hours => hours.iter().any(follows),
    };
    let over_the_hour = minutes[0] + 60 - minutes[minutes.len() - 1];
    is_close || has_hours_in_a_row && minutes.len() > 1 && over_the_hour < fewest
}

/// The beginning of a text, for a message.
fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
