//! The day that a text begins with, as the heading of a day in a diary or a log.

use dormouse_types::day_order::DayOrder;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use super::grammar::{Parser, Setting};
use super::language::Language;
use super::reader::Reader;
use super::recurrence::Weekday;
use super::resolve::{Core, Direction};
use super::words::{Means, Where};

/// What a text begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leading<'a> {
    /// A day, and the text after it.
    Day(Date, &'a str),
    /// The form of a day that is not in the calendar.
    Impossible(&'a str),
    /// No day.
    Nothing,
}

impl Leading<'_> {
    /// The day, if there is one.
    pub fn day(self) -> Option<Date> {
        match self {
            Self::Day(day, _) => Some(day),
            Self::Impossible(_) | Self::Nothing => None,
        }
    }
}

/// Units: bytes. A day that a text begins with is written within so many.
const LONGEST: usize = 64;

/// What a year of two figures is read by where no other is known: up to 20 years after it.
const RECENT: i16 = 2030;

/// Reads the day at the very beginning of a text, with its weekday if one is written.
///
/// Such a day has happened and stays what it is, so it counts only with its year; `year` completes a
/// day and a month without one. Figures with slashes count only with the year in front: in others,
/// people differ about what comes first.
pub fn leading(text: &str, year: Option<i16>, language: Language) -> Leading<'_> {
    let start = start_of(text);
    if !may_begin(start, language) {
        return Leading::Nothing;
    }
    let Ok(base) = Date::new(year.unwrap_or(RECENT), 1, 1) else { return Leading::Nothing };
    let reader = Reader {
        now: base.to_datetime(Time::midnight()),
        zone: TimeZone::UTC,
        order: DayOrder::DayFirst,
        language,
        week_starts: Weekday::Monday,
    };
    let mut parser = Parser::new(start, &reader);
    parser.matcher.tokens.move_to(0);
    let setting = Setting { allowed: Where::Anywhere, lead: None, direction: Direction::Ahead };
    let byte = |parser: &Parser<'_>, token: usize| {
        parser.matcher.token(token.saturating_sub(1)).map_or(0, |token| token.end)
    };
    match parser.day(0, setting, base) {
        Some(Ok(hit)) => {
            let day = match hit.core {
                Core::Day(day) => day,
                Core::At(moment) => moment.at.date(),
                Core::Days(..) => return Leading::Nothing,
            };
            let has_year = match (hit.means, hit.caught.figure) {
                (Some(Means::Stamp | Means::Numbers), _) => true,
                (Some(Means::Figure), Some(figure)) => {
                    figure.lengths[0] == 4 || figure.sign == '.' && figure.lengths[2] == 4
                }
                (Some(Means::DayMonth), _) => hit.caught.year.is_some() || Some(day.year()) == year,
                _ => false,
            };
            let end = byte(&parser, hit.end);
            // A full stop or comma after a month of its own ends the date, not the text.
            if has_year { Leading::Day(day, &text[end..]) } else { Leading::Nothing }
        }
        Some(Err((end, _))) => {
            let written = &text[..byte(&parser, end)];
            let four = |part: &str| part.len() == 4 && part.parse::<u16>().is_ok();
            match written.split(|c: char| !c.is_ascii_digit()).any(four) {
                true => Leading::Impossible(written),
                false => Leading::Nothing,
            }
        }
        None => Leading::Nothing,
    }
}

/// Whether a text can begin with a day, which most do not: with its number or year, or with the name
/// of a weekday or month.
fn may_begin(text: &str, language: Language) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return digits <= 4;
    }
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    end > 0 && has_digit && language.names_a_day(&text[..end])
}

/// The beginning of a text, up to the end of a word.
fn start_of(text: &str) -> &str {
    if text.len() <= LONGEST {
        return text;
    }
    let start = &text[..text.floor_char_boundary(LONGEST)];
    start.rfind(char::is_whitespace).map_or("", |end| &start[..end])
}
