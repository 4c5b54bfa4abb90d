//! An instruction in words: which kind of work it asks for, with which parameters, and when.
//!
//! A rule: what is not understood is named. A part of a sentence with a word that nothing here knows is
//! dropped as a whole, because that word may turn it into something else: "mark everything that is
//! overdue as done" is no agenda. If no kind is left, the instruction is refused. So it is if a word such as "not" would
//! be dropped from a sentence of which anything is understood.
//!
//! Reading order: `phrase`, `schedule`, `cues`, `meaning`, `refusal`, `sentence`.

mod phrase;
mod schedule;
mod cues;
mod meaning;
mod refusal;
mod sentence;

use std::ops::Range;

use dormouse_formats::recurrence::{Person, Position, Schedule, ScheduleError, read_schedule};
use dormouse_formats::when::{Language, Reader};
pub use dormouse_types::built_in_work::Known;
use dormouse_types::work_kind::{ParameterError, WorkParameters};
use jiff::Unit;
use jiff::civil::Time;

use self::meaning::Meaning;
use self::schedule::StatedSchedule;
use crate::lang::work::{self, Words};

/// The longest instruction that is read. Units: characters.
pub const LONGEST: usize = 2_000;

/// What an instruction means.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    /// The kind, and its parameters.
    pub parameters: WorkParameters,
    /// When it is to be done.
    pub schedule: Schedule,
    /// The schedule in words that [`read_schedule`] reads, in [`Self::language`].
    pub schedule_words: String,
    /// Whether the instruction says nothing about when, so that the usual time of the kind was taken.
    pub is_usual_time: bool,
    /// All of it said back in one plain sentence, in the language of the instruction.
    pub sentence: String,
    /// Parts of the instruction that were not understood, as they were written. A person leaves them out
    /// or gives the work to a language model.
    pub not_understood: Vec<String>,
    /// The language that the instruction was read in, as an ISO 639 code.
    pub language: &'static str,
}

/// Why an instruction is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAccepted {
    /// There are no words.
    #[error("the instruction is empty; write what you want to know, and when")]
    Empty,
    /// There are too many words.
    #[error("the instruction has {actual} characters; at most {LONGEST} are read")]
    TooLong {
        /// How many.
        actual: usize,
    },
    /// It asks for none of the kinds.
    #[error(
        "`{text}` needs a language model{}; without one there are: an agenda, a review, a watch over deadlines \
         and answers, a sweep of old tasks, and a checklist or task that repeats. Write for example \
         `{example}`, or choose a model with `--model`, or with `dormouse models use` for all; \
         `dormouse models add` adds a provider", named(.words)
    )]
    NeedsModel {
        /// The instruction, shortened.
        text: String,
        /// The words that were not understood.
        words: Vec<String>,
        /// An instruction that is understood.
        example: String,
    },
    /// A kind is requested, in words or at a time that cannot be read.
    #[error("cannot read {} in the instruction{}; write for example `{example}`", quoted(.words), all_hints(.hints))]
    NotUnderstood {
        /// The words that were not understood, as they were written.
        words: Vec<String>,
        /// What to write in place of some of them.
        hints: Vec<Hint>,
        /// An instruction that is understood.
        example: String,
    },
    /// A word such as "not" is not understood, and without it the rest would say the opposite.
    #[error(
        "`{word}` is not understood in `{text}`, and without it the rest would say something else. Write only what you \
         want, for example `{example}`, or choose a model with `--model`"
    )]
    Negated {
        /// The word, as it was written.
        word: String,
        /// The instruction, shortened.
        text: String,
        /// An instruction that is understood.
        example: String,
    },
    /// A checklist is to start over, or a task to be copied, and none of that name exists.
    #[error(
        "no task is called as in `{text}`: write the title of the list or task as it is, in quotes if it is \
         long{}. Anything else needs a language model", also_called(.similar)
    )]
    NoSuchTask {
        /// The instruction, shortened.
        text: String,
        /// The titles of tasks that share a word with it.
        similar: Vec<String>,
    },
    /// Something is to be repeated, and nothing says what.
    #[error("say which list or task repeats, by its title; write for example `{example}`")]
    WhichTask {
        /// An instruction that is understood.
        example: String,
    },
    /// Several tasks have the title.
    #[error("{n} tasks are called `{title}`; rename one of them")]
    SeveralTasks {
        title: String,
        /// How many.
        n: usize,
    },
    /// The time cannot be used.
    #[error("cannot use `{words}` as a schedule")]
    Schedule {
        words: String,
        /// Why.
        #[source]
        source: ScheduleError,
    },
    /// A number cannot be used.
    #[error("cannot use a number of the instruction")]
    Parameter(#[source] ParameterError),
}

/// What to write in place of words that were not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// A time that is written with another sign: "7.30".
    Time { written: String, as_is_read: String },
    /// An hour that no day has.
    NoSuchTime { written: String },
    /// A word that differs by one letter from one that is known.
    Word { written: String, known: String },
}

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Time { written, as_is_read } => {
                write!(f, "the time `{written}` is written as `{as_is_read}`")
            }
            Self::NoSuchTime { written } => {
                write!(f, "`{written}` is no time of a day; times are from `0:00` to `23:59`")
            }
            Self::Word { written, known } => write!(f, "for `{written}` write perhaps `{known}`"),
        }
    }
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn named(words: &[String]) -> String {
    if words.is_empty() { String::new() } else { format!(" for {}", quoted(words)) }
}

fn all_hints(hints: &[Hint]) -> String {
    hints.iter().map(|hint| format!("; {hint}")).collect()
}

fn also_called(similar: &[String]) -> String {
    let titles: Vec<String> = similar.iter().map(|title| format!("`{title}`")).collect();
    match titles.as_slice() {
        [] => String::new(),
        titles => format!("; there is {}", titles.join(", ")),
    }
}

/// Reads an instruction: in the reader's language, and else in the others.
///
/// Errors: it is empty, too long, of no known kind, or has a schedule, a number or a title that cannot be
/// used.
pub fn read(text: &str, known: &Known, reader: &Reader) -> Result<Understood, NotAccepted> {
    if text.trim().is_empty() {
        return Err(NotAccepted::Empty);
    }
    let actual = text.chars().count();
    if actual > LONGEST {
        return Err(NotAccepted::TooLong { actual });
    }
    let own = work::of(reader.language.code());
    let mut refused = None;
    let others = work::ALL.iter().copied().filter(|words| words.code != own.code);
    for words in std::iter::once(own).chain(others) {
        match read_in(text, known, words, reader) {
            Ok(understood) => return Ok(understood),
            // What was understood in the other language and cannot be used says more.
            Err(why) => match refused {
                None => refused = Some(why),
                Some(NotAccepted::NeedsModel { .. })
                    if !matches!(why, NotAccepted::NeedsModel { .. }) =>
                {
                    refused = Some(why);
                }
                Some(_) => {}
            },
        }
    }
    Err(refused.unwrap_or(NotAccepted::Empty))
}

/// How often an instruction is to be done that is for a language model, in words that [`read_schedule`] reads, with
/// their language; `None` if it does not clearly say that in its first sentence. Nothing else of it is read.
pub fn schedule_of(text: &str, reader: &Reader) -> Option<(String, &'static str)> {
    let own = work::of(reader.language.code());
    let others = work::ALL.iter().copied().filter(|words| words.code != own.code);
    std::iter::once(own).chain(others).find_map(|words| {
        let language = Language::of_tag(words.code).unwrap_or(reader.language);
        let reader = Reader { language, ..reader.clone() };
        let mut tokens = phrase::written_out(phrase::tokens(text), words.read.contractions);
        let end = tokens.iter().find(|token| token.sentence > 0).map(|token| token.bytes.start);
        tokens.retain(|token| token.sentence == 0);
        let first = &text[..end.unwrap_or(text.len())];
        let stated = StatedSchedule::find(first, &tokens, &cues::quotations(first), words, &reader);
        let schedule = stated.of_instruction(&words.read)?;
        read_schedule(&schedule, &reader).is_ok().then_some((schedule, words.code))
    })
}

fn read_in(
    text: &str,
    known: &Known,
    words: &'static Words,
    reader: &Reader,
) -> Result<Understood, NotAccepted> {
    let language = Language::of_tag(words.code).unwrap_or(reader.language);
    let reader = Reader { language, ..reader.clone() };
    let mut found = cues::find_cues(text, known, words, &reader)?;
    let Some(Meaning { mut parameters, is_days_open }) = meaning::meaning(&mut found) else {
        let is_known = |text: &str, place: &Range<usize>| {
            cues::find_cues(text, known, words, &reader).is_ok_and(|it| it.knows(place))
        };
        return Err(refusal::refusal(&found, text, words, is_known));
    };
    if let Some(place) = found.negation.clone() {
        let example = words.read.examples.iter().find(|(kind, _)| *kind == parameters.kind());
        return Err(NotAccepted::Negated {
            word: text[place].to_owned(),
            text: short(text),
            example: example.map_or("", |(_, it)| it).to_owned(),
        });
    }
    parameters.check().map_err(NotAccepted::Parameter)?;
    let schedule_words = found.stated.words(parameters.kind(), &words.read);
    let schedule = read_schedule(&schedule_words, &reader)
        .map_err(|source| NotAccepted::Schedule { words: schedule_words.clone(), source })?;
    if let WorkParameters::Review(review) = &mut parameters
        && is_days_open
        && let Some(days) = longest_gap(&schedule, &reader)
    {
        review.days = days;
    }
    let sentence = sentence::sentence(&parameters, Some((&schedule, &schedule_words)), words);
    Ok(Understood {
        parameters,
        schedule,
        is_usual_time: found.stated.is_silent(),
        schedule_words,
        sentence,
        not_understood: found.not_understood(text),
        language: words.code,
    })
}

/// The longest time between two of the next runs, for how far a review reaches back; `None` if it runs once. One that
/// runs every day reaches back to the day before: today alone would leave out what came after its last run. Units: days.
fn longest_gap(schedule: &Schedule, reader: &Reader) -> Option<u16> {
    let person = Person { zone: reader.zone.clone(), day_due_at: Time::midnight() };
    let now = reader.now.to_zoned(reader.zone.clone()).ok()?.timestamp();
    let begin = Position::new(now, &person);
    let next: Vec<_> = schedule.series.upcoming(&begin, &person).take(8).map(|it| it.due).collect();
    let hours = next.windows(2).map(|pair| (pair[1] - pair[0]).total(Unit::Hour).unwrap_or(0.0));
    let longest = hours.fold(0.0, f64::max);
    (next.len() > 1).then(|| ((longest / 24.0).round() as u16).clamp(2, 366))
}

/// What an instruction with these parameters says, in one plain sentence; without a schedule, nothing about
/// when.
pub fn say(
    parameters: &WorkParameters,
    schedule: Option<(&Schedule, &str)>,
    language: &str,
) -> String {
    sentence::sentence(parameters, schedule, work::of(language))
}

/// An instruction as an error shows it.
fn short(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(80) {
        None => text,
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

#[cfg(test)]
mod tests {
    use dormouse_types::TaskId;
    use dormouse_types::named::Named;

    use dormouse_formats::when::{DayOrder, ENGLISH, Weekday};
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    fn reader() -> Reader {
        Reader {
            now: date(2026, 3, 2).at(9, 0, 0, 0),
            zone: TimeZone::UTC,
            order: DayOrder::DayFirst,
            language: ENGLISH,
            week_starts: Weekday::Monday,
        }
    }

    fn schedule(text: &str) -> Option<String> {
        schedule_of(text, &reader()).map(|(words, _)| words)
    }

    #[test]
    fn a_list_that_is_not_there_is_named_as_the_cause() {
        let id: TaskId = format!("jt-{}", "0".repeat(26)).parse().expect("an id");
        let stated = |names: &[&str], text: &str| {
            let task = |name: &&str| Named { id: id.clone(), name: (*name).to_owned() };
            let known = Known { tasks: names.iter().map(task).collect(), ..Known::default() };
            read(text, &known, &reader()).expect_err("it is refused").to_string()
        };
        let none = stated(&[], "Reset the packing list every Sunday at 9");
        assert!(none.starts_with("no task is called as in `Reset the packing list"), "{none}");
        assert!(!none.contains("there is"), "{none}");
        let similar = stated(&["Blockers (P0)", "Paint"], "Reset Blockers every Monday");
        assert!(similar.contains("there is `Blockers (P0)`."), "{similar}");
        let other = stated(&["Blockers (P0)"], "Write a poem about Blockers");
        assert!(other.contains("needs a language model for `Write`, `poem`"), "{other}");
    }

    #[test]
    fn a_time_may_have_a_dot_and_how_often_is_no_time() {
        let known = Known::default();
        let dotted = read("every Monday at 7.30 tell me what is due", &known, &reader());
        let colon = read("every Monday at 7:30 tell me what is due", &known, &reader());
        let sentence = |read: &Result<Understood, _>| read.as_ref().expect("read").sentence.clone();
        assert!(sentence(&dotted).contains("on Monday at 07:30"), "{dotted:?}");
        assert_eq!(sentence(&dotted), sentence(&colon));
        let many = read("tell me daily 5 tasks that are due", &known, &reader());
        assert!(!format!("{many:?}").contains("05:00"), "{many:?}");
    }

    #[test]
    fn a_refusal_names_the_words_that_failed_and_what_to_write_instead() {
        let says = |text: &str, expected: &str| {
            let why = read(text, &Known::default(), &reader()).expect_err(text).to_string();
            assert_eq!(why, expected, "{text}");
        };
        let example = "write for example `every weekday at 7:30 tell me what is due today and what is overdue`";
        says(
            "tell me what is due every weekday at 25:00",
            &format!(
                "cannot read `tell me what is due at 25:00` in the instruction; `25:00` is no time of a day; times are \
                 from `0:00` to `23:59`; {example}"
            ),
        );
        says(
            "every monring tell me what is due",
            &format!(
                "cannot read `every monring tell me what is due` in the instruction; for `monring` write perhaps \
                 `morning`; {example}"
            ),
        );
        says(
            "every day at 7 what is due next week",
            &format!("cannot read `what is due next week` in the instruction; {example}"),
        );
        says(
            "tell me every Monday which fees are overdue",
            "`tell me every Monday which fees are overdue` needs a language model for `fees`; without one there are: an \
             agenda, a review, a watch over deadlines and answers, a sweep of old tasks, and a checklist or task that \
             repeats. Write for example `every weekday at 7:30 tell me what is due today and what is overdue`, or \
             choose a model with `--model`, or with `dormouse models use` for all; `dormouse models add` adds a provider",
        );
    }

    #[test]
    fn what_is_for_a_language_model_may_say_how_often_too() {
        let says =
            |text, expected: &str| assert_eq!(schedule(text).as_deref(), Some(expected), "{text}");
        says(
            "every weekday at 7 tell me what is due today and what waits for me",
            "every weekday at 07:00",
        );
        says("Every Monday write a poem about the week.", "Every Monday");
        says("Write me a poem every weekday at 18:30", "every weekday at 18:30");
        says("every day at 6 write me a poem", "every day at 6:00");
        says("jeden Montag um 9 schreib mir ein Gedicht", "jeden Montag um 09:00");
    }

    #[test]
    fn what_is_only_about_something_that_repeats_is_done_once() {
        for text in [
            "List what I do every Monday.",
            "Write a poem.",
            "Compare the prices by tomorrow at 9.",
            "Find out who gives a weekly report.",
            "Say which tasks are called \"every day at 9\".",
            "Look at the calendar. Every Monday at 9 there is a meeting; leave it out.",
        ] {
            assert_eq!(schedule(text), None, "{text}");
        }
    }
}
