//! What is ahead: days to come that the notes name, soonest first.
//!
//! Does not own: the day the task is due, which the TLDR names.

use jiff::civil::Date;

use super::cue::CueText;
use super::unit::{UNIT_MAX, finish};
use crate::input::Input;
use crate::lang::Lang;
use crate::propose::day::Reading;
use crate::propose::pattern;
use crate::propose::statement::Statement;
use crate::propose::words::Token;
use crate::read::{Kind, fold};

/// Something that a note says about a day to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coming {
    pub day: Date,
    /// The sentence.
    pub text: String,
    /// Whether the sentence names the day so that it is understood on any other day: not "tomorrow".
    pub is_full: bool,
}

/// Maximum number of days that a report lists.
const MOST: usize = 5;
/// Number of sentences, newest first, that may name a day.
const SENTENCES_MAX: usize = 400;

/// A day without a year that is further ahead than this was meant for the past, if its last one was not long ago.
/// Units: days.
const FAR: i32 = 300;

/// A sentence about a day, with its content words.
struct Named<'a> {
    day: Date,
    /// See [`Coming::is_full`].
    is_full: bool,
    statement: &'a Statement<'a>,
    /// Whether it says that something has another day now.
    is_moved: bool,
    words: Vec<String>,
}

/// Returns the days to come, soonest first.
pub fn coming(input: &Input<'_>, statements: &[Statement<'_>]) -> Vec<Coming> {
    let today = input.instruction.today;
    let mut named: Vec<Named<'_>> = Vec::new();
    // Newest first: an older sentence about the same thing has been overtaken.
    let mut newest: Vec<&Statement<'_>> = statements.iter().collect();
    newest.sort_by_key(|statement| std::cmp::Reverse(statement.rank));
    for statement in newest.into_iter().take(SENTENCES_MAX) {
        let is_moved = is_moved(input, statement);
        let Some((day, is_full)) = day_of(input, statement, is_moved) else { continue };
        let words = subject(statement, input);
        if !named.iter().any(|newer| overtakes(newer, &words)) {
            named.push(Named { day, is_full, statement, is_moved, words });
        }
    }
    // The day the task is due is in the TLDR.
    named.retain(|one| {
        one.day >= today
            && one.day > one.statement.on
            && input.state.due_on != Some(one.day)
            && says_what(one, input)
    });
    named.sort_by_key(|one| (one.day, one.statement.rank));
    let mut found: Vec<Coming> = Vec::new();
    for one in named {
        let Some(text) = finish(one.statement.text, UNIT_MAX, input.lang) else { continue };
        if found.len() < MOST && !found.iter().any(|other| other.text == text) {
            found.push(Coming { day: one.day, text, is_full: one.is_full });
        }
    }
    found
}

/// Returns whether a sentence says that something has another day now.
fn is_moved(input: &Input<'_>, statement: &Statement<'_>) -> bool {
    let cue_text = CueText::new(statement.text, input.lang);
    cue_text.moves_day(statement.text, input.lang) || cue_text.has(input.lang.settle.moves)
}

/// Returns the day a sentence is about, and whether it is named in full: the last one, if it says that something
/// moved.
fn day_of(input: &Input<'_>, statement: &Statement<'_>, is_moved: bool) -> Option<(Date, bool)> {
    let is_text = matches!(statement.segment.kind, Kind::Sentence | Kind::Bullet | Kind::Numbered);
    if !is_text || statement.is_quoted || statement.is_sample(input.lang.propose) {
        return None;
    }
    let tokens = &statement.sentence.tokens;
    let is_ahead = CueText::new(statement.text, input.lang).has(input.lang.report.cues.ahead);
    // The day of the month of a day that has passed: "the 18th" after "20/11" is of the same month.
    let mut passed = None;
    let mut days = statement.sentence.days.values().filter_map(|mention| {
        let form = Form::of(&tokens[mention.start..mention.end], input.lang);
        if let Reading::Day(day) = mention.reading
            && !is_ahead
        {
            let is_far = day.since(statement.on).is_ok_and(|ahead| ahead.get_days() > FAR);
            if form == Form::WithoutYear && is_far {
                passed = Some(day.day());
                return None;
            }
            if form == Form::OfMonth && passed.is_some_and(|passed| day.day() <= passed) {
                return None;
            }
        }
        // "1 April instead of 1 March", "from 6 to 20 April"
        let before = mention.start.checked_sub(1).and_then(|at| tokens.get(at));
        let is_left =
            before.is_some_and(|token| input.lang.settle.away.contains(&token.word.as_str()));
        match mention.reading {
            Reading::Day(day) if !(is_moved && is_left) => {
                Some((day, matches!(form, Form::WithYear | Form::WithoutYear)))
            }
            Reading::Day(_) | Reading::Unclear => None,
        }
    });
    if is_moved { days.next_back() } else { days.next() }
}

/// How a sentence names a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// "20 November 2026"
    WithYear,
    /// "20 November", "20/11"
    WithoutYear,
    /// "The 18th"
    OfMonth,
    /// "Tomorrow", "Friday"
    Relative,
}

impl Form {
    fn of(tokens: &[Token], lang: &Lang) -> Self {
        let words =
            || tokens.iter().flat_map(|token| token.raw.split(|c: char| !c.is_alphanumeric()));
        let is_figure = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
        let n_figures = words().filter(|word| is_figure(word) && word.len() <= 2).count();
        let has_month = words().any(|word| lang.dates().names_a_month(word));
        let has_year = words().any(|word| is_figure(word) && word.len() == 4);
        match (has_month, n_figures) {
            _ if has_year => Self::WithYear,
            (false, 3..) => Self::WithYear,
            (true, 1..) | (false, 2) => Self::WithoutYear,
            (_, 1) => Self::OfMonth,
            (true, 0) | (false, 0) => {
                let is_numbered =
                    words().any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
                match (is_numbered, has_month) {
                    (true, true) => Self::WithoutYear,
                    (true, false) => Self::OfMonth,
                    (false, _) => Self::Relative,
                }
            }
        }
    }
}

/// Returns whether a sentence tells, unconditionally, what will be on its day.
fn says_what(one: &Named<'_>, input: &Input<'_>) -> bool {
    let statement = one.statement;
    let cue_text = CueText::new(statement.text, input.lang);
    let cues = &input.lang.report.cues;
    !statement.is_question()
        && !pattern::holds(&statement.sentence.tokens, input.lang.propose.conditions)
        && (one.is_moved || !cue_text.has(cues.negation) && !cue_text.has(cues.not))
        && cue_text.n_words() >= 3
        && !statement.text.trim_end().ends_with(':')
}

/// Returns the content words of a sentence without those of its days.
fn subject(statement: &Statement<'_>, input: &Input<'_>) -> Vec<String> {
    let sentence = &statement.sentence;
    let in_day = |at: usize| sentence.days.values().any(|day| (day.start..day.end).contains(&at));
    let words = sentence.tokens.iter().enumerate().filter(|(at, _)| !in_day(*at));
    let text: Vec<&str> = words.map(|(_, token)| token.word.as_str()).collect();
    fold::content_words(&text.join(" "), input.lang)
        .into_iter()
        .filter(|word| word.chars().all(char::is_alphabetic))
        .collect()
}

/// Returns whether a newer sentence says another day for the same thing.
fn overtakes(newer: &Named<'_>, older: &[String]) -> bool {
    let shared = fold::shared(older, &newer.words);
    newer.is_moved && shared >= 1 || shared >= 2 && fold::overlap(older, &newer.words) >= 0.5
}
