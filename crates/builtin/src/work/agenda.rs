//! What the day brings.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::TaskId;
use dormouse_types::task::{Priority, Status};
use dormouse_types::work_facts::{
    AttentionFact, AttentionReason, EventFact, TaskFacts, WorkspaceFacts,
};
use dormouse_types::work_kind::{Agenda, AgendaList, WhenEmpty};
use dormouse_types::work_outcome::{
    BuiltInOutcome, FigureList, FigureUnit, NothingReason, ResultList, WorkLine,
};
use jiff::ToSpan as _;
use jiff::civil::{Date, Time};

use super::history::{News, Since, is_status_set, news, was_due};
use super::page::{Counted, Id, Page, about, plain};
use super::select::{by_day, fits, fitting, newest_first};
use super::wording::{Wording, clock, fill, reason};
use crate::lang::work::Say;

/// What a person takes in before the day begins.
const MOST: usize = 7;
/// Of a title, which may be all that a notification shows.
const MOST_COUNTS: usize = 3;
/// A wait that lasts so long more is worth a word again. Units: days.
const WAIT_IS_NEWS: i64 = 7;

pub(super) fn run(facts: &WorkspaceFacts, wanted: &Agenda, say: &'static Say) -> BuiltInOutcome {
    let words = Wording { say, today: facts.today };
    let mut agenda = Writer {
        facts,
        wanted,
        words,
        tasks: fitting(facts, &wanted.only),
        listed: BTreeSet::new(),
        since: changed_since(facts),
        until: facts.today.saturating_add(i64::from(wanted.ahead_days).days()),
        to_review: to_review(facts),
        n_needs_you: 0,
        n_changed: 0,
        n_imported: 0,
        page: Page::new(words),
    };
    for list in AgendaList::ALL {
        if wanted.lists.contains(list) {
            agenda.write(*list);
        }
    }
    agenda.finish()
}

/// What is news: whatever changed since the last agenda, and without one since yesterday.
fn changed_since(facts: &WorkspaceFacts) -> Since {
    let yesterday = facts.today.yesterday().unwrap_or(facts.today);
    facts.last_run.map_or(Since::Day(yesterday.max(facts.since)), Since::Run)
}

fn to_review(facts: &WorkspaceFacts) -> BTreeMap<TaskId, usize> {
    let mut counts = BTreeMap::new();
    for one in &facts.attention {
        if let (AttentionReason::Proposals, Some(task)) = (one.reason, &one.task) {
            *counts.entry(task.clone()).or_default() += one.count;
        }
    }
    counts
}

struct Writer<'a> {
    facts: &'a WorkspaceFacts,
    wanted: &'a Agenda,
    words: Wording,
    tasks: Vec<&'a TaskFacts>,
    /// Tasks that have a line: whatever else there is about them is in it.
    listed: BTreeSet<TaskId>,
    since: Since,
    until: Date,
    to_review: BTreeMap<TaskId, usize>,
    /// For the title.
    n_needs_you: usize,
    n_changed: usize,
    n_imported: usize,
    page: Page,
}

/// What a figure of what needs the person opens: their tasks, if each is about another one.
fn list_of(waits: &[&AttentionFact]) -> FigureList {
    let tasks: Vec<TaskId> = waits.iter().filter_map(|one| one.task.clone()).collect();
    let is_each_another = tasks.iter().collect::<BTreeSet<_>>().len() == waits.len();
    if is_each_another {
        return FigureList::Tasks(tasks);
    }
    FigureList::Attention(waits.iter().map(|one| one.id.clone()).collect())
}

impl<'a> Writer<'a> {
    fn write(&mut self, list: AgendaList) {
        match list {
            AgendaList::Events => self.events(),
            AgendaList::Overdue => self.overdue(),
            AgendaList::Due => self.due(),
            AgendaList::NeedsYou => self.needs_you(),
            AgendaList::Waiting => self.waiting(),
            AgendaList::Changed => self.changed(),
        }
    }

    fn events(&mut self) {
        let is_on = |event: &&EventFact| {
            event.starts_at.date() <= self.until && event.ends_at > self.facts.today.at(0, 0, 0, 0)
        };
        let mut events: Vec<_> = self.facts.events.iter().filter(is_on).collect();
        events.sort_by(|a, b| (a.starts_at, &a.title, &a.id).cmp(&(b.starts_at, &b.title, &b.id)));
        let lines = events.into_iter().map(|event| {
            let subject = self.words.title(&event.title);
            let line = WorkLine { task: None, subject, detail: self.time_of(event) };
            Counted { line, id: Id::Event(event.id.clone()) }
        });
        let lines = lines.collect();
        self.page.add(ResultList::Events, self.words.say.agenda.events.to_owned(), lines, MOST);
    }

    fn time_of(&self, event: &EventFact) -> String {
        let say = &self.words.say.agenda;
        let today = self.facts.today;
        let (from, to) = (event.starts_at, event.ends_at);
        let is_through = from.date() < today && to.date() > today;
        let time = if event.is_whole_day || is_through {
            say.whole_day.to_owned()
        } else if from.date() < today {
            fill(say.until, &[("day", ""), ("time", &clock(to.time()))]).replace("  ", " ")
        } else if to.date() > from.date() && to.time() != Time::midnight() {
            let until = fill(
                say.until,
                &[("day", &self.words.near_day(to.date())), ("time", &clock(to.time()))],
            );
            format!("{}, {until}", clock(from.time()))
        } else {
            fill(say.from_to, &[("from", &clock(from.time())), ("to", &clock(to.time()))])
        };
        if from.date() > today {
            return format!("{}, {time}", self.words.near_day(from.date()));
        }
        time
    }

    fn overdue(&mut self) {
        let today = self.facts.today;
        let mut tasks = self.open_by(|due| due < today);
        tasks.sort_by_cached_key(|task| newest_first(task, task.due_on));
        let lines = tasks.into_iter().map(|task| {
            let due = task.due_on.unwrap_or(today);
            let words = &self.words;
            let mut details = vec![match words.days_since(due) {
                1 => words.say.yesterday.to_owned(),
                _ => format!("{}, {}", words.short_day(due), words.distance(due)),
            }];
            details.extend(self.about(task));
            about(task, details, self.words)
        });
        let lines = lines.collect();
        self.add_tasks(ResultList::Overdue, self.words.say.agenda.overdue.to_owned(), lines);
    }

    fn due(&mut self) {
        let (today, until) = (self.facts.today, self.until);
        let mut tasks = self.open_by(|due| (today..=until).contains(&due));
        tasks.sort_by_cached_key(|task| by_day(task, task.due_on));
        let lines = tasks.into_iter().map(|task| {
            let mut details = Vec::new();
            if let Some(due) = task.due_on.filter(|_| until > today) {
                details.push(self.words.near_day(due));
            }
            if let Some(before) = was_due(task, self.since) {
                let before = self.words.near_day(before);
                details.push(fill(self.words.say.agenda.was_due, &[("day", &before)]));
            }
            details.extend(self.about(task));
            about(task, details, self.words)
        });
        let lines = lines.collect();
        let say = &self.words.say.agenda;
        let heading = if until > today {
            fill(say.due_until, &[("day", &self.words.near_day(until))])
        } else {
            say.due_today.to_owned()
        };
        self.add_tasks(ResultList::Due, heading, lines);
    }

    fn needs_you(&mut self) {
        let mut waits: Vec<&AttentionFact> =
            self.facts.attention.iter().filter(|one| self.is_wanted(one)).collect();
        // Questions hold something up; proposals can be read together.
        waits.sort_by_key(|one| {
            (one.reason == AttentionReason::Proposals, one.since, one.id.clone())
        });
        if waits.is_empty() {
            return;
        }
        // All of it is counted, also what is said in the line of its task.
        self.n_needs_you = waits.len();
        let n = u64::try_from(waits.len()).unwrap_or(u64::MAX);
        self.page.figure(ResultList::NeedsYou, n, FigureUnit::Count, list_of(&waits));
        let lines = waits.into_iter().filter(|one| !self.is_of_listed(one)).map(|one| {
            let words = &self.words;
            let say = &words.say.agenda;
            let text = reason(&one.text);
            let what = match one.reason {
                AttentionReason::Proposals => words.say.to_review.of(one.count),
                AttentionReason::Question => fill(say.asks, &[("text", &text)]),
                AttentionReason::Failed => fill(say.failed, &[("text", &text)]),
                AttentionReason::Review | AttentionReason::Other => text,
            };
            let what = Some(what).filter(|what| !what.is_empty());
            let detail: Vec<String> = what.into_iter().chain(words.lasted(one.since)).collect();
            let title = words.title(&one.title);
            let subject = match one.run {
                Some(n) => fill(say.run, &[("title", &title), ("n", &n.to_string())]),
                None => title,
            };
            WorkLine { task: one.task.clone(), subject, detail: detail.join(" ") }
        });
        let lines: Vec<WorkLine> = lines.collect();
        self.listed.extend(lines.iter().filter_map(|line| line.task.clone()));
        let heading = self.words.say.agenda.needs_you.to_owned();
        self.page.lines(ResultList::NeedsYou, heading, lines, MOST);
    }

    fn is_wanted(&self, one: &AttentionFact) -> bool {
        let only = &self.wanted.only;
        let task =
            one.task.as_ref().and_then(|id| self.facts.tasks.iter().find(|task| task.id == *id));
        only.is_all() || task.is_some_and(|task| fits(task, only))
    }

    /// Whether the line of its task says it.
    fn is_of_listed(&self, one: &AttentionFact) -> bool {
        one.reason == AttentionReason::Proposals
            && one.task.as_ref().is_some_and(|id| self.listed.contains(id))
    }

    fn waiting(&mut self) {
        let mut tasks: Vec<_> = self
            .tasks
            .iter()
            .copied()
            .filter(|task| task.is_waiting() && !self.listed.contains(&task.id))
            .collect();
        // The longest wait first.
        tasks.sort_by_cached_key(|task| by_day(task, Some(task.status_since)));
        let lines = tasks
            .into_iter()
            .map(|task| about(task, super::wording::wait(task, self.words), self.words));
        let lines = lines.collect();
        self.add_tasks(ResultList::Waiting, self.words.say.agenda.waiting.to_owned(), lines);
    }

    fn changed(&mut self) {
        let mut imported = Vec::new();
        let mut changed = Vec::new();
        for task in &self.tasks {
            if self.listed.contains(&task.id) {
                continue;
            }
            match news(task, self.since, self.words) {
                News::None => {}
                News::Imported => imported.push(task.id.clone()),
                News::Changed(what) => changed.push((*task, what)),
            }
        }
        (self.n_changed, self.n_imported) = (changed.len(), imported.len());
        // What was finished is the best news.
        changed.sort_by_cached_key(|(task, _)| (task.is_open(), newest_first(task, None)));
        let ids: Vec<TaskId> = changed.iter().map(|(task, _)| task.id.clone()).collect();
        let lines = changed.into_iter().map(|(task, what)| about(task, what, self.words).line);
        let mut lines: Vec<WorkLine> = lines.collect();
        let say = &self.words.say;
        if !ids.is_empty() {
            let n = u64::try_from(ids.len()).unwrap_or(u64::MAX);
            let list = FigureList::Tasks(ids);
            self.page.figure(ResultList::Changed, n, FigureUnit::Count, list);
        }
        if !imported.is_empty() {
            let n = imported.len();
            lines.insert(0, plain(say.changes.imported.of(n), String::new()));
            let n = u64::try_from(n).unwrap_or(u64::MAX);
            let list = FigureList::Tasks(imported);
            self.page.figure(ResultList::Imported, n, FigureUnit::Count, list);
        }
        let day = match self.since {
            Since::Day(day) => self.words.near_day(day),
            Since::Run(last) if last.local.date() == self.facts.today => clock(last.local.time()),
            Since::Run(last) => self.words.near_day(last.local.date()),
        };
        let heading = fill(say.agenda.changed_since, &[("day", &day)]);
        self.page.lines(ResultList::Changed, heading, lines, MOST);
    }

    fn open_by(&self, is_due: impl Fn(Date) -> bool) -> Vec<&'a TaskFacts> {
        let tasks = self.tasks.iter().copied();
        tasks.filter(|task| task.is_open() && task.due_on.is_some_and(&is_due)).collect()
    }

    /// What else is worth saying in the line of a task that is due.
    fn about(&self, task: &TaskFacts) -> Vec<String> {
        let say = self.words.say;
        let mut details = Vec::new();
        match task.priority {
            Some(Priority::P0) => details.push(say.urgent.to_owned()),
            Some(Priority::P1) => details.push(say.high.to_owned()),
            Some(Priority::P2 | Priority::P3) | None => {}
        }
        if let Some(minutes) = task.estimate_minutes {
            details.push(self.words.minutes(minutes.into()));
        }
        let why = task.status_reason.as_deref().map(reason).filter(|why| !why.is_empty());
        match (task.status, why) {
            (Status::Blocked, Some(why)) => details.push(fill(say.waits_for, &[("reason", &why)])),
            (Status::Blocked, None) => details.push(say.blocked.to_owned()),
            (Status::OnHold, _) => details.push(say.on_hold.to_owned()),
            (_, _) => {}
        }
        let to_review = self.to_review.get(&task.id);
        if let Some(n) = to_review.filter(|_| self.wanted.lists.contains(&AgendaList::NeedsYou)) {
            details.push(say.to_review.of(*n));
        }
        details
    }

    fn add_tasks(&mut self, name: ResultList, heading: String, lines: Vec<Counted>) {
        self.listed.extend(lines.iter().filter_map(|one| one.line.task.clone()));
        self.page.add(name, heading, lines, MOST);
    }

    fn finish(self) -> BuiltInOutcome {
        let long_day = self.words.long_day(self.facts.today);
        if self.page.is_empty() {
            if self.wanted.when_empty == WhenEmpty::Silent {
                return BuiltInOutcome::Nothing { why: NothingReason::NothingThere };
            }
            let mut text = self.page.finish(long_day);
            text.markdown = format!("{}\n", self.words.say.agenda.empty);
            return BuiltInOutcome::Text(text);
        }
        // The same list of waits every morning says nothing.
        if self.page.is_alone(ResultList::Waiting)
            && self.wanted.lists.len() > 1
            && self.wanted.when_empty == WhenEmpty::Silent
            && !self.is_a_wait_new()
        {
            return BuiltInOutcome::Nothing { why: NothingReason::NothingNew };
        }
        let title = format!("{long_day}: {}", self.counts().join(", "));
        BuiltInOutcome::Text(self.page.finish(title))
    }

    /// Whether somebody began to wait since the last agenda, or waits for another week.
    fn is_a_wait_new(&self) -> bool {
        let Some(last) = self.facts.last_run else { return true };
        let last_on = last.local.date();
        self.tasks.iter().filter(|task| task.is_waiting()).any(|task| {
            let weeks = |day| super::wording::days_between(task.status_since, day) / WAIT_IS_NEWS;
            task.status_since > last_on
                || is_status_set(task, Since::Run(last))
                || weeks(self.facts.today) > weeks(last_on)
        })
    }

    fn counts(&self) -> Vec<String> {
        let say = &self.words.say.agenda;
        let is_ahead = self.until > self.facts.today;
        let due = if is_ahead { say.n_due_until } else { say.n_due_today };
        let of = [
            (self.page.count(ResultList::Overdue), say.n_overdue),
            (self.page.count(ResultList::Due), due),
            (self.page.count(ResultList::Events), say.n_events),
            (self.n_needs_you, say.n_needs_you),
            (self.page.count(ResultList::Waiting), say.n_waiting),
            (self.n_changed, say.n_changed),
            (self.n_imported, self.words.say.changes.imported),
        ];
        let until = self.words.near_day(self.until);
        let of = of.into_iter().filter(|(n, _)| *n > 0).take(MOST_COUNTS);
        of.map(|(n, counted)| fill(&counted.of(n), &[("day", &until)])).collect()
    }
}
