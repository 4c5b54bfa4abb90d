//! Ports for tests: a clock that is moved by hand, repeatable randomness, a model that answers from
//! a script, hooks at the program's points, a private Postgres server, and a small language model with its server.
//!
//! Does not own: anything that depends on a particular room; whole-runtime scenes are in
//! `dormouse-scenes`.

pub mod hooks;
pub mod model_server;
pub mod models;
pub mod postgres;
pub mod scripted;
pub mod sealing;
mod waiting;

pub use waiting::wait;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use dormouse_types::Timestamp;
use dormouse_types::port::{BoxFuture, Clock, Entropy};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A test that panicked while holding the lock has failed already.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a future that never waits, unlike [`wait`]: a store in memory and a script answer at once.
pub fn now<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("a store in memory and a script answer at once"),
    }
}

/// A clock that shows the same time until it is moved. Clones share the time.
#[derive(Debug, Clone)]
pub struct ManualClock {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    now: Timestamp,
    sleepers: Vec<(Until, Waker)>,
    /// The total by which the clock was set back. Units: microseconds.
    back: i64,
    /// How much time passes at each reading.
    at_each_reading: Duration,
}

/// What a sleeping caller waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// The clock shows this time.
    Shows(Timestamp),
    /// The clock would show this time if it had never been set back.
    Passed(Timestamp),
}

impl State {
    /// The time the clock shows when a caller wakes, if it is not set back again.
    fn clock_time(&self, until: Until) -> Timestamp {
        match until {
            Until::Shows(at) => at,
            Until::Passed(at) => Timestamp::from_micros(at.micros() - self.back),
        }
    }
}

impl ManualClock {
    /// Creates a clock that shows a time.
    pub fn new(now: Timestamp) -> Self {
        Self {
            state: Arc::new(Mutex::new(State {
                now,
                sleepers: Vec::new(),
                back: 0,
                at_each_reading: Duration::ZERO,
            })),
        }
    }

    /// Creates a clock that shows a time written as RFC 3339, for example `2026-01-05T09:00:00Z`.
    ///
    /// Panics if the text is not such a time: the test is wrong.
    pub fn at(text: &str) -> Self {
        Self::new(Timestamp::from_jiff(text.parse().expect("a time as RFC 3339")))
    }

    /// Sets the clock, forwards or backwards, and wakes callers whose time has come.
    pub fn set(&self, now: Timestamp) {
        let due = {
            let mut state = lock(&self.state);
            state.back += (state.now.micros() - now.micros()).max(0);
            state.now = now;
            let sleepers = std::mem::take(&mut state.sleepers);
            let (due, later) =
                sleepers.into_iter().partition::<Vec<_>, _>(|(at, _)| state.clock_time(*at) <= now);
            state.sleepers = later;
            due
        };
        for (_, waker) in due {
            waker.wake();
        }
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        let now = lock(&self.state).now;
        self.set(now + by);
    }

    /// Lets time pass at each reading from now on, as it does on a machine.
    pub fn pass_at_each_reading(&self, by: Duration) {
        lock(&self.state).at_each_reading = by;
    }

    /// The earliest time a caller waits for.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let state = lock(&self.state);
        state.sleepers.iter().map(|(at, _)| state.clock_time(*at)).min()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        let (now, by) = {
            let state = lock(&self.state);
            (state.now, state.at_each_reading)
        };
        if by > Duration::ZERO {
            self.set(now + by);
        }
        now
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(Sleep { state: self.state.clone(), at: Until::Shows(at) })
    }

    fn sleep(&self, by: Duration) -> BoxFuture<'static, ()> {
        let at = {
            let state = lock(&self.state);
            Timestamp::from_micros(state.now.micros() + state.back) + by
        };
        Box::pin(Sleep { state: self.state.clone(), at: Until::Passed(at) })
    }
}

struct Sleep {
    state: Arc<Mutex<State>>,
    at: Until,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = lock(&self.state);
        if state.now >= state.clock_time(self.at) {
            return Poll::Ready(());
        }
        let (at, waker) = (self.at, context.waker());
        if !state.sleepers.iter().any(|(other, held)| *other == at && held.will_wake(waker)) {
            state.sleepers.push((at, waker.clone()));
        }
        Poll::Pending
    }
}

/// Randomness from a counter: the same seed gives the same bytes in the same order.
///
/// Ids created from it at one instant rise, and differ in their last characters.
#[derive(Debug)]
pub struct CountingEntropy {
    seed: u64,
    count: Mutex<u64>,
}

impl CountingEntropy {
    /// Starts a new count for a seed.
    pub fn seeded(seed: u64) -> Self {
        Self { seed, count: Mutex::new(0) }
    }
}

impl Entropy for CountingEntropy {
    fn fill(&self, out: &mut [u8]) {
        let count = {
            let mut count = lock(&self.count);
            *count += 1;
            *count
        };
        // The seed comes first and the count last: it fills the lowest of an id's 80 random bits.
        let tail = count.to_be_bytes();
        let head = self.seed.to_le_bytes();
        for (n, byte) in out.iter_mut().rev().enumerate() {
            *byte = match n {
                0..8 => tail[7 - n],
                _ => head[(n - 8) % 8],
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Wake;

    struct Noted(Mutex<u32>);

    impl Wake for Noted {
        fn wake(self: Arc<Self>) {
            *lock(&self.0) += 1;
        }
    }

    #[test]
    fn a_sleep_ends_when_its_time_comes_and_not_before() {
        let clock = ManualClock::at("2026-01-05T09:00:00Z");
        let mut sleep = clock.sleep_until(clock.now() + Duration::from_secs(10));
        let noted = Arc::new(Noted(Mutex::new(0)));
        let waker = Waker::from(noted.clone());
        let mut context = Context::from_waker(&waker);
        assert_eq!(sleep.as_mut().poll(&mut context), Poll::Pending);
        clock.advance(Duration::from_secs(9));
        assert_eq!(*lock(&noted.0), 0);
        assert_eq!(sleep.as_mut().poll(&mut context), Poll::Pending);
        clock.advance(Duration::from_secs(1));
        assert_eq!(*lock(&noted.0), 1);
        assert_eq!(sleep.as_mut().poll(&mut context), Poll::Ready(()));
        assert_eq!(clock.next_deadline(), None);
    }

    #[test]
    fn who_sleeps_for_a_while_does_not_wait_longer_when_the_clock_is_set_back() {
        let clock = ManualClock::at("2026-01-05T09:00:00Z");
        let mut nap = clock.sleep(Duration::from_secs(10));
        let mut context = Context::from_waker(Waker::noop());
        clock.advance(Duration::from_secs(4));
        assert_eq!(nap.as_mut().poll(&mut context), Poll::Pending);
        clock.set(ManualClock::at("2026-01-05T08:00:00Z").now());
        assert_eq!(nap.as_mut().poll(&mut context), Poll::Pending);
        assert_eq!(clock.next_deadline(), Some(ManualClock::at("2026-01-05T08:00:06Z").now()));
        clock.advance(Duration::from_secs(5));
        assert_eq!(nap.as_mut().poll(&mut context), Poll::Pending);
        clock.advance(Duration::from_secs(1));
        assert_eq!(nap.as_mut().poll(&mut context), Poll::Ready(()));
    }

    #[test]
    fn the_same_seed_repeats_and_another_does_not() {
        let draw = |seed| {
            let entropy = CountingEntropy::seeded(seed);
            let mut drawn = [[0u8; 16]; 3];
            drawn.iter_mut().for_each(|out| entropy.fill(out));
            drawn
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert_ne!(draw(7)[0], draw(7)[1]);
    }
}
