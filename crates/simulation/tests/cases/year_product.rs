//! The product in the year of forty definitions: two nodes that race for what is due, die with a claim, and are
//! restarted, and a person who sets it all up, pauses and travels.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dormouse_changes::Changes;
use dormouse_formats::recurrence::{Given, Person, Series};
use dormouse_journal::Journal;
use dormouse_runs::{Driver, Models};
use dormouse_scheduler::{Chore as _, Event, Scheduler, Until};
use dormouse_simulation::work_calendar::{ScheduleClock, Shown, Timetable, instant};
use dormouse_simulation::work_oracle::{Act, CatchUp, Course, Definition, Means, Overlap};
use dormouse_store::agent::wake_queue;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{Backend, Commit, Db, Op, Store};
use dormouse_testkit::hooks::Hooks;
use dormouse_testkit::scripted::Script;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::built_in_work::BuiltInWork;
use dormouse_types::port::{Clock, NoFaults};
use dormouse_types::work::{self, RunState, SkipReason, WorkCreator, WorkSource};
use dormouse_types::work_kind::{Agenda, WorkParameters};
use dormouse_types::{Actor, WorkId, WorkspaceId, WorkspaceZone, limits};
use dormouse_work::definition::{NewWork, ReadSchedule};
use dormouse_work::handler::WorkRuns;
use dormouse_work::lifecycle::Edit;
use dormouse_work::occurrence::Wish;
use dormouse_work::schedule::Schedules;
use dormouse_work::templates::NoTemplates;
use dormouse_work::{Parts, RequestContext, Work, WorkError};
use jiff::{SignedDuration, Timestamp};

use super::year::{given, person, recurrence_id, recurrence_id_as_text, series};
use super::year_wire::{Counted, LongRuns, Mistake, Wire, locked, now, poll};

const WS: WorkspaceId = WorkspaceId(1);

/// How long a lease lasts where runs last long, so that a year has not too many heartbeats.
const LONG_LEASE: Duration = Duration::from_secs(600);

/// One process.
struct Node {
    work: Work,
    hooks: Arc<Hooks>,
    scheduler: Scheduler,
    /// What is at work on a run that is not over.
    at_work: Vec<dormouse_scheduler::Node>,
}

/// How often something happened that makes it hard.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Met {
    pub races: usize,
    pub takeovers: usize,
    pub restarts: usize,
    /// How often a long run went on after its process had died.
    pub resumed: usize,
}

/// A definition as the person has set it up.
pub struct Kept {
    work: WorkId,
    uid: String,
    series: Series,
    dial: ScheduleClock,
}

/// The product in its year.
pub struct Product<'a> {
    definitions: &'a [Definition],
    course: &'a Course,
    mistake: Option<Mistake>,
    clock: ManualClock,
    wire: Arc<Wire>,
    store: Store,
    rules: Arc<Counted>,
    nodes: Vec<Node>,
    n_nodes: u64,
    kept: Vec<Option<Kept>>,
    off: Vec<Vec<(Timestamp, Timestamp)>>,
    person: Person,
    ticks: usize,
    met: Met,
    /// What the person kept from running between plan and claim.
    left_out: Vec<(WorkId, Timestamp)>,
    /// What the person requested and was refused.
    refused: Vec<String>,
}

/// A request that is refused, as a line.
pub fn refusal(definition: &Definition, n: usize) -> String {
    let (at, act) = &definition.acts[n];
    format!("{at} {} refused: {act:?}", definition.name)
}

/// What a year came to.
pub struct Ran {
    pub lines: Vec<String>,
    pub met: Met,
    /// What the person kept from running, as a line begins that says so.
    pub left_out: Vec<String>,
}

/// What happens at an instant.
#[derive(Clone, Copy)]
enum Mark {
    Act(usize, usize),
    Stay(&'static str),
    Down,
    Up,
    End,
}

fn me() -> RequestContext {
    RequestContext {
        actor: Actor::Owner,
        key: None,
        may_decide: true,
        creator: WorkCreator::User,
        sent: String::new(),
    }
}

/// The key of an occurrence, as it is listed.
fn key(original: Shown) -> String {
    format!("{}{}", original.at, if original.is_second { "~second" } else { "" })
}

fn stamp(at: Timestamp) -> dormouse_types::Timestamp {
    dormouse_types::Timestamp::from_jiff(at)
}

impl<'a> Product<'a> {
    pub fn new(
        definitions: &'a [Definition],
        course: &'a Course,
        mistake: Option<Mistake>,
    ) -> Self {
        let clock = ManualClock::at("2026-01-01T00:00:00Z");
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let sqlite = Sqlite::memory(&port, &CountingEntropy::seeded(1)).expect("a store in memory");
        let sqlite = Arc::new(sqlite);
        if mistake == Some(Mistake::NoUniqueOccurrence) {
            for sql in ["DROP INDEX work_runs_occurrence", "DROP INDEX work_runs_of_definition"] {
                let commit = Commit::new("test.drop", Db::Agent, WS).op(Op::any(sql, Vec::new()));
                now(sqlite.commit(commit)).expect("dropped");
            }
        }
        let (resumes, claims) = (AtomicBool::new(false), AtomicUsize::new(0));
        let fired = Mutex::default();
        let drains = AtomicBool::new(false);
        let (time, long_runs) = (clock.clone(), LongRuns::default());
        let wire = Wire { sqlite, clock: time, long_runs, mistake, resumes, claims, drains, fired };
        let wire = Arc::new(wire);
        let store = Store::new(wire.clone(), Arc::new(NoFaults));
        let mut product = Self {
            definitions,
            course,
            mistake,
            clock,
            wire,
            store,
            rules: Arc::default(),
            nodes: Vec::new(),
            n_nodes: 0,
            kept: definitions.iter().map(|_| None).collect(),
            off: definitions.iter().map(|_| Vec::new()).collect(),
            person: person(course.stays[0].1),
            ticks: 0,
            met: Met::default(),
            left_out: Vec::new(),
            refused: Vec::new(),
        };
        product.start();
        product
    }

    /// Two processes that know nothing of those before.
    fn start(&mut self) {
        self.nodes = (0..2).map(|_| self.node()).collect();
        for node in &self.nodes {
            now(node.work.follow_zone(WS)).expect("it follows");
            now(node.scheduler.take_over_dead(&BTreeSet::new())).expect("taken over");
        }
    }

    fn node(&mut self) -> Node {
        self.n_nodes += 1;
        let port: Arc<dyn Clock> = Arc::new(self.clock.clone());
        let entropy = Arc::new(CountingEntropy::seeded(10 + self.n_nodes));
        let hooks = Arc::new(Hooks::default());
        let store = Store::new(self.wire.clone(), hooks.clone());
        let zone = WorkspaceZone::from(self.person.zone.clone());
        let models = Models::new(Arc::new(Script::default()));
        let journal = Journal::new(store.clone(), port.clone(), entropy.clone());
        let work = Work::new(Parts {
            driver: Driver::new(store.clone(), port.clone(), entropy.clone(), models),
            changes: Changes::new(
                store.clone(),
                journal.clone(),
                port.clone(),
                entropy.clone(),
                zone.clone(),
            ),
            store: store.clone(),
            clock: port.clone(),
            entropy,
            zone,
            facts: self.rules.clone(),
            templates: Arc::new(NoTemplates),
            journal,
        });
        work.set_rules(self.rules.clone());
        let scheduler = Scheduler::new(dormouse_scheduler::Parts {
            store,
            clock: port,
            owner: format!("node {}", self.n_nodes),
            lease: if self.lasts_long() { LONG_LEASE } else { dormouse_store::lease::term() },
            handlers: vec![Arc::new(WorkRuns(work.clone()))],
            chores: vec![Arc::new(Schedules(work.clone()))],
        });
        Node { work, hooks, scheduler, at_work: Vec::new() }
    }

    /// Whether runs last, and do not end at once.
    fn lasts_long(&self) -> bool {
        self.definitions.iter().any(|one| one.lasts > SignedDuration::ZERO)
    }

    /// Lets time pass, with whatever ends meanwhile.
    fn pass(&mut self, upto: Timestamp) {
        while self.nodes.iter().any(|node| !node.at_work.is_empty()) && self.time() < upto {
            let beat = self.time() + SignedDuration::from_secs(150);
            let end = self.wire.long_runs.next_end(self.time()).unwrap_or(upto);
            self.clock.set(stamp(beat.min(end).min(upto)));
            for n in 0..self.nodes.len() {
                let at_work = std::mem::take(&mut self.nodes[n].at_work);
                for mut one in at_work {
                    if Self::follow(&mut one, self.mistake) {
                        self.nodes[n].at_work.push(one);
                    }
                }
            }
        }
        self.clock.set(stamp(upto).max(self.clock.now()));
    }

    /// Takes what happens in a loop. Returns whether it is still at work.
    fn follow(node: &mut dormouse_scheduler::Node, mistake: Option<Mistake>) -> bool {
        loop {
            match poll(node.next()) {
                None => return true,
                Some(None) => return false,
                Some(Some(Event::Ran(_))) => {}
                Some(Some(Event::Failed(failure))) => {
                    assert!(mistake.is_some(), "{failure}");
                    return false;
                }
                Some(Some(Event::Recovered(line) | Event::Damaged(line))) => {
                    assert!(mistake.is_some(), "{line}");
                }
            }
        }
    }

    fn time(&self) -> Timestamp {
        self.clock.now().to_jiff()
    }

    pub fn run(mut self) -> Ran {
        let mut marks = vec![(self.course.end, Mark::End)];
        for (n, definition) in self.definitions.iter().enumerate() {
            marks.extend(
                definition.acts.iter().enumerate().map(|(at, (when, _))| (*when, Mark::Act(n, at))),
            );
        }
        marks.extend(self.course.stays.iter().skip(1).map(|(at, zone)| (*at, Mark::Stay(zone))));
        for (from, to) in &self.course.down {
            marks.extend([(*from, Mark::Down), (*to, Mark::Up)]);
        }
        marks.sort_by_key(|(at, _)| *at);
        for (place, (at, mark)) in marks.iter().enumerate() {
            let next = marks.get(place + 1).map_or(self.course.end, |(at, _)| *at);
            self.collect(*at, next);
            self.pass(*at);
            match mark {
                Mark::Act(n, act) => self.act(*n, *act),
                Mark::Stay(zone) => {
                    self.person = person(zone);
                    self.restart();
                }
                Mark::Down => {
                    self.nodes.clear();
                    self.wire.long_runs.die(*at);
                }
                Mark::Up => self.restart(),
                Mark::End => {}
            }
        }
        let begins = |(work, due): &(WorkId, Timestamp)| {
            let kept = self.kept.iter().flatten().find(|kept| kept.work == *work);
            let uid = &kept.expect("it was made").uid;
            format!("{due} d{} {uid} ", &uid[1..])
        };
        let left_out = self.left_out.iter().map(begins).collect();
        self.met.resumed = self.wire.long_runs.n_resumed.load(Ordering::SeqCst);
        Ran { lines: self.lines(), met: self.met, left_out }
    }

    fn restart(&mut self) {
        self.met.restarts += 1;
        self.start();
        self.drain(0);
    }

    /// Deals with all that is due up to an instant.
    fn collect(&mut self, upto: Timestamp, next_mark: Timestamp) {
        while let Some(node) = self.nodes.first() {
            let Some(due) = now(node.work.next_due(None)).expect("readable") else { return };
            if due.to_jiff() > upto {
                return;
            }
            self.pass(due.to_jiff());
            self.tick(upto.min(next_mark));
        }
    }

    /// One node finds something due; now and then under difficulties.
    fn tick(&mut self, next_mark: Timestamp) {
        self.ticks += 1;
        let n = self.ticks % 2;
        let (one, other) = (&self.nodes[n], &self.nodes[1 - n]);
        let is_short = !self.lasts_long();
        let is_quiet =
            is_short && next_mark.duration_since(self.time()) > SignedDuration::from_mins(5);
        match self.ticks % 12 {
            1 | 6 => {
                // Both have read that it is due; the other one commits first.
                let (at, work) = (self.clock.now(), other.work.clone());
                one.hooks.before_commit("work.plan", move || {
                    now(Schedules(work).work(None, at)).expect("it plans");
                });
                now(Schedules(one.work.clone()).work(None, self.clock.now())).expect("it plans");
                self.met.races += usize::from(one.hooks.is_done());
            }
            3 if is_quiet => {
                // It claims, and is never heard of again.
                now(Schedules(one.work.clone()).work(None, self.clock.now())).expect("it plans");
                if let Some(run) = self.queued().into_iter().next() {
                    let row = now(self.store.first(wake_queue::of_holder(WS, &run)));
                    let row = row.expect("readable").expect("a row");
                    let claimed = now(one.scheduler.claim(WS, &row)).expect("a claim");
                    assert!(claimed.is_some() || self.mistake.is_some(), "it is claimed");
                    drop(claimed);
                    let lease = Duration::from_secs(limits::LEASE_SECONDS + 1);
                    self.clock.advance(lease);
                    let taken = now(other.scheduler.take_over_dead(&BTreeSet::new()));
                    self.met.takeovers += taken.expect("taken over").len();
                }
            }
            8 if is_short => {
                // The person pauses it between a look at what is due and the claim, and resumes it.
                now(Schedules(one.work.clone()).work(None, self.clock.now())).expect("it plans");
                let queued = self.queued();
                if let [run] = &queued[..] {
                    let found = now(one.work.run(WS, run)).expect("readable");
                    let is_on_time = found.scheduled_for == Some(self.clock.now());
                    if is_on_time {
                        let (work, id) = (other.work.clone(), found.work.clone());
                        one.hooks.before_commit("run.claim", move || {
                            now(work.pause(WS, &id, &me())).expect("it pauses");
                        });
                        self.drain(n);
                        let one = &self.nodes[n];
                        assert!(one.hooks.is_done(), "it was claimed");
                        let resumed = now(one.work.resume(WS, &found.work, &me()));
                        assert!(resumed.is_ok() || self.mistake.is_some(), "{resumed:?}");
                        let due = found.scheduled_for.expect("it is on time").to_jiff();
                        self.left_out.push((found.work, due));
                    }
                }
            }
            _ => {}
        }
        self.drain(n);
    }

    /// The runs that wait for their claim.
    fn queued(&self) -> Vec<dormouse_types::WorkRunId> {
        let sql = "SELECT id FROM work_runs WHERE ws = 1 AND state = 'queued' ORDER BY id";
        let rows = now(self.wire.sqlite.read(Db::Agent, sql, Vec::new())).expect("readable");
        rows.iter().map(|row| row.text(0).expect("an id").parse().expect("an id")).collect()
    }

    /// Runs all that is due on a node. What is not over then is at work as time passes.
    fn drain(&mut self, n: usize) {
        self.wire.drains.store(true, Ordering::SeqCst);
        loop {
            let mut one = self.nodes[n].scheduler.node(Until::Idle { ws: WS, only: None });
            if !Self::follow(&mut one, self.mistake) {
                break;
            }
            self.nodes[n].at_work.push(one);
        }
        self.wire.drains.store(false, Ordering::SeqCst);
        locked(&self.wire.fired).clear();
    }

    /// Requests something about single occurrences, and returns whether it was not refused.
    fn request(&self, n: usize, act: &Act) -> bool {
        let work = &self.nodes[0].work;
        let kept = self.kept[n].as_ref().expect("a series");
        let answer = match act {
            Act::Move { original, to, .. } => {
                let zone = match &kept.dial {
                    ScheduleClock::Zone(name) => name,
                    ScheduleClock::Person | ScheduleClock::Day { .. } => {
                        self.person.zone.iana_name().expect("a zone with a name")
                    }
                };
                let wish = Wish::MoveTo(stamp(instant(zone, *to)));
                now(work.change_occurrence(WS, &kept.work, &key(*original), wish, &me()))
            }
            Act::Cancel { original, .. } => {
                now(work.change_occurrence(WS, &kept.work, &key(*original), Wish::Skip, &me()))
            }
            Act::TakeOff { until, .. } => now(work.suspend(WS, &kept.work, stamp(*until), &me())),
            Act::Return => now(work.resume(WS, &kept.work, &me())),
            Act::Schedule(_) | Act::Split { .. } | Act::Pause | Act::Resume => {
                panic!("it is about the whole: {act:?}")
            }
        };
        match answer {
            Ok(_) => true,
            Err(
                WorkError::NoOccurrence { .. }
                | WorkError::Occurrence { .. }
                | WorkError::State { .. },
            ) => false,
            Err(error) => panic!("{act:?}: {error}"),
        }
    }

    fn act(&mut self, n: usize, act: usize) {
        let definition = &self.definitions[n];
        let is_about_one = matches!(
            definition.acts[act].1,
            Act::Move { .. } | Act::Cancel { .. } | Act::TakeOff { .. } | Act::Return
        );
        if is_about_one && definition.means == Means::Request {
            if !self.request(n, &definition.acts[act].1) {
                self.refused.push(refusal(definition, act));
                return;
            }
            if matches!(definition.acts[act].1, Act::TakeOff { .. } | Act::Return) {
                return;
            }
            // Another schedule that follows is to know it.
        }
        let work = self.nodes[0].work.clone();
        let person = self.person.clone();
        match &definition.acts[act].1 {
            Act::Schedule(table) => self.plan(n, table),
            Act::Move { original, to, .. } => {
                let kept = self.kept[n].as_mut().expect("a series");
                let to = given(&kept.series, *to);
                let id = match self.mistake {
                    Some(Mistake::RecurrenceIdAsText) => {
                        recurrence_id_as_text(&kept.dial, *original)
                    }
                    _ => recurrence_id(&kept.dial, *original),
                };
                match self.mistake {
                    Some(Mistake::OverrideBySequence) => kept.series.add(&to, &person),
                    _ => kept.series.move_to(&id, &to, &person),
                }
                if definition.means == Means::Replace {
                    self.save(n);
                }
            }
            Act::Cancel { original, .. } => {
                let kept = self.kept[n].as_mut().expect("a series");
                let id: Given = match self.mistake {
                    Some(Mistake::RecurrenceIdAsText) => {
                        recurrence_id_as_text(&kept.dial, *original)
                    }
                    _ => recurrence_id(&kept.dial, *original),
                };
                kept.series.cancel(&id, &person);
                if definition.means == Means::Replace {
                    self.save(n);
                }
            }
            Act::Split { before, .. } => {
                let kept = self.kept[n].as_mut().expect("a series");
                let split = kept.series.split(&given(&kept.series, *before), &person);
                kept.series = split.expect("something on both sides").0;
                self.save(n);
            }
            Act::TakeOff { from, until } => {
                self.off[n].push((*from, *until));
                if let Some(kept) = &mut self.kept[n] {
                    kept.series.suspend(*from, Some(*until));
                    self.save(n);
                }
            }
            Act::Return => panic!("only a request ends time off early"),
            Act::Pause => {
                let Some(kept) = &self.kept[n] else { return };
                now(work.pause(WS, &kept.work, &me())).expect("it pauses");
            }
            Act::Resume => {
                let Some(kept) = &self.kept[n] else { return };
                self.wire.resumes.store(true, Ordering::SeqCst);
                now(work.resume(WS, &kept.work, &me())).expect("it goes on");
                self.wire.resumes.store(false, Ordering::SeqCst);
            }
        }
    }

    fn schedule(series: &Series) -> ReadSchedule {
        let (series, next) = (series.clone(), Vec::new());
        ReadSchedule {
            words: "as it is".into(),
            sentence: String::new(),
            series,
            next,
            early: Vec::new(),
        }
    }

    fn save(&self, n: usize) {
        let kept = self.kept[n].as_ref().expect("a series");
        let edit = Edit { schedule: Some(Self::schedule(&kept.series)), ..Edit::default() };
        now(self.nodes[0].work.edit(WS, &kept.work, &edit, &me())).expect("it is edited");
    }

    fn plan(&mut self, n: usize, table: &Timetable) {
        let mut series = series(table, &self.person);
        for (from, until) in &self.off[n] {
            series.suspend(*from, Some(*until));
        }
        let dial = table.dial.clone();
        if let Some(kept) = &mut self.kept[n] {
            (kept.series, kept.dial) = (series, dial);
            return self.save(n);
        }
        let parameters = WorkParameters::Agenda(Agenda::default());
        let definition = &self.definitions[n];
        let new = NewWork {
            title: definition.name.clone(),
            instructions: "Say what is due.".into(),
            built_in: Some(BuiltInWork {
                work_kind: parameters.kind(),
                parameters,
                language: "en".into(),
                sentence: "An agenda.".into(),
                not_understood: Vec::new(),
            }),
            schedule: Some(Self::schedule(&series)),
            events: Vec::new(),
            waits_for_calls: false,
            steps: Vec::new(),
            catch_up: match definition.catch_up {
                CatchUp::Skip => work::CatchUp::Skip,
                CatchUp::Once => work::CatchUp::Once,
                CatchUp::All => work::CatchUp::All,
            },
            catch_up_hours: 24,
            overlap: match definition.overlap {
                Overlap::Skip => work::Overlap::Skip,
                Overlap::Queue => work::Overlap::Queue,
                Overlap::Parallel => work::Overlap::Parallel,
            },
            model: None,
            template: None,
            source: (WorkSource::Manual, None),
            by: WorkCreator::User,
        };
        let work =
            now(self.nodes[0].work.create(WS, &new, &me())).expect("it is made").definition.id;
        if definition.lasts > SignedDuration::ZERO {
            self.wire.long_runs.put(&work, definition.lasts);
        }
        let uid = table.uid.clone();
        self.kept[n] = Some(Kept { work, uid, series, dial });
    }

    /// The rows of all runs, as the oracle writes its list; and how often each definition was at work.
    fn lines(&self) -> Vec<String> {
        let work = &self.nodes[0].work;
        let mut lines = Vec::new();
        for (definition, kept) in self.definitions.iter().zip(&self.kept) {
            let Some(kept) = kept else { continue };
            let (mut before, mut n_ran) = (i64::MAX, 0);
            loop {
                let page = now(work.runs(WS, &kept.work, before, 500)).expect("readable");
                let Some(last) = page.last() else { break };
                before = last.n;
                for run in &page {
                    let due = run.scheduled_for.expect("it was due").to_jiff();
                    let original = match run.occurrence.zone.as_str() {
                        "date" => run.occurrence.original_start[..10].to_owned(),
                        _ => run.occurrence.original_start.clone(),
                    };
                    let second = if run.occurrence.fold { " second" } else { "" };
                    let outcome = match (run.state, run.skip_reason) {
                        (RunState::NoOp, _) => "Runs".to_owned(),
                        (RunState::Skipped, Some(SkipReason::Missed)) => "Missed".to_owned(),
                        (RunState::Skipped, Some(SkipReason::Overlap)) => "Overlaps".to_owned(),
                        (RunState::Skipped, Some(SkipReason::Paused)) => "Paused".to_owned(),
                        (state, _) => state.to_string(),
                    };
                    n_ran += usize::from(outcome == "Runs");
                    let (uid, zone) = (&kept.uid, &run.occurrence.zone);
                    let name = &definition.name;
                    lines.push(format!("{due} {name} {uid} {original} {zone}{second}: {outcome}"));
                }
            }
            let n = self.rules.of(&kept.work);
            // What changed during a long run is read again at its end.
            if n != n_ran && !self.lasts_long() {
                lines.push(format!("{}: {n_ran} runs were at work {n} times", definition.name));
            }
        }
        lines.extend(self.refused.iter().cloned());
        lines.sort();
        if self.mistake.is_none() {
            assert_eq!(now(work.check(WS)).expect("readable"), Vec::<String>::new());
        }
        lines
    }
}
