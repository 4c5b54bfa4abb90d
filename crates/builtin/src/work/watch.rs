//! Speaks up when a deadline nears or an answer stays out, and says each once.

use dormouse_types::work_facts::{TaskFacts, WorkspaceFacts};
use dormouse_types::work_kind::{Watch, WatchList};
use dormouse_types::work_outcome::{BuiltInOutcome, NothingReason, ResultList};
use jiff::civil::Date;

use super::page::{Counted, Page, about};
use super::select::{by_day, fitting};
use super::wording::{Wording, days_between, fill, reason, wait};
use crate::lang::work::Say;

const MOST: usize = 7;

pub(super) fn run(facts: &WorkspaceFacts, wanted: &Watch, say: &'static Say) -> BuiltInOutcome {
    let words = Wording { say, today: facts.today };
    let tasks = fitting(facts, &wanted.only);
    let mut page = Page::new(words);
    let mut is_there = false;
    if wanted.lists.contains(&WatchList::Deadlines) {
        let open = tasks.iter().copied().filter(|task| task.is_open());
        let mut near: Vec<(&TaskFacts, Date)> = open
            .filter_map(|task| Some((task, task.due_on?)))
            .filter(|(_, due)| words.days_until(*due) <= i64::from(wanted.warn_days))
            .collect();
        is_there |= !near.is_empty();
        near.retain(|(task, due)| is_news(task, *due, facts, wanted.warn_days));
        near.sort_by_cached_key(|(task, due)| by_day(task, Some(*due)));
        let (passed, near): (Vec<_>, Vec<_>) =
            near.into_iter().partition(|(_, due)| *due < facts.today);
        page.add(ResultList::Near, say.watch.near.to_owned(), lines(near, words), MOST);
        page.add(ResultList::Passed, say.watch.passed.to_owned(), lines(passed, words), MOST);
    }
    if wanted.lists.contains(&WatchList::Waiting) {
        let every = i64::from(wanted.waiting_days.max(1));
        let mut waiting: Vec<&TaskFacts> = tasks
            .iter()
            .copied()
            .filter(|task| task.is_waiting() && words.days_since(task.status_since) >= every)
            .collect();
        is_there |= !waiting.is_empty();
        waiting.retain(|task| {
            let steps = |day| days_between(task.status_since, day) / every;
            facts.last_run_on().is_none_or(|last| steps(facts.today) > steps(last))
        });
        waiting.sort_by_cached_key(|task| by_day(task, Some(task.status_since)));
        let lines = waiting.into_iter().map(|task| about(task, wait(task, words), words));
        let lines = lines.collect();
        page.add(ResultList::Waiting, say.watch.waiting.to_owned(), lines, MOST);
    }
    if page.is_empty() {
        // Before the first run nothing was said, so nothing can be the same as then.
        let why = match facts.last_run {
            Some(_) if is_there => NothingReason::NothingNew,
            Some(_) | None => NothingReason::NothingThere,
        };
        return BuiltInOutcome::Nothing { why };
    }
    let counts = [
        (page.count(ResultList::Near), say.watch.n_near),
        (page.count(ResultList::Passed), say.watch.n_passed),
        (page.count(ResultList::Waiting), say.watch.n_waiting),
    ];
    let counts = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, counted)| counted.of(n));
    let title = counts.collect::<Vec<_>>().join(", ");
    BuiltInOutcome::Text(page.finish(title))
}

fn lines(tasks: Vec<(&TaskFacts, Date)>, words: Wording) -> Vec<Counted> {
    let line = |(task, due): (&TaskFacts, Date)| {
        let distance = words.distance(due);
        let day = match words.days_until(due) {
            -1..=1 => distance,
            _ => format!("{}, {distance}", words.short_day(due)),
        };
        let why = task.status_reason.as_deref().map(reason).filter(|why| !why.is_empty());
        let waits = why
            .filter(|_| task.is_waiting())
            .map(|why| fill(words.say.waits_for, &[("reason", &why)]));
        about(task, std::iter::once(day).chain(waits).collect(), words)
    };
    tasks.into_iter().map(line).collect()
}

/// Whether a deadline came a step nearer since the last run, or came to be within reach by an edit.
///
/// Steps: the warning, the day before, the day itself, the day after. Before the first run all that is
/// within reach is news, but not what was missed long ago.
fn is_news(task: &TaskFacts, due: Date, facts: &WorkspaceFacts, warn_days: u16) -> bool {
    let left = |day| days_between(day, due);
    let steps = [i64::from(warn_days), 1, 0, -1];
    let Some(last) = facts.last_run_on() else { return left(facts.today) >= -1 };
    let is_reached = steps.iter().any(|step| left(facts.today) <= *step && left(last) > *step);
    let moved = task.due_moves.iter().any(|one| one.on > last && one.to == due);
    is_reached || moved || task.created_on > last
}
