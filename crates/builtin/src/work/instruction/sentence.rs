//! An instruction said back in one plain sentence.

use dormouse_formats::recurrence::{Schedule, english};
use dormouse_types::work_kind::{
    Agenda, AgendaList, Only, Repeated, Sweep, Watch, WatchList, WhenEmpty, WorkParameters,
};
use jiff::civil::date;

use crate::lang::work::{Say, Words};
use crate::read::fold::fold;
use crate::work::wording::{Wording, fill};

/// The sentence. A schedule is said in the words for its rule where the language has them, and else as it
/// was written.
pub(super) fn sentence(
    parameters: &WorkParameters,
    schedule: Option<(&Schedule, &str)>,
    words: &'static Words,
) -> String {
    let say = &words.say;
    let back = &say.back;
    let kind = parameters.kind();
    let kind = back.kinds.iter().find(|(it, _)| *it == kind).map_or("", |(_, name)| *name);
    let what = what(parameters, say);
    let mut text = match schedule {
        Some((schedule, schedule_words)) => {
            let when = match words.code {
                "en" => english(&schedule.description()),
                _ => within_sentence(schedule_words, words),
            };
            fill(back.sentence, &[("kind", kind), ("when", &when), ("what", &what)])
        }
        None => fill(back.sentence_once, &[("kind", kind), ("what", &what)]),
    };
    if let Some(only) = parameters.only().filter(|only| !only.is_all()) {
        text.push(' ');
        text.push_str(&fill(back.only, &[("names", &names(only, say))]));
    }
    let silent = match parameters {
        WorkParameters::Agenda(Agenda { when_empty: WhenEmpty::Say, .. }) => Some(back.say),
        WorkParameters::Agenda(_) | WorkParameters::Watch(_) => Some(back.silent),
        WorkParameters::Review(_) | WorkParameters::Sweep(_) | WorkParameters::Repeat(_) => None,
    };
    if let Some(silent) = silent {
        text.push(' ');
        text.push_str(silent);
    }
    text
}

/// Words as they are written within a sentence: without the capital of its beginning, unless it is that of a name.
fn within_sentence(text: &str, words: &'static Words) -> String {
    let mut chars = text.chars();
    let (Some(first), Some(second)) = (chars.next(), chars.next()) else { return text.to_owned() };
    let word = fold(text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default());
    let say = &words.say;
    let names =
        say.weekdays.iter().chain(&say.weekdays_short).chain(&say.months).chain(&say.months_short);
    let is_name = words.read.vague.contains(&word.as_str())
        || names.into_iter().any(|name| fold(name).trim_end_matches('.') == word);
    if is_name || !second.is_lowercase() {
        return text.to_owned();
    }
    first.to_lowercase().chain(text.chars().skip(1)).collect()
}

fn what(parameters: &WorkParameters, say: &'static Say) -> String {
    // No day is said here.
    let words = Wording { say, today: date(2000, 1, 1) };
    let days = |n: u16| words.days(n.into());
    let back = &say.back;
    match parameters {
        WorkParameters::Agenda(agenda) => {
            let lists = agenda.lists.iter().filter_map(|list| {
                let (_, what) = back.agenda.iter().find(|(it, _)| it == list)?;
                let is_ahead = matches!(list, AgendaList::Due | AgendaList::Events);
                Some(match agenda.ahead_days {
                    1 if is_ahead => fill(back.and_tomorrow, &[("what", what)]),
                    n @ 2.. if is_ahead => fill(back.ahead, &[("what", what), ("days", &days(n))]),
                    _ => (*what).to_owned(),
                })
            });
            words.joined(&lists.collect::<Vec<_>>())
        }
        WorkParameters::Review(review) => {
            let lists = review.lists.iter().filter_map(|list| {
                back.review.iter().find(|(it, _)| it == list).map(|(_, what)| (*what).to_owned())
            });
            let period = fill(back.period, &[("days", &days(review.days))]);
            format!("{} {period}", words.joined(&lists.collect::<Vec<_>>()))
        }
        WorkParameters::Watch(watch) => words.joined(&watched(watch, say, words)),
        WorkParameters::Sweep(Sweep { untouched_days, most, .. }) => {
            let what = fill(back.sweep, &[("days", &days(*untouched_days))]);
            format!("{what}, {}", back.most.of(usize::from(*most)))
        }
        WorkParameters::Repeat(repeat) => {
            let (template, title) = match &repeat.what {
                Repeated::Reset { task } => (back.reset, &task.name),
                Repeated::Copy { task } => (back.copy, &task.name),
                Repeated::Make { title } => (back.make, title),
            };
            fill(template, &[("title", &words.title(title))])
        }
    }
}

fn watched(watch: &Watch, say: &'static Say, words: Wording) -> Vec<String> {
    let back = &say.back;
    let one = |list: &WatchList| match list {
        WatchList::Deadlines if watch.warn_days == 0 => back.warn_today.to_owned(),
        WatchList::Deadlines => fill(back.warn, &[("days", &words.days(watch.warn_days.into()))]),
        WatchList::Waiting => {
            fill(back.waiting, &[("days", &words.days(watch.waiting_days.into()))])
        }
    };
    watch.lists.iter().map(one).collect()
}

fn names(only: &Only, say: &'static Say) -> String {
    let words = Wording { say, today: date(2000, 1, 1) };
    let categories = only.categories.iter().map(|it| words.title(&it.name));
    let labels = only.labels.iter().map(|it| words.title(&it.name));
    let priorities = only.priorities.iter().map(|it| it.name().to_owned());
    words.joined(&categories.chain(labels).chain(priorities).collect::<Vec<_>>())
}
