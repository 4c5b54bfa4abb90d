//! Days as sheets and exports write them.

use jiff::civil::Date;
use jiff::{Timestamp, Zoned};

use super::{DateOrder, ReadOptions};

/// Reads a text that is a day and nothing else, with or without a time.
///
/// An instant becomes the day of the reader's zone. `None`: it is no day, or not surely one.
pub(crate) fn day_of(text: &str, options: &ReadOptions) -> Option<Date> {
    let text = text.trim();
    if text.len() > 64 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let has_time = text.contains(['T', 't', ' ']) && text.contains(':');
    if has_time && let Some(day) = instant(text, options) {
        return Some(day);
    }
    let day = without_time(text);
    iso(day).or_else(|| numbers(day, options)).or_else(|| named(day, options))
}

/// An instant with a zone or an offset.
fn instant(text: &str, options: &ReadOptions) -> Option<Date> {
    let text = text.replacen(' ', "T", 1);
    let zoned = text.parse::<Timestamp>().ok().map(|at| at.to_zoned(options.zone.clone()));
    zoned.or_else(|| text.parse::<Zoned>().ok()).map(|at| at.date())
}

/// The text without the time behind the day.
fn without_time(text: &str) -> &str {
    let is_time = |part: &str| {
        let clock = part.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '.');
        clock.contains(':')
            && clock.bytes().all(|byte| byte.is_ascii_digit() || b":.".contains(&byte))
    };
    let split =
        |at: usize, behind: usize| is_time(text[at + behind..].trim()).then_some(&text[..at]);
    let at_t = text.find('T').filter(|&at| text[..at].ends_with(|c: char| c.is_ascii_digit()));
    at_t.and_then(|at| split(at, 1))
        .or_else(|| text.match_indices(' ').find_map(|(at, _)| split(at, 1)))
        .map_or(text, |day| day.trim_end_matches([',', ' ']))
}

/// `2026-11-03`, `2026/11/03`, `20261103`.
fn iso(text: &str) -> Option<Date> {
    let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
    match parts[..] {
        [whole] if whole.len() == 8 => {
            date(number(whole.get(..4)?)?, number(whole.get(4..6)?)?, number(whole.get(6..)?)?)
        }
        [year, month, day] if year.len() == 4 => date(number(year)?, number(month)?, number(day)?),
        _ => None,
    }
}

/// `3.11.2026`, `3.11.`, `3/11/26`, `3-11-2026`.
fn numbers(text: &str, options: &ReadOptions) -> Option<Date> {
    let sign = text.chars().find(|c| "./-".contains(*c))?;
    let mut parts = text.split(sign).map(str::trim);
    let (first, second) = (number(parts.next()?)?, number(parts.next()?)?);
    let year = parts.next().unwrap_or_default();
    if parts.next().is_some() {
        return None;
    }
    let (day, month) = match (sign, options.order) {
        ('.', _) | (_, DateOrder::DayFirst) => (first, second),
        (_, DateOrder::MonthFirst) => (second, first),
    };
    // A number beyond 12 can only be the day, whoever wrote it.
    let (day, month) = if month > 12 && day <= 12 { (month, day) } else { (day, month) };
    match year {
        // Without a year, `3/4` may be a fraction and `3-4` a span.
        "" if sign == '.' && text.ends_with('.') => coming(month, day, options),
        "" => None,
        year => date(full(year)?, month, day),
    }
}

/// `3 Nov 2026`, `Nov 3, 2026`, `3. November 2026`.
fn named(text: &str, options: &ReadOptions) -> Option<Date> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let (mut month, mut numbers) = (None, Vec::new());
    for word in text.split([' ', ',', '-', '.']).filter(|word| !word.is_empty()) {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            numbers.push(word);
            continue;
        }
        let word = word
            .to_lowercase()
            .replace("mär", "mar")
            .replace("mai", "may")
            .replace("okt", "oct")
            .replace("dez", "dec");
        let known = MONTHS.iter().position(|name| word.starts_with(name));
        let is_weekday = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
            .iter()
            .any(|day| word.starts_with(day));
        match known {
            Some(at) if month.is_none() => month = Some(i64::try_from(at).ok()? + 1),
            _ if is_weekday && month.is_none() && numbers.is_empty() => {}
            _ => return None,
        }
    }
    match numbers[..] {
        [day] => coming(month?, number(day)?, options),
        [year, day] if year.len() == 4 => date(number(year)?, month?, number(day)?),
        [day, year] => date(full(year)?, month?, number(day)?),
        _ => None,
    }
}

/// The next such day from today on.
fn coming(month: i64, day: i64, options: &ReadOptions) -> Option<Date> {
    let today = options.today?;
    (0..9).filter_map(|n| date(i64::from(today.year()) + n, month, day)).find(|&day| day >= today)
}

fn full(year: &str) -> Option<i64> {
    let n = number(year)?;
    match year.len() {
        4 => Some(n),
        2 => Some(2000 + n),
        _ => None,
    }
}

fn number(text: &str) -> Option<i64> {
    let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    if !(1900..=2200).contains(&year) {
        return None;
    }
    Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
}
