//! A world on a Postgres server, and waiting for it.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use dormouse_store::backend::postgres::{Options, Postgres, Time};
use dormouse_testkit::postgres::Server;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::port::Clock;

use super::World;

/// Wakes a thread that waits for one future; others may wait on the same thread.
struct Alarm {
    thread: Thread,
    is_raised: AtomicBool,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.is_raised.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// Waits for a future on this thread, also within another that waits: a hook may do so. A store in memory
/// and a script answer at once, a server soon.
///
/// Panics: nothing happens for a minute.
pub fn now<F: Future>(future: F) -> F::Output {
    let alarm =
        Arc::new(Alarm { thread: std::thread::current(), is_raised: AtomicBool::new(false) });
    let waker = Waker::from(alarm.clone());
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        assert!(RUNTIME.get().is_some(), "a store in memory and a script answer at once");
        let is_raised = || alarm.is_raised.swap(false, Ordering::SeqCst);
        let is_awake = (0..60).any(|_| {
            std::thread::park_timeout(Duration::from_secs(1));
            is_raised()
        });
        assert!(is_awake, "nothing happened for a minute");
    }
}

/// The runtime for the connections of all tests; [`now`] only waits.
static RUNTIME: OnceLock<tokio::runtime::Runtime> = OnceLock::new();

impl World {
    /// The engines that a promise is tested on.
    pub fn on_each_engine() -> [Self; 2] {
        [Self::new(), Self::on_postgres()]
    }

    fn on_postgres() -> Self {
        let clock = ManualClock::at("2026-03-02T09:00:00Z");
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let server = Server::shared();
        let options = Options {
            url: server.url(),
            prefix: server.prefix(),
            time: Time::Clock(port.clone()),
            clock: port,
        };
        let connections = RUNTIME.get_or_init(|| {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(2).enable_all().build().expect("a runtime for connections")
        });
        let engine = connections.block_on(Postgres::connect(options, &CountingEntropy::seeded(1)));
        Self::on(Arc::new(engine.expect("a server")), clock, "test")
    }
}
