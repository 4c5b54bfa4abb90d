//! Days whose year is probably a slip: a year away from the notes that name them.

use jiff::civil::Date;
use jiff::{Span, ToSpan as _};

use super::cue::CueText;
use crate::input::Input;
use crate::propose::day::Reading;
use crate::propose::statement::Statement;
use crate::read::Kind;

/// A day this near to the note, had it been another year, was meant for that year. Units: days.
const NEAR: i32 = 60;
/// A day nearer than this was meant as it is written. Units: days.
const FAR: i32 = 250;

/// Returns the year that a sentence probably means, if it names a day in another one: "the contract ends 30
/// April 2026", written in April 2027. What is said of the past may be a year old.
pub fn meant(input: &Input<'_>, statement: &Statement<'_>) -> Option<i16> {
    let is_text = matches!(statement.segment.kind, Kind::Sentence | Kind::Bullet | Kind::Numbered);
    let cues = &input.lang.report.cues;
    if !is_text || statement.is_quoted || CueText::new(statement.text, input.lang).has(cues.past) {
        return None;
    }
    statement.sentence.days.values().find_map(|mention| {
        let Reading::Day(day) = mention.reading else { return None };
        let year = day.year().to_string();
        let tokens = &statement.sentence.tokens[mention.start..mention.end];
        // Only a year that is written can be wrong.
        let is_written = tokens.iter().any(|token| token.word.contains(&year));
        is_written.then(|| year_nearer(day, statement.on)).flatten()
    })
}

/// Returns the year in which a day that is far from a note would be near it.
fn year_nearer(day: Date, on: Date) -> Option<i16> {
    let days_off = |day: Date| day.since(on).map_or(i32::MAX, |span| span.get_days().abs());
    let moved = |years: Span| day.checked_add(years).ok().filter(|day| days_off(*day) <= NEAR);
    if days_off(day) <= FAR {
        return None;
    }
    moved(1.year()).or_else(|| moved((-1).years())).map(Date::year)
}
