//! Days in a sentence.
//!
//! What a day is, the one parser of dates knows (`dormouse_formats::when`). Here is which of the days
//! it finds are certain enough for a proposal.

use std::ops::Range;

use dormouse_formats::when::{
    self, Assumption, DayOrder, Found, Point, Reader, Span, Weekday, When,
};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use super::words::{Class, Token};
use crate::lang::Lang;

/// The words around a day that say what it is for.
#[derive(Debug)]
pub struct DayWords {
    /// Before a day: not the nearest one, or not certainly.
    pub vague: &'static [&'static str],
    /// Between two days: a choice, so no day is read.
    pub between: &'static [&'static str],
    /// Between two days: a range, unless `from` makes it a move from one to the other.
    pub through: &'static [&'static str],
    /// Before the day that something is moved away from.
    pub from: &'static [&'static str],
}

/// Result of reading a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    Day(Date),
    /// It has the form of a day but names no single one.
    Unclear,
}

/// A day in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    /// Its first token.
    pub start: usize,
    /// The token after its last one.
    pub end: usize,
    pub reading: Reading,
}

/// Finds the days in a sentence, in order.
///
/// `on` is the day on which the sentence was written: a day without a year is the next such day
/// after it.
pub fn mentions(tokens: &[Token], on: Date, lang: &Lang) -> Vec<Mention> {
    let words = &lang.propose.days;
    let spoken = Spoken::of(tokens);
    let reader = Reader {
        // The end of the day, so that a time alone is the next day's and not taken for a day.
        now: on.to_datetime(Time::constant(23, 59, 59, 0)),
        // A day is the one that is written, wherever its clock hangs.
        zone: TimeZone::UTC,
        order: lang.order.unwrap_or(DayOrder::DayFirst),
        language: lang.dates(),
        week_starts: Weekday::Monday,
    };
    let scan = when::scan(&spoken.text, &reader);
    let mut found: Vec<Mention> = Vec::new();
    for day in &scan.found {
        let place = spoken.tokens_at(&day.date);
        match moved(day, tokens, &place, &spoken, &reader, words) {
            Some(both) => found.extend(both),
            None => found.extend(reading(day, &spoken.text, &reader, lang.order).map(|reading| {
                let is_vague = place.start > 0 && is_in(&tokens[place.start - 1], words.vague);
                let reading = if is_vague { Reading::Unclear } else { reading };
                Mention { start: place.start, end: place.end, reading }
            })),
        }
    }
    found.extend(scan.impossible.iter().map(|day| {
        let place = spoken.tokens_at(&day.span.bytes);
        Mention { start: place.start, end: place.end, reading: Reading::Unclear }
    }));
    found.sort_by_key(|mention| mention.start);
    seal_choices(tokens, &mut found, lang);
    found
}

/// What a sentence says, without emphasis, and with a sign for what nobody says in it.
struct Spoken {
    text: String,
    /// Of each token. Units: bytes of `text`.
    places: Vec<Range<usize>>,
}

impl Spoken {
    fn of(tokens: &[Token]) -> Self {
        let mut spoken = Self { text: String::new(), places: Vec::new() };
        for token in tokens {
            if !token.glued && !spoken.text.is_empty() {
                spoken.text.push(' ');
            }
            let start = spoken.text.len();
            // No date begins with a number sign, or continues after one.
            let stated = if token.class == Class::Sealed { "#" } else { token.raw.as_str() };
            spoken.text.push_str(stated);
            spoken.places.push(start..spoken.text.len());
        }
        spoken
    }

    fn bytes_of(&self, tokens: &Range<usize>) -> Range<usize> {
        match self.places.get(tokens.clone()) {
            Some([first, .., last]) => first.start..last.end,
            Some([one]) => one.clone(),
            Some([]) | None => 0..0,
        }
    }

    fn tokens_at(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.places.partition_point(|place| place.end <= bytes.start);
        let end = self.places.partition_point(|place| place.start < bytes.end);
        start..end
    }
}

/// Returns what a date says about a day; `None` for a time of day alone.
fn reading(found: &Found, text: &str, reader: &Reader, order: Option<DayOrder>) -> Option<Reading> {
    let assumes = |is: fn(&Assumption) -> bool| found.assumed.iter().any(is);
    if assumes(|one| matches!(one, Assumption::NextTime(_))) {
        return None;
    }
    let day = match &found.when {
        When::Day(day) => *day,
        When::At(moment) => moment.at.date(),
        When::Span(Span { from: Point::At(from), to: Point::At(to) })
            if from.at.date() == to.at.date() =>
        {
            from.at.date()
        }
        When::Span(_) | When::Recurring(_) => return Some(Reading::Unclear),
    };
    let is_dotted = !text[found.date.clone()].contains(['/', '-']);
    let is_month_first = matches!(
        found.assumed.iter().find(|one| matches!(one, Assumption::ReadersOrder(_))),
        Some(Assumption::ReadersOrder(DayOrder::MonthFirst))
    );
    if is_dotted && is_month_first {
        // With full stops the day always comes first.
        let day_first = Reader { order: DayOrder::DayFirst, ..reader.clone() };
        let figures = &text[found.date.clone()];
        return reading(&when::explain(figures, &day_first).ok()?, figures, &day_first, order);
    }
    let is_open = found.assumed.iter().any(|one| match one {
        Assumption::ReadersOrder(_) | Assumption::Century(_) => !is_dotted && order.is_none(),
        Assumption::NextWeek(_)
        | Assumption::PartOfPeriod(_)
        | Assumption::WeekdayDiffers(_)
        | Assumption::NextTime(_) => true,
        Assumption::OnlyOrder(_)
        | Assumption::OtherOrder(_)
        | Assumption::Year(_)
        | Assumption::InAWeek(_)
        | Assumption::PartOfDay(_)
        | Assumption::Hour(_)
        | Assumption::Before(_)
        | Assumption::After(_) => false,
    });
    Some(if is_open { Reading::Unclear } else { Reading::Day(day) })
}

/// Returns the two days of a move from one to the other.
fn moved(
    found: &Found,
    tokens: &[Token],
    place: &Range<usize>,
    spoken: &Spoken,
    reader: &Reader,
    words: &DayWords,
) -> Option<[Mention; 2]> {
    let When::Span(Span { from: Point::Day(from), to: Point::Day(to) }) = &found.when else {
        return None;
    };
    let is_move = place.start > 0 && is_in(&tokens[place.start - 1], words.from);
    let joint = tokens[place.clone()].iter().position(|token| is_in(token, words.through))?;
    let joint = place.start + joint;
    // Something can move to an earlier day, so each is read by itself.
    let alone = |tokens: Range<usize>, in_range: Date| {
        let text = &spoken.text[spoken.bytes_of(&tokens)];
        let day = match when::parse(text, reader) {
            Ok(When::Day(day)) => day,
            _ => in_range,
        };
        Mention { start: tokens.start, end: tokens.end, reading: Reading::Day(day) }
    };
    is_move.then(|| [alone(place.start..joint, *from), alone(joint + 1..place.end, *to)])
}

/// Marks both sides of a choice or range as unclear.
fn seal_choices(tokens: &[Token], found: &mut [Mention], lang: &Lang) {
    let words = &lang.propose.days;
    let in_day: Vec<Range<usize>> = found.iter().map(|day| day.start..day.end).collect();
    let is_lone_number = |at: usize| {
        let day = tokens.get(at).and_then(Token::number);
        day.is_some_and(|day| (1..=31).contains(&day))
            && !in_day.iter().any(|place| place.contains(&at))
    };
    let is_joint = |at: usize| tokens.get(at).is_some_and(|token| is_between(token, words));
    for day in found.iter_mut() {
        // "20 or 21 March", "March 10 or 12", but not "March 10 or 12 May".
        let before = day.start >= 2 && is_joint(day.start - 1) && is_lone_number(day.start - 2);
        let rest = tokens.get(day.end + 2..).unwrap_or_default();
        let has_month = rest.iter().take(3).any(|t| lang.dates().names_a_month(&t.word));
        let after = is_joint(day.end) && is_lone_number(day.end + 1) && !has_month;
        if before || after {
            day.reading = Reading::Unclear;
        }
    }
    for n in 1..found.len() {
        let Some([one]) = tokens.get(found[n - 1].end..found[n].start) else { continue };
        let first = found[n - 1].start;
        let is_move = first > 0 && is_in(&tokens[first - 1], words.from);
        if is_between(one, words) && !(is_move && is_in(one, words.through)) {
            found[n - 1].reading = Reading::Unclear;
            found[n].reading = Reading::Unclear;
        }
    }
}

fn is_in(token: &Token, words: &[&str]) -> bool {
    token.class == Class::Word && words.contains(&token.word.as_str())
}

fn is_between(token: &Token, words: &DayWords) -> bool {
    matches!(token.word.as_str(), "-" | "/" | "~")
        || is_in(token, words.between)
        || is_in(token, words.through)
}

#[cfg(test)]
mod tests {
    use super::super::words::tokens;
    use super::*;
    use crate::lang::en::EN;

    fn check(text: &str, expected: &[&str]) {
        let on: Date = "2026-03-02".parse().expect("a day");
        let found: Vec<String> = mentions(&tokens(text), on, &EN)
            .into_iter()
            .map(|m| match m.reading {
                Reading::Day(date) => date.to_string(),
                Reading::Unclear => "?".into(),
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn days_with_a_year() {
        for (text, expected) in [
            ("2026-03-20", "2026-03-20"),
            ("2026/3/20", "2026-03-20"),
            ("2026-03-20T10:00", "2026-03-20"),
            ("20.03.2026", "2026-03-20"),
            ("25/03/2026", "2026-03-25"),
            ("03/25/2026", "2026-03-25"),
            ("05/05/2026", "2026-05-05"),
            ("15 March 2026", "2026-03-15"),
            ("the 15th of March, 2026", "2026-03-15"),
            ("March 15, 2026", "2026-03-15"),
            ("Mar. 15th 2026", "2026-03-15"),
            ("Friday, 20 March 2026", "2026-03-20"),
        ] {
            check(text, &[expected]);
        }
    }

    #[test]
    fn days_without_a_year_are_the_next_ones() {
        check("3 March", &["2026-03-03"]);
        check("2 March", &["2026-03-02"]);
        check("1 March", &["2027-03-01"]);
        check("Friday", &["2026-03-06"]);
        check("Monday", &["2026-03-09"]);
        check("this Friday at 5", &["2026-03-06"]);
        check("tomorrow", &["2026-03-03"]);
        check("from 10 March to 17 March", &["2026-03-10", "2026-03-17"]);
        check("10 March to 17 March", &["?"]);
        check("by the 15th", &["2026-03-15"]);
        check("by the end of March", &["2026-03-31"]);
        check("in two weeks", &["2026-03-16"]);
        check("two days before Christmas", &["2026-12-23"]);
        check("last Friday", &["2026-02-27"]);
        check("by **Friday**, 5pm", &["2026-03-06"]);
    }

    #[test]
    fn forms_that_name_no_single_day() {
        for text in [
            "10-12 March",
            "in March",
            "this week",
            "every Friday",
            "another Friday",
            "mid June",
            "03/04/2026",
            "2026-02-30",
            "31.04.2026",
            "30 February",
            "next Friday",
            "Thursday, 20 March 2026",
            "25/03/26",
            "March 10-12",
        ] {
            check(text, &["?"]);
        }
        check("20 or 21 March", &["?"]);
        check("20 March or 21 March", &["?", "?"]);
    }

    #[test]
    fn other_figures_are_no_days() {
        for text in [
            "2026.3.20",
            "v2026-03-20-1",
            "1.2.3",
            "15:30",
            "room 3",
            "#2026-03-20",
            "3 marches",
            "2026",
            "build-2026-03-20",
            "10.12.8.137",
            "INV-2026-03-20",
        ] {
            check(text, &[]);
        }
    }
}
