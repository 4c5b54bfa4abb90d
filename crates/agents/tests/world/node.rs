//! A node that serves, polled by hand; and hooks that run something at a certain point.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use dormouse_scheduler::{End, Event, Options, Scheduler, Until};
use dormouse_testkit::ManualClock;
use dormouse_types::port::{BoxFuture, Clock as _};
use dormouse_types::{AgentId, RunKey, Timestamp};
use futures_util::FutureExt as _;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a node reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeEvent {
    Ran(AgentId, RunKey, End),
    Recovered(String),
    Failed(String),
}

struct WakeFlag(AtomicBool);

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Completes when it is raised.
#[derive(Clone, Default)]
struct Flag(Arc<Mutex<(bool, Vec<Waker>)>>);

impl Flag {
    fn raise(&self) {
        let waiting = {
            let mut state = lock(&self.0);
            state.0 = true;
            std::mem::take(&mut state.1)
        };
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl Future for Flag {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = lock(&self.0);
        if state.0 {
            return Poll::Ready(());
        }
        state.1.push(context.waker().clone());
        Poll::Pending
    }
}

/// A node. Dropping it simulates its death: nothing is put back.
pub struct Node {
    service: Option<BoxFuture<'static, ()>>,
    woken: Arc<WakeFlag>,
    events: Arc<Mutex<Vec<NodeEvent>>>,
    stop: Flag,
    clock: ManualClock,
}

impl Node {
    pub fn start(scheduler: &Scheduler, clock: &ManualClock, options: Options) -> Self {
        let events = Arc::new(Mutex::new(Vec::new()));
        let stop = Flag::default();
        let stopping: BoxFuture<'static, ()> = Box::pin(stop.clone());
        let note = events.clone();
        let node = scheduler.stopping_on(stopping.shared()).node(Until::Stopped(options));
        let service = node.run(move |event| {
            lock(&note).push(match event {
                Event::Ran(ran) => NodeEvent::Ran(
                    AgentId::try_from(&ran.holder).expect("an agent"),
                    ran.run.key.clone(),
                    ran.end.clone(),
                ),
                Event::Recovered(line) => NodeEvent::Recovered(line),
                Event::Damaged(line) => NodeEvent::Failed(line),
                Event::Failed(failure) => NodeEvent::Failed(failure.to_string()),
            });
        });
        let woken = Arc::new(WakeFlag(AtomicBool::new(true)));
        let service: BoxFuture<'static, ()> = Box::pin(service);
        Self { service: Some(service), woken, events, stop, clock: clock.clone() }
    }

    /// Lets the node do everything it can do now.
    pub fn settle(&mut self) {
        let waker = Waker::from(self.woken.clone());
        for _ in 0..1_000_000 {
            let Some(service) = &mut self.service else { return };
            if !self.woken.0.swap(false, Ordering::SeqCst) {
                return;
            }
            if service.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
                self.service = None;
            }
        }
        panic!("the node never comes to rest");
    }

    /// Lets time pass; the node wakes at every time it waits for.
    pub fn pass(&mut self, by: Duration) {
        let end = self.clock.now() + by;
        self.settle();
        while let Some(next) = self.clock.next_deadline().filter(|next| *next <= end) {
            self.clock.set(next.max(self.clock.now()));
            self.settle();
        }
        self.jump(end);
    }

    pub fn pass_seconds(&mut self, seconds: u64) {
        self.pass(Duration::from_secs(seconds));
    }

    /// Moves the clock in one step.
    pub fn jump(&mut self, to: Timestamp) {
        self.clock.set(to);
        self.settle();
    }

    pub fn jump_to(&mut self, to: &str) {
        self.jump(ManualClock::at(to).now());
    }

    /// Asks the node to stop and waits until it has.
    pub fn stop(mut self) -> Vec<NodeEvent> {
        self.stop.raise();
        self.settle();
        assert!(self.service.is_none(), "the node has not stopped");
        self.take()
    }

    /// Returns what the node reported since the last call.
    pub fn take(&mut self) -> Vec<NodeEvent> {
        std::mem::take(&mut lock(&self.events))
    }

    /// Returns the runs that ended since the last call; any other report is an error.
    #[track_caller]
    pub fn ran(&mut self) -> Vec<(AgentId, End)> {
        let ran = |event| match event {
            NodeEvent::Ran(agent, _, end) => (agent, end),
            NodeEvent::Recovered(line) | NodeEvent::Failed(line) => {
                panic!("nobody expects: {line}")
            }
        };
        self.take().into_iter().map(ran).collect()
    }
}
