//! When something is due, and when it runs: chores that plan, clocks that are wrong, machines that
//! sleep.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dormouse_scheduler::{
    Admission, Capacity, Chore, Done, Due, End, Event, Handler, HandlerError, HolderKind, Lease,
    Stop, Until, When,
};
use dormouse_store::agent::timer::{self, Kind, Timer};
use dormouse_store::agent::wake_queue::{self, QueueEntry, Signal};
use dormouse_store::{ChangeRow, Commit, Db, Op, Refusal};
use dormouse_testkit::now;
use dormouse_types::agent::PutOff;
use dormouse_types::port::{BoxFuture, Clock as _};
use dormouse_types::{HolderId, Timestamp, WorkspaceId};

use crate::world::{MachineClock, SECOND, Serving, WAKES, WS, World, failed, lock};

/// What a plan does when it is due.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mood {
    Works,
    Fails,
    LeavesItDue,
    FindsDamage,
}

/// Background work that plans its next time.
struct Planning {
    mood: Mood,
    next: Mutex<Option<Timestamp>>,
    /// The times of the database at which it worked.
    worked: Mutex<Vec<Timestamp>>,
}

impl Planning {
    fn new(mood: Mood, next: Timestamp) -> Arc<Self> {
        Arc::new(Self { mood, next: Mutex::new(Some(next)), worked: Mutex::default() })
    }
}

/// So that a test can look at what a node works with.
struct Shared(Arc<Planning>);

impl Chore for Shared {
    fn name(&self) -> &'static str {
        "the plan"
    }

    fn when(&self) -> When {
        When::Sweep
    }

    fn work(
        &self,
        _: Option<WorkspaceId>,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            let mut next = lock(&self.0.next);
            if next.is_none_or(|at| at > now) {
                return Ok(Done::default());
            }
            lock(&self.0.worked).push(now);
            match self.0.mood {
                Mood::Works => *next = None,
                Mood::Fails => return Err(failed(std::io::Error::other("out of order"))),
                Mood::LeavesItDue => {}
                Mood::FindsDamage => {
                    let lines = vec![Err("question 1 cannot be read".to_owned())];
                    return Ok(Done { lines, ..Done::default() });
                }
            }
            Ok(Done::default())
        })
    }

    fn next_due(
        &self,
        _: Option<WorkspaceId>,
    ) -> BoxFuture<'_, Result<Option<Timestamp>, HandlerError>> {
        Box::pin(async { Ok(*lock(&self.0.next)) })
    }
}

#[test]
fn a_chore_works_at_the_time_it_planned() {
    let world = World::new();
    let clock = MachineClock::over(&world.shared);
    let at = world.shared.now() + Duration::from_secs(47);
    let plan = Planning::new(Mood::Works, at);
    let mut node = world.node(&clock, Vec::new(), vec![Arc::new(Shared(plan.clone()))]);
    node.ran();
    for _ in 0..100 {
        world.shared.advance(SECOND);
        node.ran();
    }
    assert_eq!(*lock(&plan.worked), [at], "to the second, and once");
}

#[test]
fn a_chore_that_fails_or_stays_due_is_tried_once_a_second() {
    for mood in [Mood::Fails, Mood::LeavesItDue] {
        let world = World::new();
        let clock = MachineClock::over(&world.shared);
        let at = world.shared.now() + SECOND;
        let plan = Planning::new(mood, at);
        let mut node = world.node(&clock, Vec::new(), vec![Arc::new(Shared(plan.clone()))]);
        for _ in 0..25 {
            node.settle();
            world.shared.advance(SECOND);
        }
        let n = lock(&plan.worked).len();
        assert!((12..=25).contains(&n), "{n} times");
    }
}

#[test]
fn what_a_chore_finds_damaged_is_named_once() {
    let world = World::new();
    let clock = MachineClock::over(&world.shared);
    let plan = Planning::new(Mood::FindsDamage, world.shared.now());
    let mut node = world.node(&clock, Vec::new(), vec![Arc::new(Shared(plan.clone()))]);
    let mut named = Vec::new();
    for _ in 0..100 {
        for event in node.settle() {
            match event {
                Event::Damaged(line) => named.push(line),
                other => panic!("{other:?}"),
            }
        }
        world.shared.advance(SECOND);
    }
    assert!(lock(&plan.worked).len() > 3, "it is found at each sweep");
    assert_eq!(named, ["question 1 cannot be read"]);
}

#[test]
fn a_command_works_what_a_chore_planned() {
    let world = World::new();
    let clock = MachineClock::over(&world.shared);
    let plan = Planning::new(Mood::Works, world.shared.now());
    let chores: Vec<Arc<dyn Chore>> = vec![Arc::new(Shared(plan.clone()))];
    let scheduler = world.scheduler(&clock, Vec::new(), chores);
    let until = Until::Idle { ws: WS, only: None };
    // A command that leaves plans to nodes does nothing about them.
    let leaves = scheduler.firing_plans_only_as_a_node();
    assert!(now(leaves.node(until.clone()).next()).is_none());
    assert_eq!(lock(&plan.worked).len(), 0);
    assert!(now(scheduler.node(until).next()).is_none());
    assert_eq!(lock(&plan.worked).len(), 1);
}

/// A holder with a timer for a time.
fn timed(world: &World, at: Timestamp) -> HolderId {
    let holder: HolderId = format!("ag-{}", "h".repeat(26)).parse().expect("an id");
    let commit = Commit::new("test.timer", Db::Agent, WS)
        .op(wake_queue::insert(WS, &holder, None, world.shared.now()))
        .op(timer::set(WS, &holder, Kind::WakeAt, at, None));
    now(world.store.commit(commit)).expect("written");
    holder
}

/// Lets seconds pass until a run ended; returns how many.
fn seconds_until_it_ran(world: &World, node: &mut Serving, most: u32) -> Option<u32> {
    for n in 0..=most {
        if !node.ran().is_empty() {
            return Some(n);
        }
        world.shared.advance(SECOND);
    }
    None
}

#[test]
fn a_wrong_clock_makes_nothing_early_or_late() {
    for ahead in [-3600, -7, 0, 7, 3600] {
        let world = World::new();
        let clock = MachineClock::over(&world.shared);
        clock.set_ahead(ahead);
        timed(&world, world.shared.now() + Duration::from_secs(100));
        let handlers = vec![world.taking(WAKES, Duration::ZERO)];
        let mut node = world.node(&clock, handlers, Vec::new());
        assert_eq!(seconds_until_it_ran(&world, &mut node, 200), Some(100), "{ahead} s ahead");
    }
}

#[test]
fn a_clock_that_is_set_while_the_node_sleeps_makes_nothing_early_and_little_late() {
    for ahead in [-3600, -7, 7, 3600] {
        for set_after in (0..31).step_by(5) {
            let world = World::new();
            let clock = MachineClock::over(&world.shared);
            timed(&world, world.shared.now() + Duration::from_secs(100));
            let handlers = vec![world.taking(WAKES, Duration::ZERO)];
            let mut node = world.node(&clock, handlers, Vec::new());
            assert_eq!(seconds_until_it_ran(&world, &mut node, 60 + set_after), None);
            clock.set_ahead(ahead);
            let rest = seconds_until_it_ran(&world, &mut node, 200).expect("it runs");
            let late = i64::from(61 + set_after + rest) - 100;
            assert!((0..=31).contains(&late), "{ahead} s ahead after {set_after} s: {late} s late");
        }
    }
}

#[test]
fn after_a_machine_was_suspended_what_is_due_runs_within_35_seconds() {
    for awake in (0..32).step_by(3) {
        let world = World::new();
        let clock = MachineClock::over(&world.shared);
        timed(&world, world.shared.now() + Duration::from_secs(3600));
        let handlers = vec![world.taking(WAKES, Duration::ZERO)];
        let mut node = world.node(&clock, handlers, Vec::new());
        assert_eq!(seconds_until_it_ran(&world, &mut node, awake), None);
        world.shared.suspend(2);
        let rest = seconds_until_it_ran(&world, &mut node, 100).expect("it runs");
        assert!(rest <= 35, "awake for {awake} s before: {rest} s");
        assert!(clock.longest_sleep() <= Duration::from_secs(30), "{:?}", clock.longest_sleep());
    }
}

/// A handler that admits in another way, unless its function leaves that to the handler that it stands for.
struct Admitting<F>(Arc<dyn Handler>, F);

impl<F: Fn(&Due<'_>) -> Option<Admission> + Send + Sync> Handler for Admitting<F> {
    fn kind(&self) -> HolderKind {
        self.0.kind()
    }

    fn capacity(&self, ws: WorkspaceId) -> BoxFuture<'_, Result<Capacity, HandlerError>> {
        self.0.capacity(ws)
    }

    fn admit<'a>(&'a self, due: Due<'a>) -> BoxFuture<'a, Result<Admission, HandlerError>> {
        match (self.1)(&due) {
            Some(admission) => Box::pin(async { Ok(admission) }),
            None => self.0.admit(due),
        }
    }

    fn run<'a>(
        &'a self,
        lease: &'a Lease,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<End, HandlerError>> {
        self.0.run(lease, stop)
    }

    fn give_up<'a>(
        &'a self,
        ws: WorkspaceId,
        holder: &'a HolderId,
    ) -> BoxFuture<'a, Result<Vec<Op>, HandlerError>> {
        self.0.give_up(ws, holder)
    }

    fn timer_signal<'a>(
        &'a self,
        ws: WorkspaceId,
        timer: &'a Timer,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Signal, HandlerError>> {
        self.0.timer_signal(ws, timer, now)
    }

    fn is_ready<'a>(
        &'a self,
        ws: WorkspaceId,
        entry: &'a QueueEntry,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<bool, HandlerError>> {
        self.0.is_ready(ws, entry, now)
    }

    fn announce(&self, holder: &HolderId, subject: &str) -> Option<ChangeRow> {
        self.0.announce(holder, subject)
    }
}

#[test]
fn a_handler_that_says_not_yet_is_not_called_without_end() {
    let world = World::new();
    let clock = MachineClock::over(&world.shared);
    let calls = Arc::new(Mutex::new(0));
    let n_calls = calls.clone();
    // By its clock nothing is due yet.
    let handler = Admitting(world.taking(WAKES, Duration::ZERO), move |due: &Due<'_>| {
        *lock(&n_calls) += 1;
        let until = due.entry.due_at.expect("it is due");
        Some(Admission::Postpone { until, why: PutOff::Provider, guard: Vec::new() })
    });
    world.due(WAKES, 0..2, world.shared.now());
    let mut node = world.node(&clock, vec![Arc::new(handler)], Vec::new());
    for _ in 0..61 {
        node.ran();
        world.shared.advance(SECOND);
    }
    let n = *lock(&calls);
    assert!((4..=20).contains(&n), "{n} calls in a minute");
}

#[test]
fn what_was_parked_on_rows_that_have_changed_since_is_decided_again_at_once() {
    let world = World::new();
    let clock = MachineClock::over(&world.shared);
    let left = Mutex::new(7);
    let handler = Admitting(world.taking(WAKES, Duration::ZERO), move |_: &Due<'_>| {
        let mut left = lock(&left);
        let is_stale = *left > 0;
        *left -= usize::from(is_stale);
        // Somebody else has written what the handler decided on.
        let guard = Op::one(
            "UPDATE wake_queue SET reasons = reasons WHERE ws = ?1 AND agent_id = 'nobody'",
            dormouse_store::params![WS.0],
            Refusal::Stale,
        );
        is_stale.then(|| Admission::Park { guard: vec![guard] })
    });
    world.due(WAKES, 0..1, world.shared.now());
    let mut node = world.node(&clock, vec![Arc::new(handler)], Vec::new());
    assert_eq!(node.ran().get("ag"), Some(&1), "without a wait");
}
