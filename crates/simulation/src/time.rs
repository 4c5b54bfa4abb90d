//! The clocks of the nodes: each shows its own time, made of one time that all share.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use dormouse_testkit::ManualClock;
use dormouse_types::Timestamp;
use dormouse_types::port::{BoxFuture, Clock};

use crate::locks::lock;

/// The clock of one machine. It runs as fast as the shared one and shows another time.
#[derive(Clone)]
pub struct SkewedClock {
    shared: ManualClock,
    state: Arc<Mutex<State>>,
}

struct State {
    /// Units: microseconds ahead of the shared time.
    ahead: i64,
    waiting: Vec<Waker>,
}

impl SkewedClock {
    /// A clock that is so many microseconds ahead.
    pub fn new(shared: &ManualClock, ahead: i64) -> Self {
        let state = State { ahead, waiting: Vec::new() };
        Self { shared: shared.clone(), state: Arc::new(Mutex::new(state)) }
    }

    /// Sets the clock so many microseconds ahead; tasks that sleep by it read it again.
    pub fn set_ahead(&self, ahead: i64) {
        let waiting = {
            let mut state = lock(&self.state);
            state.ahead = ahead;
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    fn ahead(&self) -> i64 {
        lock(&self.state).ahead
    }
}

impl Clock for SkewedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.shared.now().micros() + self.ahead())
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(Sleep { dial: self.clone(), at, inner: None })
    }
}

struct Sleep {
    dial: SkewedClock,
    at: Timestamp,
    /// The sleep by the shared time, and how far the clock was ahead when it began.
    inner: Option<(i64, BoxFuture<'static, ()>)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let ahead = self.dial.ahead();
        if self.dial.now() >= self.at {
            return Poll::Ready(());
        }
        if self.inner.as_ref().is_none_or(|(then, _)| *then != ahead) {
            let at = Timestamp::from_micros(self.at.micros() - ahead);
            self.inner = Some((ahead, self.dial.shared.sleep_until(at)));
        }
        if let Some((_, inner)) = &mut self.inner
            && inner.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(());
        }
        let mut state = lock(&self.dial.state);
        if !state.waiting.iter().any(|known| known.will_wake(context.waker())) {
            state.waiting.push(context.waker().clone());
        }
        Poll::Pending
    }
}
