//! A second kind of run besides task agents: a chore of the house that proposes one change and
//! writes another. It is claimed, crashes at every commit and is taken over by another node, and
//! nothing below it knows what it is.

use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use dormouse_journal::{Edit, EditCtx, Journal, JournalError, OnceKey};
use dormouse_scheduler::status::{Event as RunEvent, after};
use dormouse_scheduler::{
    Admission, Capacity, Chore, Done, Due, End, Event, Failure, Handler, HandlerError, HolderKind,
    Lease, Options, Parts, Scheduler, SchedulerError, Slots, Stop, Until, When,
};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::timer::{self, Kind};
use dormouse_store::agent::wake_queue::{self, Reason};
use dormouse_store::agent::wake_run::{self, Run, Status};
use dormouse_store::{ChangeRow, Commit, CommitError, Db, Op, Refusal, Store};
use dormouse_testkit::{CountingEntropy, ManualClock, now};
use dormouse_types::agent::Initiator;
use dormouse_types::closed_list::Listed;
use dormouse_types::port::{BoxFuture, Clock as _, Faults, Point, Stage};
use dormouse_types::{
    Actor, ChangeSetId, Fingerprint, HolderId, Id as _, OperationId, Origin, RunKey, Seq, TaskId,
    ThreadId, Timestamp, WorkspaceId, hash,
};
use dormouse_world::{Rooms, WS};

const NOTE: &str = "The bins were put out.";

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What happens at a point.
type Happening = Box<dyn FnOnce() + Send>;

/// Counts the points that are passed, and runs something at one of them.
#[derive(Default)]
struct Countdown {
    /// Counts down to the point at which something happens.
    left: Mutex<Option<(usize, Happening)>>,
    passed: Mutex<Vec<String>>,
}

impl Faults for Countdown {
    fn pass(&self, point: Point<'_>) {
        if !matches!(point.stage, Stage::BeforeCommit | Stage::AfterCommit) {
            return;
        }
        lock(&self.passed).push(format!("{:?} {}", point.stage, point.label));
        let mut left = lock(&self.left);
        match left.take() {
            Some((0, happens)) => {
                drop(left);
                happens();
            }
            Some((n, happens)) => *left = Some((n - 1, happens)),
            None => {}
        }
    }
}

/// Runs the chores of the house.
struct House {
    store: Store,
    journal: Journal,
    clock: ManualClock,
    entropy: CountingEntropy,
    task: TaskId,
}

/// Why a step of a run did not succeed.
fn failed(error: impl std::error::Error + Send + Sync + 'static) -> HandlerError {
    HandlerError { is_damage: false, source: Box::new(error) }
}

impl House {
    fn operation(run: &RunKey, tool: &str) -> OperationId {
        OperationId(hash::joined(&[run.as_str(), tool]).0)
    }

    /// The tool that proposes: an open item, in a commit of the run.
    async fn propose(&self, lease: &Lease) -> Result<(), CommitError> {
        let id = |prefix: &str| format!("{prefix}-{}", "p".repeat(26));
        let item = Item {
            set: id("cs").parse::<ChangeSetId>().expect("an id"),
            index: 1,
            task: self.task.clone(),
            proposer: lease.holder().clone(),
            tool: "set_task_priority".into(),
            args: "{}".into(),
            fingerprint: Fingerprint(hash::sha256("priority").0),
            evidence: None,
            rationale: None,
            change: None,
            before: None,
            state: State::Pending,
            round: 0,
            operation: Self::operation(&lease.run.key, "propose"),
            error: None,
            shown_at: None,
            created_at: self.clock.now(),
            decided_at: None,
        };
        let commit = Commit::new("run.turn", Db::Agent, WS)
            .op(lease.guard())
            .op(change_item::insert(WS, &item));
        self.store.commit(commit).await.map(drop)
    }

    /// The tool that writes: an edit of the journal, once for each run, under the fence.
    async fn write(&self, lease: &Lease) -> Result<(), JournalError> {
        let operation = Self::operation(&lease.run.key, "write");
        let origin = Origin::Person { via: None };
        let mut ctx = EditCtx::new(origin, Actor::Other(format!("chore:{}", lease.holder())));
        ctx.once = Some(OnceKey { id: operation.0, request: hash::sha256(NOTE) });
        ctx.fence = Some((lease.holder().to_string(), lease.run.epoch));
        self.journal.edit(WS, &self.task, &[Edit::note(NOTE)], &ctx).await.map(drop)
    }

    async fn steps(&self, lease: &Lease) -> Result<End, HandlerError> {
        let items = self.store.all(change_item::of_task(WS, &self.task)).await.map_err(failed)?;
        if items.is_empty() {
            match self.propose(lease).await {
                Err(error) if error.refusal() == Some(Refusal::LeaseLost) => {
                    return Ok(End::LeaseLost);
                }
                other => other.map_err(failed)?,
            }
        }
        match self.write(lease).await {
            Err(JournalError::Fenced { .. }) => return Ok(End::LeaseLost),
            other => other.map_err(failed)?,
        }
        let to = after(Status::Started, RunEvent::Completed).map_err(failed)?;
        let (key, at) = (&lease.run.key, self.clock.now());
        let commit = Commit::new("run.final", Db::Agent, WS)
            .op(lease.guard())
            .op(wake_run::finish(WS, key, Status::Started, to, at, false, None))
            .op(lease.release());
        match self.store.commit(commit).await {
            Err(error) if error.refusal() == Some(Refusal::LeaseLost) => Ok(End::LeaseLost),
            other => other.map(|_| End::Completed { cut: false }).map_err(failed),
        }
    }
}

impl Handler for House {
    fn kind(&self) -> HolderKind {
        HolderKind { prefix: "chore", noun: "chore", slots: Slots::Shared }
    }

    fn capacity(&self, _: WorkspaceId) -> BoxFuture<'_, Result<Capacity, HandlerError>> {
        Box::pin(async { Ok(Capacity::Free) })
    }

    fn admit<'a>(&'a self, due: Due<'a>) -> BoxFuture<'a, Result<Admission, HandlerError>> {
        Box::pin(async move {
            if due.waiting.is_some() {
                return Ok(Admission::Resume { ops: Vec::new() });
            }
            let (row, now) = (due.entry, self.clock.now());
            let due_at = row.due_at.unwrap_or(now).micros().to_string();
            let run = Run {
                key: RunKey(hash::joined(&[row.holder.as_str(), &due_at]).0),
                holder: row.holder.clone(),
                reason: Reason::Timer.into(),
                reason_id: Some(due_at),
                initiator: Initiator::Automation.into(),
                thread: ThreadId::fresh(now, &self.entropy),
                status: Status::Started,
                logical_change_key: None,
                processed: Seq(0),
                upto: Seq(0),
                heard_upto: Seq(0),
                epoch: row.epoch + 1,
                crashes: 0,
                model: None,
                cut: false,
                created_at: now,
                started_at: Some(now),
                completed_at: None,
                error: None,
                failure: None,
                usage: dormouse_types::model::Usage::default(),
            };
            let (ops, if_repeated) = (Vec::new(), Vec::new());
            Ok(Admission::Start { run: Box::new(run), ops, if_repeated })
        })
    }

    fn run<'a>(
        &'a self,
        lease: &'a Lease,
        _: &'a Stop,
    ) -> BoxFuture<'a, Result<End, HandlerError>> {
        Box::pin(self.steps(lease))
    }

    fn give_up<'a>(
        &'a self,
        _: WorkspaceId,
        _: &'a HolderId,
    ) -> BoxFuture<'a, Result<Vec<Op>, HandlerError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn announce(&self, _: &HolderId, subject: &str) -> Option<ChangeRow> {
        Some(ChangeRow::agent(
            Origin::Person { via: None },
            Listed::named("chore:run"),
            None,
            subject,
        ))
    }
}

/// Background work that always fails.
struct Failing;

impl Chore for Failing {
    fn name(&self) -> &'static str {
        "the failing chore"
    }

    fn when(&self) -> When {
        When::Sweep
    }

    fn work(
        &self,
        _: Option<WorkspaceId>,
        _: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async { Err(failed(std::io::Error::other("out of order"))) })
    }
}

/// Background work that counts how often it ran.
struct Counting(Arc<Mutex<usize>>);

impl Chore for Counting {
    fn name(&self) -> &'static str {
        "the counting chore"
    }

    fn when(&self) -> When {
        When::Sweep
    }

    fn work(
        &self,
        _: Option<WorkspaceId>,
        _: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async {
            *lock(&self.0) += 1;
            Ok(Done::default())
        })
    }
}

struct World {
    rooms: Rooms,
    faults: Arc<Countdown>,
    task: TaskId,
    holder: HolderId,
}

impl Deref for World {
    type Target = Rooms;

    fn deref(&self) -> &Rooms {
        &self.rooms
    }
}

impl World {
    /// A chore that has a timer, and is due now.
    fn new() -> Self {
        let faults = Arc::new(Countdown::default());
        let rooms = Rooms::at("2026-03-02T09:00:00Z").seed(2).faults(faults.clone()).build();
        let task = rooms.create_task("The house", Vec::new());
        let holder: HolderId = format!("chore-{}", "h".repeat(26)).parse().expect("an id");
        let now = rooms.clock.now();
        let at = now + Duration::from_secs(60);
        rooms.commit(
            Commit::new("chore.create", Db::Agent, WS)
                .op(wake_queue::insert(WS, &holder, None, now))
                .op(timer::set(WS, &holder, Kind::WakeAt, at, None)),
        );
        rooms.later(60);
        Self { rooms, faults, task, holder }
    }

    fn scheduler(&self, owner: &str, chores: Vec<Arc<dyn Chore>>) -> Scheduler {
        let house = House {
            store: self.store.clone(),
            journal: self.journal.clone(),
            clock: self.clock.clone(),
            entropy: CountingEntropy::seeded(owner.bytes().map(u64::from).sum()),
            task: self.task.clone(),
        };
        Scheduler::new(Parts {
            store: self.store.clone(),
            clock: self.as_clock(),
            owner: owner.into(),
            lease: dormouse_store::lease::term(),
            handlers: vec![Arc::new(house)],
            chores,
        })
    }

    /// Lets a node do everything it can do now, and returns what happened.
    fn serve(scheduler: &Scheduler) -> Vec<Event> {
        let mut node = scheduler.node(Until::Stopped(Options::default()));
        let mut events = Vec::new();
        loop {
            let mut next = std::pin::pin!(node.next());
            match next.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Some(event)) => events.push(event),
                Poll::Ready(None) | Poll::Pending => return events,
            }
        }
    }

    /// Lets something happen at the n-th of the points that are passed from now on.
    fn at_point(&self, n: usize, happens: impl FnOnce() + Send + 'static) {
        *lock(&self.faults.left) = Some((n, Box::new(happens)));
        lock(&self.faults.passed).clear();
    }

    /// Checks that the chore was done, exactly once.
    fn check_done(&self, context: &str) {
        assert_eq!(self.items_of(&self.task).len(), 1, "{context}: one proposal");
        let state = self.task_state(&self.task);
        let written = format!("{state:?}").matches(NOTE).count();
        assert_eq!(written, 1, "{context}: one note");
        let row = now(self.store.first(wake_queue::of_holder(WS, &self.holder)));
        let row = row.expect("readable").expect("a row");
        assert_eq!((row.owner, row.run_key, row.due_at), (None, None, None), "{context}");
        assert!(now(self.store.all(wake_run::unfinished(WS))).expect("runs").is_empty());
    }
}

fn ends(events: &[Event]) -> Vec<&End> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Ran(ran) => Some(&ran.end),
            Event::Recovered(_) | Event::Damaged(_) | Event::Failed(_) => None,
        })
        .collect()
}

#[test]
fn a_chore_runs_when_its_timer_fires() {
    let world = World::new();
    let events = World::serve(&world.scheduler("one", Vec::new()));
    assert_eq!(ends(&events), [&End::Completed { cut: false }], "{events:?}");
    world.check_done("a timer");
    let labels = lock(&world.faults.passed).join(", ");
    for label in ["wake.timer", "run.claim", "run.turn", "journal.edit", "run.final"] {
        assert!(labels.contains(&format!("AfterCommit {label}")), "{label}: {labels}");
    }
}

#[test]
fn a_command_runs_it_with_the_same_loop() {
    let world = World::new();
    let until = Until::Idle { ws: WS, only: Some(vec![world.holder.clone()]) };
    let mut node = world.scheduler("one", Vec::new()).node(until);
    let event = now(node.next());
    assert!(matches!(&event, Some(Event::Ran(ran)) if ran.holder == world.holder), "{event:?}");
    assert!(now(node.next()).is_none(), "nothing is left");
    world.check_done("a command");
}

#[test]
fn it_survives_a_crash_before_and_after_every_commit() {
    for n in 0.. {
        let world = World::new();
        world.at_point(n, || resume_unwind(Box::new("crash")));
        let one = world.scheduler("one", Vec::new());
        let crashed = catch_unwind(AssertUnwindSafe(|| World::serve(&one))).is_err();
        let point = lock(&world.faults.passed).last().cloned().unwrap_or_default();
        *lock(&world.faults.left) = None;
        world.later(61);
        World::serve(&world.scheduler("two", Vec::new()));
        world.check_done(&format!("a crash at {point}"));
        if !crashed {
            assert!(n >= 10, "five commits, each with a point before and after it: {n}");
            return;
        }
    }
}

#[test]
fn an_owner_that_only_seemed_dead_changes_nothing_more() {
    for n in 0.. {
        let world = World::new();
        let (other, clock) = (world.scheduler("two", Vec::new()), world.clock.clone());
        world.at_point(n, move || {
            clock.advance(Duration::from_secs(61));
            World::serve(&other);
        });
        let events = World::serve(&world.scheduler("one", Vec::new()));
        let is_over = lock(&world.faults.left).is_some();
        World::serve(&world.scheduler("three", Vec::new()));
        world.check_done(&format!("another node took over at point {n}: {events:?}"));
        if is_over {
            assert!(n >= 10, "five commits, each with a point before and after it: {n}");
            return;
        }
    }
}

#[test]
fn a_chore_of_the_node_that_fails_stops_no_other_and_no_run() {
    let world = World::new();
    let count = Arc::new(Mutex::new(0));
    let chores: Vec<Arc<dyn Chore>> =
        vec![Arc::new(Failing), Arc::new(Counting(count.clone())), Arc::new(Failing)];
    let events = World::serve(&world.scheduler("one", chores));
    let failures = events.iter().filter_map(|event| match event {
        Event::Failed(Failure { part, error: SchedulerError::Handler(error) }) => {
            Some((part.clone()?, error.to_string()))
        }
        Event::Failed(_) | Event::Ran(_) | Event::Recovered(_) | Event::Damaged(_) => None,
    });
    let failure = ("the failing chore".to_owned(), "out of order".to_owned());
    assert_eq!(failures.collect::<Vec<_>>(), [failure.clone(), failure]);
    assert_eq!(*lock(&count), 1, "the chore between them ran");
    assert_eq!(ends(&events), [&End::Completed { cut: false }]);
}

#[test]
fn a_holder_of_an_unknown_kind_is_named_once_and_stops_no_other() {
    let world = World::new();
    let unknown: HolderId = format!("later-{}", "x".repeat(26)).parse().expect("an id");
    let insert =
        wake_queue::insert(WS, &unknown, Some(Timestamp::from_micros(1)), world.clock.now());
    world.commit(Commit::new("test.insert", Db::Agent, WS).op(insert));
    let events = World::serve(&world.scheduler("one", Vec::new()));
    assert_eq!(ends(&events), [&End::Completed { cut: false }]);
    let damage: Vec<_> = events
        .iter()
        .filter(|event| matches!(event, Event::Damaged(line) if line.contains(unknown.as_str())))
        .collect();
    assert_eq!(damage.len(), 1, "{events:?}");
}
