//! Holders that only take time, and nodes whose clocks are not the database's.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use dormouse_scheduler::status::{Event as RunEvent, after};
use dormouse_scheduler::{
    Admission, Capacity, Chore, Due, End, Event, Handler, HandlerError, HolderKind, Lease, Node,
    Options, Parts, Scheduler, Slots, Stop, Until,
};
use dormouse_store::agent::wake_queue::{self, Reason};
use dormouse_store::agent::wake_run::{self, Run, Status};
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{Backend, ChangeRow, Commit, Db, Engine, Op, ReadError, Row, Store, Value};
use dormouse_testkit::{CountingEntropy, ManualClock, now};
use dormouse_types::agent::Initiator;
use dormouse_types::port::{BoxFuture, Clock, Entropy, NoFaults};
use dormouse_types::{HolderId, Id as _, RunKey, Seq, ThreadId, Timestamp, WorkspaceId, hash};
use dormouse_world::{Layer, Layered};

pub use dormouse_world::WS;

pub const SECOND: Duration = Duration::from_secs(1);

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn failed(error: impl std::error::Error + Send + Sync + 'static) -> HandlerError {
    HandlerError { is_damage: false, source: Box::new(error) }
}

/// The time of the world, and of the database.
#[derive(Clone)]
pub struct WorldClock {
    /// What passes while machines are awake.
    awake: ManualClock,
    /// Units: microseconds. How long they were suspended.
    suspended: Arc<AtomicI64>,
}

impl WorldClock {
    fn new() -> Self {
        let awake = ManualClock::at("2026-03-02T09:00:00Z");
        Self { awake, suspended: Arc::default() }
    }

    pub fn advance(&self, by: Duration) {
        self.awake.advance(by);
    }

    /// Lets time pass for the world, but not for those who sleep on a machine.
    pub fn suspend(&self, hours: i64) {
        self.suspended.fetch_add(hours * 3_600_000_000, Ordering::Relaxed);
    }
}

impl Clock for WorldClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.awake.now().micros() + self.suspended.load(Ordering::Relaxed))
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        self.sleep(self.now().until(at))
    }

    fn sleep(&self, by: Duration) -> BoxFuture<'static, ()> {
        self.awake.sleep(by)
    }
}

/// The clock of one machine, which may show another time than that of the world.
#[derive(Clone)]
pub struct MachineClock {
    world: WorldClock,
    /// Units: microseconds.
    ahead: Arc<AtomicI64>,
    /// The longest sleep that anybody requested.
    longest: Arc<Mutex<Duration>>,
}

impl MachineClock {
    pub fn over(world: &WorldClock) -> Self {
        Self { world: world.clone(), ahead: Arc::default(), longest: Arc::default() }
    }

    pub fn set_ahead(&self, seconds: i64) {
        self.ahead.store(seconds * 1_000_000, Ordering::Relaxed);
    }

    pub fn longest_sleep(&self) -> Duration {
        *lock(&self.longest)
    }
}

impl Clock for MachineClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.world.now().micros() + self.ahead.load(Ordering::Relaxed))
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        self.sleep(self.now().until(at))
    }

    fn sleep(&self, by: Duration) -> BoxFuture<'static, ()> {
        let mut longest = lock(&self.longest);
        *longest = by.max(*longest);
        self.world.sleep(by)
    }
}

/// A layer that makes of its engine a database with a time of its own, as a server has. Counts what is read.
pub struct Server {
    engine: Arc<dyn Backend>,
    clock: Arc<dyn Clock>,
    reads: Mutex<Vec<(&'static str, usize)>>,
}

impl Server {
    /// Returns each statement since the last call, with the number of rows it returned.
    pub fn take_reads(&self) -> Vec<(&'static str, usize)> {
        std::mem::take(&mut lock(&self.reads))
    }
}

impl Layer for Server {
    fn below(&self) -> &dyn Backend {
        &*self.engine
    }

    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        Box::pin(async move {
            let rows = self.engine.read(db, sql, params).await?;
            lock(&self.reads).push((sql, rows.len()));
            Ok(rows)
        })
    }

    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    fn time(&self) -> BoxFuture<'_, Result<Option<Timestamp>, ReadError>> {
        Box::pin(async {
            lock(&self.reads).push(("the time", 1));
            Ok(Some(self.clock.now()))
        })
    }
}

/// A kind of holder whose runs take so long and do nothing else.
pub struct Taking {
    pub kind: HolderKind,
    pub lasts: Duration,
    pub store: Store,
    pub clock: Arc<dyn Clock>,
}

/// Wakes, which share the slots of the node.
pub const WAKES: HolderKind = HolderKind { prefix: "ag", noun: "agent", slots: Slots::Shared };
/// Work, which has slots of its own.
pub const WORK: HolderKind = HolderKind { prefix: "run", noun: "run", slots: Slots::Own(2) };

impl Taking {
    async fn work(&self, lease: &Lease) -> Result<End, HandlerError> {
        if !self.lasts.is_zero() {
            self.clock.sleep(self.lasts).await;
        }
        let to = after(Status::Started, RunEvent::Completed).map_err(failed)?;
        let commit = Commit::new("run.final", Db::Agent, WS)
            .op(lease.guard())
            .op(wake_run::finish(
                WS,
                &lease.run.key,
                Status::Started,
                to,
                self.clock.now(),
                false,
                None,
            ))
            .op(lease.release());
        let end = self.store.commit(commit).await;
        end.map(|_| End::Completed { cut: false }).map_err(failed)
    }
}

impl Handler for Taking {
    fn kind(&self) -> HolderKind {
        self.kind
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
            let entropy = CountingEntropy::seeded(u64::from_le_bytes(
                hash::joined(&[row.holder.as_str()]).0.as_bytes()[..8].try_into().expect("long"),
            ));
            let epoch = row.epoch.to_string();
            let run = Run {
                key: RunKey(hash::joined(&[row.holder.as_str(), &epoch]).0),
                holder: row.holder.clone(),
                reason: Reason::Timer.into(),
                reason_id: None,
                initiator: Initiator::Automation.into(),
                thread: ThreadId::fresh(now, &entropy as &dyn Entropy),
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
        Box::pin(self.work(lease))
    }

    fn give_up<'a>(
        &'a self,
        _: WorkspaceId,
        _: &'a HolderId,
    ) -> BoxFuture<'a, Result<Vec<Op>, HandlerError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn announce(&self, _: &HolderId, _: &str) -> Option<ChangeRow> {
        None
    }
}

pub struct World {
    /// The time of the database.
    pub shared: WorldClock,
    pub server: Arc<Server>,
    pub store: Store,
}

impl World {
    pub fn new() -> Self {
        let shared = WorldClock::new();
        let port: Arc<dyn Clock> = Arc::new(shared.clone());
        let engine = Sqlite::memory(&port, &CountingEntropy::seeded(1)).expect("a store in memory");
        let (engine, reads) = (Arc::new(engine), Mutex::default());
        let server = Arc::new(Server { engine, clock: port, reads });
        let store = Store::new(Arc::new(Layered(server.clone())), Arc::new(NoFaults));
        Self { shared, server, store }
    }

    pub fn taking(&self, kind: HolderKind, lasts: Duration) -> Arc<dyn Handler> {
        let clock = Arc::new(self.shared.clone());
        Arc::new(Taking { kind, lasts, store: self.store.clone(), clock })
    }

    pub fn scheduler(
        &self,
        clock: &MachineClock,
        handlers: Vec<Arc<dyn Handler>>,
        chores: Vec<Arc<dyn Chore>>,
    ) -> Scheduler {
        Scheduler::new(Parts {
            store: self.store.clone(),
            clock: Arc::new(clock.clone()),
            owner: "one".into(),
            lease: dormouse_store::lease::term(),
            handlers,
            chores,
        })
    }

    pub fn node(
        &self,
        clock: &MachineClock,
        handlers: Vec<Arc<dyn Handler>>,
        chores: Vec<Arc<dyn Chore>>,
    ) -> Serving {
        let scheduler = self.scheduler(clock, handlers, chores);
        Serving(scheduler.node(Until::Stopped(Options::default())))
    }

    /// Creates holders that are due at a time, and returns them.
    pub fn due(
        &self,
        kind: HolderKind,
        names: std::ops::Range<usize>,
        at: Timestamp,
    ) -> Vec<HolderId> {
        let name = |n| format!("{}-{n:026}", kind.prefix).parse().expect("an id");
        let holders: Vec<HolderId> = names.map(name).collect();
        for some in holders.chunks(500) {
            let ops = some.iter().map(|holder| wake_queue::insert(WS, holder, Some(at), at));
            now(self.store.commit(Commit::new("test.due", Db::Agent, WS).ops(ops))).expect("rows");
        }
        holders
    }
}

/// A node that is played by hand.
pub struct Serving(Node);

impl Serving {
    /// Lets the node do everything it can do now, and returns what happened.
    pub fn settle(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let mut next = std::pin::pin!(self.0.next());
            match next.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Some(event)) => events.push(event),
                Poll::Ready(None) | Poll::Pending => return events,
            }
        }
    }

    /// The same; returns how many runs of each kind ended. Nothing may fail.
    pub fn ran(&mut self) -> BTreeMap<String, usize> {
        let mut n_ran = BTreeMap::new();
        for event in self.settle() {
            match event {
                Event::Ran(ran) => {
                    *n_ran.entry(ran.holder.kind().to_owned()).or_default() += 1;
                }
                Event::Recovered(_) | Event::Damaged(_) | Event::Failed(_) => {
                    panic!("{event:?}")
                }
            }
        }
        n_ran
    }
}
