//! What was done in the last days.

use std::collections::BTreeMap;

use dormouse_types::TaskId;
use dormouse_types::task::Status;
use dormouse_types::verdict::Verdict;
use dormouse_types::work_facts::{TaskFacts, VerdictFact, WorkspaceFacts};
use dormouse_types::work_kind::{Review, ReviewList};
use dormouse_types::work_outcome::{
    BuiltInOutcome, FigureList, FigureUnit, NothingReason, ResultList, WorkLine,
};
use jiff::ToSpan as _;
use jiff::civil::Date;

use super::history::came_closed;
use super::page::{Page, about, plain};
use super::select::{by_day, fits, fitting, newest_first};
use super::wording::{Wording, fill, reason};
use crate::lang::work::Say;

/// A review is read at leisure.
const MOST: usize = 15;

pub(super) fn run(facts: &WorkspaceFacts, wanted: &Review, say: &'static Say) -> BuiltInOutcome {
    let words = Wording { say, today: facts.today };
    let before_today = i64::from(wanted.days.max(1)) - 1;
    let mut review = Writer {
        facts,
        wanted,
        words,
        tasks: fitting(facts, &wanted.only),
        from: facts.today.saturating_sub(before_today.days()),
        counts: Vec::new(),
        page: Page::new(words),
    };
    for list in ReviewList::ALL {
        if wanted.lists.contains(list) {
            review.write(*list);
        }
    }
    review.finish()
}

struct Writer<'a> {
    facts: &'a WorkspaceFacts,
    wanted: &'a Review,
    words: Wording,
    tasks: Vec<&'a TaskFacts>,
    from: Date,
    /// For the title.
    counts: Vec<String>,
    page: Page,
}

impl<'a> Writer<'a> {
    fn write(&mut self, list: ReviewList) {
        match list {
            ReviewList::Done => self.done(),
            ReviewList::Stuck => self.stuck(),
            ReviewList::Moved => self.moved(),
            ReviewList::Decisions => self.decisions(),
            ReviewList::Hours => self.hours(),
        }
    }

    fn is_within(&self, day: Date) -> bool {
        (self.from..=self.facts.today).contains(&day)
    }

    fn done(&mut self) {
        let say = &self.words.say.review;
        for (name, status, heading, counted) in [
            (ResultList::Done, Status::Done, say.done, say.n_done),
            (ResultList::Dropped, Status::Rejected, say.dropped, say.n_dropped),
        ] {
            let mut tasks = self.those(|task| {
                task.status == status && self.is_within(task.status_since) && !came_closed(task)
            });
            tasks.sort_by_cached_key(|task| newest_first(task, Some(task.status_since)));
            let lines = tasks.into_iter().map(|task| {
                let day = (self.wanted.days > 1).then(|| self.words.near_day(task.status_since));
                about(task, day.into_iter().collect(), self.words)
            });
            let lines: Vec<_> = lines.collect();
            if !lines.is_empty() {
                self.counts.push(counted.of(lines.len()));
            }
            self.page.add(name, heading.to_owned(), lines, MOST);
        }
    }

    fn stuck(&mut self) {
        let mut tasks = self.those(|task| {
            let is_begun = matches!(task.status, Status::InProgress | Status::Blocked);
            let is_late = matches!(task.status, Status::Open | Status::Groomed)
                && task.due_on.is_some_and(|due| due < self.facts.today);
            (is_begun || is_late)
                && self.words.days_since(task.changed_on) >= i64::from(self.wanted.stuck_days)
        });
        // What has stood still longest comes last: it is known.
        tasks.sort_by_cached_key(|task| newest_first(task, Some(task.changed_on)));
        let lines = tasks.into_iter().map(|task| {
            let say = &self.words.say.review;
            let days = self.words.since(task.changed_on);
            let why = task.status_reason.as_deref().map(reason).filter(|why| !why.is_empty());
            let due = task.due_on.map(|due| self.words.short_day(due)).unwrap_or_default();
            let template = match (task.status, &why) {
                (Status::Blocked, Some(_)) => say.blocked,
                (Status::Blocked, None) => say.blocked_bare,
                (Status::InProgress, _) => say.in_progress,
                (_, _) => say.overdue,
            };
            let why = why.unwrap_or_default();
            let detail = fill(template, &[("days", &days), ("reason", &why), ("day", &due)]);
            about(task, vec![detail], self.words)
        });
        let lines: Vec<_> = lines.collect();
        if !lines.is_empty() {
            self.counts.push(self.words.say.review.n_stuck.of(lines.len()));
        }
        self.page.add(ResultList::Stuck, self.words.say.review.stuck.to_owned(), lines, MOST);
    }

    fn moved(&mut self) {
        let mut tasks: Vec<(&TaskFacts, Date, Date)> = Vec::new();
        // A date that was moved does not matter any more once the task is closed.
        for task in self.those(TaskFacts::is_open) {
            let mut moves = task.due_moves.iter().filter(|one| self.is_within(one.on));
            let Some(first) = moves.next() else { continue };
            let last = moves.next_back().unwrap_or(first);
            if first.from != last.to {
                tasks.push((task, first.from, last.to));
            }
        }
        tasks.sort_by_cached_key(|(task, _, to)| by_day(task, Some(*to)));
        let lines = tasks.into_iter().map(|(task, from, to)| {
            let say = &self.words.say.review;
            let (from, to) = (self.words.short_day(from), self.words.short_day(to));
            let mut details = vec![fill(say.move_, &[("from", &from), ("to", &to)])];
            if task.n_due_moves > 1 {
                details.push(say.n_times.of(task.n_due_moves));
            }
            about(task, details, self.words)
        });
        let lines: Vec<_> = lines.collect();
        if !lines.is_empty() {
            self.counts.push(self.words.say.review.n_moved.of(lines.len()));
        }
        self.page.add(ResultList::Moved, self.words.say.review.moved.to_owned(), lines, MOST);
    }

    /// One line for each task; the figure counts verdicts, and opens the tasks.
    fn decisions(&mut self) {
        let mut by_task: BTreeMap<&TaskId, Vec<&VerdictFact>> = BTreeMap::new();
        let mut n = 0;
        for verdict in &self.facts.verdicts {
            // A proposal that was put off is not decided.
            if self.is_within(verdict.on)
                && verdict.verdict != Verdict::Defer
                && self.is_of(verdict)
            {
                by_task.entry(&verdict.task).or_default().push(verdict);
                n += 1;
            }
        }
        if n == 0 {
            return;
        }
        let say = &self.words.say.review;
        let mut lines: Vec<WorkLine> = Vec::new();
        for (task, verdicts) in &by_task {
            let of = |which| verdicts.iter().filter(|one| one.verdict == which).count();
            let counts = [
                (of(Verdict::Confirm), say.confirmed),
                (of(Verdict::Reject), say.rejected),
                (of(Verdict::Undo), say.undone),
            ];
            let counts = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, it)| it.of(n));
            let subject = verdicts.last().map_or(String::new(), |one| self.words.title(&one.title));
            lines.push(WorkLine {
                task: Some((*task).clone()),
                subject,
                detail: counts.collect::<Vec<_>>().join(", "),
            });
        }
        lines.sort_by(|a, b| (&a.subject, &a.task).cmp(&(&b.subject, &b.task)));
        self.counts.push(say.n_decisions.of(n));
        let tasks = by_task.keys().map(|task| (*task).clone()).collect();
        let heading = say.decisions.to_owned();
        let n = u64::try_from(n).unwrap_or(u64::MAX);
        self.page.figure(ResultList::Decisions, n, FigureUnit::Count, FigureList::Tasks(tasks));
        self.page.lines(ResultList::Decisions, heading, lines, MOST);
    }

    fn is_of(&self, verdict: &VerdictFact) -> bool {
        let only = &self.wanted.only;
        only.is_all()
            || self.facts.tasks.iter().any(|task| task.id == verdict.task && fits(task, only))
    }

    fn hours(&mut self) {
        let mut by_category: BTreeMap<Option<&str>, (u64, Vec<TaskId>)> = BTreeMap::new();
        for task in &self.tasks {
            let spent = task.time_spent.iter().filter(|spent| self.is_within(spent.on));
            let minutes: u64 = spent.map(|spent| u64::from(spent.minutes)).sum();
            if minutes > 0 {
                let category = task.category.as_ref().map(|category| category.name.as_str());
                let (sum, tasks) = by_category.entry(category).or_default();
                *sum += minutes;
                tasks.push(task.id.clone());
            }
        }
        let total: u64 = by_category.values().map(|(minutes, _)| minutes).sum();
        if total == 0 {
            return;
        }
        let mut rows: Vec<_> = by_category.into_iter().collect();
        rows.sort_by(|(a, (more, _)), (b, (less, _))| (less, a).cmp(&(more, b)));
        let all = rows.iter().flat_map(|(_, (_, tasks))| tasks.iter().cloned()).collect();
        self.page.figure(ResultList::Hours, total, FigureUnit::Minutes, FigureList::Tasks(all));
        let say = self.words.say;
        // One category is the total again.
        let is_split = rows.len() > 1 || self.wanted.only.categories.len() != 1;
        let mut lines = Vec::new();
        for (category, (minutes, tasks)) in rows {
            let name = category.map_or(say.no_category.to_owned(), |name| self.words.title(name));
            if is_split {
                let (of, list) = (category.unwrap_or_default(), FigureList::Tasks(tasks));
                self.page.share(ResultList::Hours, of, minutes, FigureUnit::Minutes, list);
            }
            let detail = if is_split { self.words.minutes(minutes) } else { String::new() };
            lines.push(plain(name, detail));
        }
        let time = self.words.minutes(total);
        let heading = fill(say.review.hours, &[("time", &time)]);
        if self.counts.is_empty() {
            self.counts.push(time);
        }
        self.page.lines(ResultList::Hours, heading, lines, MOST);
    }

    fn those(&self, is_one: impl Fn(&TaskFacts) -> bool) -> Vec<&'a TaskFacts> {
        self.tasks.iter().copied().filter(|task| is_one(task)).collect()
    }

    fn finish(self) -> BuiltInOutcome {
        if self.page.is_empty() {
            return BuiltInOutcome::Nothing { why: NothingReason::NothingThere };
        }
        let say = &self.words.say.review;
        let template = if self.wanted.days == 7 { say.week } else { say.stretch };
        let day = self.words.long_day(self.facts.today);
        let days = self.words.days(self.wanted.days.into());
        let counts = self.counts.join(", ");
        let title = fill(template, &[("day", &day), ("days", &days), ("counts", &counts)]);
        BuiltInOutcome::Text(self.page.finish(title))
    }
}
