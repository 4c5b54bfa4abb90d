//! An instruction in words: which kind of work it asks for, with which parameters, and when.
//!
//! A rule: what is not understood is named. A part of a sentence with a word that nothing here knows is
//! dropped as a whole, because that word may turn it into something else: "mark everything that is
//! overdue as done" is no agenda. If no kind is left, the instruction is refused.
//!
//! Reading order: `phrase`, `schedule`, `cues`, `meaning`, `sentence`.

mod phrase;
mod schedule;
mod cues;
mod meaning;
mod sentence;

use dormouse_formats::recurrence::{Schedule, ScheduleError, read_schedule};
use dormouse_formats::when::{Language, Reader};
pub use dormouse_types::built_in_work::Known;
use dormouse_types::work_kind::{ParameterError, WorkParameters};

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
        "`{text}` needs a language model; without one there are: an agenda, a review, a watch over deadlines \
         and answers, a sweep of old tasks, and a checklist or task that repeats. Choose a model with \
         `--model`, or with `dormouse models use` for all; `dormouse models add` adds a provider"
    )]
    NeedsModel {
        /// The instruction, shortened.
        text: String,
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
                None | Some(NotAccepted::NeedsModel { .. }) => refused = Some(why),
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
    let found = cues::find_cues(text, known, words, &reader)?;
    let parameters = meaning::parameters(&found, text)?;
    parameters.check().map_err(NotAccepted::Parameter)?;
    let schedule_words = found.stated.words(parameters.kind(), &words.read);
    let schedule = read_schedule(&schedule_words, &reader)
        .map_err(|source| NotAccepted::Schedule { words: schedule_words.clone(), source })?;
    let sentence = sentence::sentence(&parameters, Some((&schedule, &schedule_words)), words);
    Ok(Understood {
        parameters,
        schedule,
        is_usual_time: found.stated.is_silent(),
        schedule_words,
        sentence,
        not_understood: found.not_understood,
        language: words.code,
    })
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
        assert!(other.contains("needs a language model; without one"), "{other}");
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
        says("every day at 6 write me a poem", "every day at 06:00");
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
