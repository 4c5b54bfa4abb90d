//! Dates as people say them: one parser for fields, titles, commands and running text.
//!
//! Owns: what "fri 3pm", "by 10.12.", "end of March" or "every last Friday" means to a reader, and
//! which figures and words only resemble a date. Defends against: a version, an amount or a length of time that is
//! read as a date; a date that means something else to the reader than to us, without a word.
//!
//! Does not own: sentences about a date (see [`Found::assumed`], which callers put into words), and
//! what is done with it.
//!
//! # Rules
//!
//! - A day without a year is the next such day; today counts. After words about the past
//!   ("since", "we met on") it is the last such day.
//! - A weekday is the next one after today; today does not count. "This Friday" can be today.
//!   "Next Friday" is the one of next week, as the reader's weeks begin. "Friday week" is seven
//!   days after "Friday".
//! - A time without a day is the next time a clock shows it.
//! - A named month, quarter or week without more is a [`Span`]. "End of" it is its last day, but the
//!   end of a week is its Friday; "mid" is the 15th of a month and the Wednesday of a week; "early" and "late"
//!   are its first and last third.
//! - Figures are read in the reader's order. If that gives no day of the calendar, in the other.
//!   A year of two figures is one of this century.
//! - An hour without morning or afternoon is the one between 7:00 and 18:59.
//! - A part of the day is a time: morning 9:00, noon 12:00, afternoon 15:00, evening 19:00, night
//!   21:00.
//! - After a part of the day, a number alone is an hour of it: "tonight 8".
//! - Of a range in which the month is named once, both ends are in it, unless the first would come after the
//!   last: "the 28th to the 2nd of April" begins in March.
//! - "After" a day names no last day; that is said.
//! - A time that a change of the clock skips or repeats is resolved by
//!   [`Moment::timestamp`].
//!
//! Every such decision is in [`Found::assumed`].
//!
//! Reading order: `value`, `recurrence`, `words` with `english` and the others, `table`, `language`, `token`,
//! `matching`, `grammar`, `range`, `resolve`, `context`, `names`, `leading`.

mod error;
mod value;
mod recurrence;
mod words;
mod language;
mod reader;
mod table;
mod english;
mod german;
mod french;
mod spanish;
mod romanian;
mod figure;
mod token;
mod matching;
mod calendar;
mod grammar;
mod range;
mod day_end;
mod names;
mod day_time;
mod hours;
mod again;
mod resolve;
mod numeric;
mod period;
mod feasts;
mod relative;
mod clock;
mod context;
mod zone;
mod leading;

pub use dormouse_types::day_order::DayOrder;
pub use english::ENGLISH;
pub use error::NotUnderstood;
pub use french::FRENCH;
pub use german::GERMAN;
pub use language::Language;
pub use leading::{Leading, leading};
pub use reader::Reader;
pub use recurrence::{MonthDay, Recurrence, Rule, Weekday, YearDay};
pub use romanian::ROMANIAN;
pub use spanish::SPANISH;
pub use value::{Assumption, Found, Impossible, Kind, Moment, Point, Span, TextSpan, When, Zone};

use grammar::{Hit, Outcome, Parser};
use token::Kind as TokenKind;
use words::Where;

pub(crate) use zone::named as named_zone;
pub(crate) use zone::names as zone_names;

/// Every language with a table; the first one also serves other languages.
pub const LANGUAGES: &[Language] = &[ENGLISH, GERMAN, FRENCH, SPANISH, ROMANIAN];

impl Language {
    /// The language of a tag such as `de-AT` (BCP 47) or `de_AT.UTF-8` (POSIX), if it has a table.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_', '.', '@']).next().unwrap_or_default();
        let all = LANGUAGES.iter();
        all.copied().find(|language| language.code().eq_ignore_ascii_case(primary))
    }
}

/// The longest text that is read as one date. Units: bytes.
const LONGEST_FIELD: usize = 200;

/// Reads a text that is a date as a whole, as in the field of a form.
///
/// Errors: the text is no date, or the calendar does not have it; the message says why.
pub fn parse(text: &str, reader: &Reader) -> Result<When, NotUnderstood> {
    explain(text, reader).map(|found| found.when)
}

/// Reads a text that is a date as a whole, and says how it was understood.
///
/// Errors: those of [`parse`].
pub fn explain(text: &str, reader: &Reader) -> Result<Found, NotUnderstood> {
    if text.trim().is_empty() {
        return Err(NotUnderstood::Empty);
    }
    if text.trim().len() > LONGEST_FIELD {
        return Err(NotUnderstood::TooLong);
    }
    let mut parser = Parser::new(text, reader);
    parser.matcher.tokens.move_to(0);
    let is_mark = |parser: &Parser<'_>, at: usize| {
        parser
            .matcher
            .token(at)
            .is_some_and(|token| matches!(token.class, TokenKind::Mark(_) | TokenKind::Break))
    };
    let mut start = 0;
    while is_mark(&parser, start) {
        start += 1;
        parser.matcher.tokens.move_to(start);
    }
    let hit = match parser.at(start, Where::Field) {
        Some(Outcome::Hit(hit)) => hit,
        Some(Outcome::Not { why, .. }) => return Err(why),
        None => return Err(NotUnderstood::Unknown { text: calendar::short(text.trim()) }),
    };
    let mut end = hit.end;
    while is_mark(&parser, end) {
        end += 1;
    }
    if let Some(token) = parser.matcher.token(end) {
        return Err(NotUnderstood::MoreThanADate { rest: calendar::short(&text[token.start..]) });
    }
    Ok(found(&parser, hit, &mut Places::new(text)))
}

fn found(parser: &Parser<'_>, hit: Hit, places: &mut Places<'_>) -> Found {
    let span = places.span(bytes_of(parser, hit.start, hit.end));
    let date = bytes_of(parser, hit.date.start, hit.date.end);
    Found { span, date, when: hit.when, kind: hit.kind, assumed: hit.assumed }
}

/// Finds the dates in a running text, in order. They do not overlap.
pub fn find(text: &str, reader: &Reader) -> Vec<Found> {
    scan(text, reader).found
}

/// What [`scan`] saw in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// The dates, in order.
    pub found: Vec<Found>,
    /// What was meant as a date but is not in the calendar, in order.
    pub impossible: Vec<Impossible>,
    /// How many comparisons it took; a test holds them to the length of the text.
    pub steps: u64,
}

/// Finds the dates in a running text, and what was meant as one but is none.
pub fn scan(text: &str, reader: &Reader) -> Scan {
    let mut parser = Parser::new(text, reader);
    let mut places = Places::new(text);
    let mut scan = Scan { found: Vec::new(), impossible: Vec::new(), steps: 0 };
    let mut at = 0;
    loop {
        parser.matcher.tokens.move_to(at);
        if parser.matcher.token(at).is_none() {
            break;
        }
        match parser.at(at, Where::Anywhere) {
            Some(Outcome::Hit(hit)) => {
                at = hit.end;
                scan.found.push(found(&parser, hit, &mut places));
            }
            Some(Outcome::Not { start, end, why }) => {
                let span = places.span(bytes_of(&parser, start, end));
                at = end;
                scan.impossible.push(Impossible { span, why });
            }
            None => at += 1,
        }
    }
    scan.steps = parser.matcher.steps + parser.matcher.tokens.steps;
    scan
}

/// The first leading word of a date, in lower case: "by" of "by Friday".
pub(crate) fn leading_word(date: &str, reader: &Reader) -> Option<String> {
    let table: &table::Table = reader.language.0;
    let mut matcher = matching::Matcher::new(date, table, reader.now.date().year());
    matcher.tokens.move_to(0);
    matcher.longest(&table.leads, 0, Where::Anywhere)?;
    matcher.token(0).map(|token| matcher.tokens.text_of(token).to_lowercase())
}

/// Whether a date says since when something is: "since 1 November".
pub(crate) fn says_since(date: &str, reader: &Reader) -> bool {
    let table: &table::Table = reader.language.0;
    let mut matcher = matching::Matcher::new(date, table, reader.now.date().year());
    matcher.tokens.move_to(0);
    let lead = matcher.longest(&table.leads, 0, Where::Anywhere);
    lead.is_some_and(|lead| lead.means == words::Lead::Since)
}

/// Whether a date in running text that is no deadline says how long something lasts: "until March"
/// of "is fine until March".
pub(crate) fn says_how_long(date: &str, reader: &Reader) -> bool {
    let table: &table::Table = reader.language.0;
    let mut matcher = matching::Matcher::new(date, table, reader.now.date().year());
    matcher.tokens.move_to(0);
    matcher.is_in(0, table::List::Lasting)
}

fn bytes_of(parser: &Parser<'_>, start: usize, end: usize) -> std::ops::Range<usize> {
    let first = parser.matcher.token(start).map_or(0, |token| token.start);
    let last = parser.matcher.token(end.saturating_sub(1)).map_or(first, |token| token.end);
    first..last.max(first)
}

/// Counts characters up to places that only move forward.
pub(crate) struct Places<'a> {
    text: &'a str,
    bytes: usize,
    chars: usize,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, bytes: 0, chars: 0 }
    }

    fn to(&mut self, bytes: usize) -> usize {
        self.chars += self.text[self.bytes..bytes].chars().count();
        self.bytes = bytes;
        self.chars
    }

    pub(crate) fn span(&mut self, bytes: std::ops::Range<usize>) -> TextSpan {
        let chars = self.to(bytes.start)..self.to(bytes.end);
        TextSpan { bytes, chars }
    }
}
